//! Writing a record.

use std::fmt::{self, Write};

use super::{Ply, Record, Variation, result_text};
use crate::position::Position;
use crate::rules::{Rules, Side};

/// Lines of moves are broken before this many columns.
const WIDTH: usize = 80;

impl fmt::Display for Record {
    /// The record in the form that [`Records`](super::Records) reads: tags, an empty line, moves and result.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for tag in &self.tags {
            write_tag(f, &tag.name, &tag.value)?;
        }
        write_tag(f, "Rules", self.rules.name())?;
        if self.start != Position::start(self.rules) {
            write_tag(f, "FEN", &self.start.to_string())?;
        }
        write_tag(f, "Result", result_text(self.result))?;
        f.write_char('\n')?;
        let mut words = Words { out: f, column: 0 };
        let place = Place::first(self.rules, self.start.side());
        words.line(place, &self.comments, &self.plies)?;
        words.word(result_text(self.result))?;
        f.write_char('\n')
    }
}

fn write_tag(f: &mut fmt::Formatter<'_>, name: &str, value: &str) -> fmt::Result {
    write!(f, "[{name} \"")?;
    for letter in value.chars() {
        match letter {
            '"' | '\\' => write!(f, "\\{letter}")?,
            // A tag is one line.
            '\n' | '\r' => f.write_char(' ')?,
            letter => f.write_char(letter)?,
        }
    }
    f.write_str("\"]\n")
}

/// Whose move it is, and the number that it has.
#[derive(Clone, Copy)]
struct Place {
    number: usize,
    is_first_player: bool,
}

impl Place {
    fn first(rules: &Rules, side: Side) -> Place {
        Place { number: 1, is_first_player: side == rules.parameters().first_to_move }
    }

    fn next(self) -> Place {
        let number = if self.is_first_player { self.number } else { self.number + 1 };
        Place { number, is_first_player: !self.is_first_player }
    }
}

/// Words on lines of limited width.
struct Words<'a, 'f> {
    out: &'a mut fmt::Formatter<'f>,
    column: usize,
}

impl Words<'_, '_> {
    /// Writes a word on the line, or on the next if it would be too long.
    fn word(&mut self, word: &str) -> fmt::Result {
        let length = word.chars().count();
        if self.column > 0 && self.column + 1 + length > WIDTH {
            self.out.write_char('\n')?;
            self.column = 0;
        } else if self.column > 0 {
            self.out.write_char(' ')?;
            self.column += 1;
        }
        self.column += length;
        self.out.write_str(word)
    }

    fn line(&mut self, mut place: Place, comments: &[String], plies: &[Ply]) -> fmt::Result {
        self.comments(comments)?;
        let mut needs_number = true;
        for ply in plies {
            if place.is_first_player {
                self.word(&format!("{}.", place.number))?;
            } else if needs_number {
                self.word(&format!("{}...", place.number))?;
            }
            self.word(&ply.mv.to_string())?;
            for nag in &ply.nags {
                self.word(&format!("${nag}"))?;
            }
            self.comments(&ply.comments)?;
            for variation in &ply.variations {
                self.variation(place, variation)?;
            }
            needs_number = !ply.comments.is_empty() || !ply.variations.is_empty();
            place = place.next();
        }
        Ok(())
    }

    fn variation(&mut self, place: Place, variation: &Variation) -> fmt::Result {
        self.word("(")?;
        self.line(place, &variation.comments, &variation.plies)?;
        self.word(")")
    }

    fn comments(&mut self, comments: &[String]) -> fmt::Result {
        for comment in comments {
            // A comment cannot hold the brace that closes it.
            let comment = format!("{{{}}}", comment.replace('}', ")"));
            comment.split_whitespace().try_for_each(|word| self.word(word))?;
        }
        Ok(())
    }
}
