//! A stream of text cut into games, without understanding the moves.
//!
//! A game ends after its result, before a line that begins with a tag once there were moves, and before a
//! line that begins with the number of the first move. So a fault in one game, even a comment that is never
//! closed, does not spread to the next one with tags.

use std::io::{self, BufRead, Read};

use super::FaultKind;
use super::lex::result_token;

/// The longest line that is read, in bytes.
pub const MAX_LINE_BYTES: usize = 1 << 20;
/// The longest text of one game that is read, in bytes.
pub const MAX_GAME_BYTES: usize = 4 << 20;

/// The text of one game.
pub struct Chunk {
    /// The line in the file on which it begins, from 1.
    pub line: u64,
    /// The line on which the text begins: comments can come before the game.
    pub first_line: u64,
    /// The text, up to the fault if there is one.
    pub text: String,
    /// Why it is not whole, and on which line.
    pub fault: Option<(u64, FaultKind)>,
}

/// Cuts a stream into games.
pub struct Splitter<R> {
    input: R,
    /// The line in work, or what is left of it.
    line: Vec<u8>,
    number: u64,
    /// Whether `line` begins at the beginning of a line.
    is_whole: bool,
    is_pending: bool,
    is_cut: bool,
}

/// What the lines of a game so far have been.
#[derive(Default)]
struct Scan {
    in_comment: bool,
    depth: usize,
    has_tags: bool,
    has_moves: bool,
    has_ended: bool,
    after_blank: bool,
}

impl<R: BufRead> Splitter<R> {
    pub fn new(input: R) -> Splitter<R> {
        let (line, number) = (Vec::new(), 0);
        Splitter { input, line, number, is_whole: true, is_pending: false, is_cut: false }
    }

    /// The next game; `None` at the end of the stream.
    ///
    /// # Errors
    /// What reading the stream returns.
    pub fn next(&mut self) -> io::Result<Option<Chunk>> {
        let mut scan = Scan::default();
        let mut text = Vec::new();
        let mut chunk = Chunk { line: 0, first_line: 0, text: String::new(), fault: None };
        while self.is_pending || self.read_line()? {
            if self.is_whole && scan.begins_anew(&self.line) {
                break;
            }
            if !scan.has_tags && !scan.has_moves {
                chunk.line = self.number;
                if text.trim_ascii().is_empty() {
                    chunk.first_line = self.number;
                    text.clear();
                }
            }
            self.is_pending = false;
            if self.is_cut || text.len() + self.line.len() > MAX_GAME_BYTES {
                let kind = if self.is_cut { FaultKind::LongLine } else { FaultKind::LongGame };
                chunk.fault.get_or_insert((self.number, kind));
                (scan.in_comment, scan.depth, scan.has_moves) = (false, 0, true);
                continue;
            }
            let used = scan.line(&self.line, self.is_whole);
            if chunk.fault.is_none() {
                text.extend(&self.line[..used]);
                text.push(b'\n');
            }
            if used < self.line.len() {
                self.line.drain(..used);
                (self.is_pending, self.is_whole) = (true, false);
            }
            if scan.has_ended {
                break;
            }
        }
        if !scan.has_tags && !scan.has_moves && !scan.has_ended && !scan.in_comment {
            return Ok(None);
        }
        chunk.text = String::from_utf8_lossy(&text).into_owned();
        Ok(Some(chunk))
    }

    /// Reads a line, or as much of it as a line may have; what is beyond is passed over. `false` at the end
    /// of the stream.
    fn read_line(&mut self) -> io::Result<bool> {
        self.line.clear();
        let most = MAX_LINE_BYTES as u64 + 1;
        if (&mut self.input).take(most).read_until(b'\n', &mut self.line)? == 0 {
            return Ok(false);
        }
        self.number += 1;
        (self.is_whole, self.is_pending) = (true, true);
        let is_ended = self.line.last() == Some(&b'\n');
        self.is_cut = !is_ended && self.line.len() > MAX_LINE_BYTES;
        if self.is_cut {
            self.skip_line()?;
        }
        if self.number == 1 && self.line.starts_with(b"\xef\xbb\xbf") {
            self.line.drain(..3);
        }
        while self.line.last().is_some_and(|byte| matches!(byte, b'\n' | b'\r')) {
            self.line.pop();
        }
        Ok(true)
    }

    fn skip_line(&mut self) -> io::Result<()> {
        loop {
            let buffer = match self.input.fill_buf() {
                Ok(buffer) => buffer,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let end = buffer.iter().position(|&byte| byte == b'\n');
            let used = end.map_or(buffer.len(), |end| end + 1);
            self.input.consume(used);
            if end.is_some() || used == 0 {
                return Ok(());
            }
        }
    }
}

impl Scan {
    /// Whether `line` is the first of another game.
    fn begins_anew(&self, line: &[u8]) -> bool {
        let line = line.trim_ascii_start();
        let is_tag = is_tag(line);
        if self.in_comment {
            // No one writes tags into comments after an empty line: the comment was never closed.
            return is_tag && self.after_blank;
        }
        let is_first_move = line.starts_with(b"1.") && !line.starts_with(b"1..");
        is_tag && (self.has_moves || self.has_tags && self.after_blank)
            || is_first_move && self.has_moves && self.depth == 0
    }

    /// Takes in a line, or the rest of one, and returns how much of it belongs to this game.
    fn line(&mut self, line: &[u8], is_whole: bool) -> usize {
        self.after_blank = line.trim_ascii().is_empty();
        if !self.in_comment && is_whole {
            if is_tag(line.trim_ascii_start()) {
                self.has_tags = true;
                return line.len();
            }
            if line.starts_with(b"%") {
                return line.len();
            }
        }
        let mut at = 0;
        let mut at_token = true;
        while at < line.len() {
            let byte = line[at];
            if self.in_comment {
                self.in_comment = byte != b'}';
                at_token = true;
                at += 1;
                continue;
            }
            match byte {
                b'{' => self.in_comment = true,
                b';' => return line.len(),
                _ if byte.is_ascii_whitespace() => at_token = true,
                // After the result only comments belong to the game.
                _ if self.has_ended => return at,
                b'(' => (self.depth, at_token) = (self.depth + 1, true),
                b')' => (self.depth, at_token) = (self.depth.saturating_sub(1), true),
                _ => {
                    self.has_moves = true;
                    let result = at_token && self.depth == 0;
                    if let Some(length) = result.then(|| result_token(&line[at..])).flatten() {
                        self.has_ended = true;
                        at += length;
                        continue;
                    }
                    at_token = false;
                }
            }
            at += 1;
        }
        // A comment after the result goes on; otherwise the game ends with the line.
        line.len()
    }
}

/// Whether a line begins like a tag: `[Name "`.
fn is_tag(line: &[u8]) -> bool {
    let Some(rest) = line.strip_prefix(b"[") else { return false };
    let rest = rest.trim_ascii_start();
    let name = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    name > 0 && rest[name..].trim_ascii_start().starts_with(b"\"")
}
