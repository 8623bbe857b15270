//! The words of a game.

use winnow::ascii::{digit1, multispace0};
use winnow::combinator::{alt, delimited, preceded, repeat, terminated};
use winnow::error::{ContextError, ErrMode};
use winnow::prelude::*;
use winnow::stream::{LocatingSlice, Location};
use winnow::token::{none_of, one_of, take_till, take_while};

use super::FaultKind;
use crate::game::GameResult;
use crate::position::shown;
use crate::rules::Side;

type Input<'a> = LocatingSlice<&'a str>;
type Outcome<T> = Result<T, ErrMode<ContextError>>;

/// A word of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Token<'a> {
    Tag(&'a str, String),
    Comment(&'a str),
    Open,
    Close,
    /// The number of a move, which is not looked at.
    Number,
    /// An annotation; `None` when its number is out of range.
    Nag(Option<u8>),
    Result(Option<GameResult>),
    /// A move, with the annotation that is written behind it.
    Move(&'a str, Option<u8>),
}

/// The results as they are written; the last ones are those of draughts programs.
const RESULTS: [(&str, Option<GameResult>); 10] = [
    ("1-0", Some(GameResult::Won(Side::White))),
    ("0-1", Some(GameResult::Won(Side::Black))),
    ("1/2-1/2", Some(GameResult::Drawn)),
    ("½-½", Some(GameResult::Drawn)),
    ("*", None),
    ("2-0", Some(GameResult::Won(Side::White))),
    ("0-2", Some(GameResult::Won(Side::Black))),
    ("1-1", Some(GameResult::Drawn)),
    ("1/2", Some(GameResult::Drawn)),
    ("0-0", None),
];

/// The result with this text.
pub fn result_of(text: &str) -> Option<Option<GameResult>> {
    RESULTS.iter().find(|(known, _)| *known == text).map(|(_, result)| *result)
}

/// The length of the result with which `text` begins, if it does.
pub fn result_token(text: &[u8]) -> Option<usize> {
    let ends_there = |length: usize| {
        text.get(length).is_none_or(|next| next.is_ascii_whitespace() || b"{};()".contains(next))
    };
    let found = RESULTS.iter().map(|(known, _)| known.as_bytes());
    found.filter(|known| text.starts_with(known) && ends_there(known.len())).map(<[u8]>::len).max()
}

/// What is wrong with a text, and where.
pub type Broken = Option<(usize, FaultKind)>;

/// The words of `text`, each with the byte where it begins; and what is wrong with the first invalid one,
/// with its place.
pub fn tokens(text: &str) -> (Vec<(usize, Token<'_>)>, Broken) {
    let mut input = LocatingSlice::new(text);
    let mut tokens = Vec::new();
    loop {
        let space: Outcome<&str> = multispace0.parse_next(&mut input);
        let at = input.current_token_start();
        if space.is_err() || input.is_empty() {
            return (tokens, None);
        }
        let is_line_start = text[..at].bytes().next_back().is_none_or(|byte| byte == b'\n');
        if is_line_start && input.starts_with('%') {
            let _: Outcome<&str> = take_till(0.., '\n').parse_next(&mut input);
            continue;
        }
        let rest: &str = &input;
        match token.parse_next(&mut input) {
            Ok(token) => tokens.push((at, token)),
            Err(_) => {
                let kind = match rest.as_bytes().first() {
                    Some(b'{') => FaultKind::OpenComment,
                    Some(b'[') => FaultKind::Tag,
                    _ => FaultKind::Unknown(shown(rest.split_whitespace().next().unwrap_or_default())),
                };
                return (tokens, Some((at, kind)));
            }
        }
    }
}

fn token<'a>(input: &mut Input<'a>) -> Outcome<Token<'a>> {
    let comment = alt((
        delimited('{', take_till(0.., '}'), '}').map(Token::Comment),
        preceded(';', take_till(0.., '\n')).map(Token::Comment),
    ));
    let number =
        alt(((digit1, take_while(0.., '.')).value(Token::Number), take_while(1.., '.').value(Token::Number)));
    let nag = alt((
        preceded('$', digit1).map(|number: &str| Token::Nag(number.parse().ok())),
        glyph.map(|nag| Token::Nag(Some(nag))),
    ));
    alt((tag, comment, '('.value(Token::Open), ')'.value(Token::Close), result, number, nag, word))
        .parse_next(input)
}

fn tag<'a>(input: &mut Input<'a>) -> Outcome<Token<'a>> {
    let letter = none_of(['"', '\\', '\n']);
    let escaped = preceded('\\', one_of(['"', '\\']));
    let value = delimited('"', repeat(0.., alt((letter, escaped))), '"');
    let name = take_while(1.., |c: char| c.is_ascii_alphanumeric() || c == '_');
    let inside = (terminated(name, multispace0), terminated(value, multispace0));
    delimited(('[', multispace0), inside, ']').map(|(name, value)| Token::Tag(name, value)).parse_next(input)
}

fn result<'a>(input: &mut Input<'a>) -> Outcome<Token<'a>> {
    let length = result_token(input.as_bytes()).ok_or(ErrMode::Backtrack(ContextError::new()))?;
    let text = winnow::token::take::<_, _, ErrMode<ContextError>>(
        input.as_bytes()[..length].iter().filter(|byte| **byte & 0xc0 != 0x80).count(),
    )
    .parse_next(input)?;
    Ok(Token::Result(result_of(text).flatten()))
}

/// `!`, `?`, `!!`, `??`, `!?` or `?!`.
fn glyph(input: &mut Input<'_>) -> Outcome<u8> {
    let glyphs = take_while(1..=2, ['!', '?']);
    glyphs
        .map(|glyph: &str| match glyph {
            "!" => 1,
            "?" => 2,
            "!!" => 3,
            "??" => 4,
            "!?" => 5,
            _ => 6,
        })
        .parse_next(input)
}

fn word<'a>(input: &mut Input<'a>) -> Outcome<Token<'a>> {
    let is_part = |c: char| !c.is_whitespace() && !"[]{}();$!?".contains(c);
    let (text, nag) = (take_while(1.., is_part), winnow::combinator::opt(glyph)).parse_next(input)?;
    Ok(Token::Move(text, nag))
}
