//! Reading the games of a stream one by one.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use super::build::build;
use super::split::Splitter;
use super::{Fault, Record};
use crate::file::{FileError, open_regular};
use crate::rules::Rules;

/// A game as it was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadGame {
    /// Its number in the stream, from 1.
    pub number: u64,
    /// The line on which it begins, from 1.
    pub line: u64,
    /// The game, up to the fault if that makes the rest unreadable.
    pub record: Record,
    /// The first thing that is wrong with it.
    pub fault: Option<Fault>,
}

/// Finds rules by name, beside the built-in ones.
type FindRules<'a> = Box<dyn Fn(&str) -> Option<&'static Rules> + 'a>;

/// The games of a stream, one after the other. A game that is wrong does not keep the others from being read.
///
/// The iterator ends after an I/O error.
pub struct Records<'a, R> {
    splitter: Splitter<R>,
    rules: Option<&'static Rules>,
    find: FindRules<'a>,
    games: u64,
    has_failed: bool,
}

/// Opens a file of games, for [`Records`] to read. Only a regular file is opened: a pipe could block for
/// ever.
///
/// # Errors
/// When there is no such file, or it is a folder, a pipe or a device.
pub fn open_games(path: impl AsRef<Path>) -> io::Result<BufReader<File>> {
    /// Games are read from front to back.
    const BUFFER_BYTES: usize = 1 << 16;
    match open_regular(path.as_ref()) {
        Ok((file, _)) => Ok(BufReader::with_capacity(BUFFER_BYTES, file)),
        Err(FileError::Io(error)) => Err(error),
        Err(FileError::NotRegular | FileError::TooLong { .. }) => {
            Err(io::Error::other("it is not a regular file"))
        }
    }
}

impl<'a, R: BufRead> Records<'a, R> {
    /// The games of `input`, under the rules that the `Rules` tag of each names, or `classic` without one.
    pub fn new(input: R) -> Records<'a, R> {
        let find = Box::new(|_: &str| None);
        Records { splitter: Splitter::new(input), rules: None, find, games: 0, has_failed: false }
    }

    /// The same, all under these rules: a game whose tag names others is a fault.
    #[must_use]
    pub fn with_rules(mut self, rules: &'static Rules) -> Self {
        self.rules = Some(rules);
        self
    }

    /// The same, with rules beside the built-in ones that a tag can name.
    #[must_use]
    pub fn finding_rules(mut self, find: impl Fn(&str) -> Option<&'static Rules> + 'a) -> Self {
        self.find = Box::new(find);
        self
    }
}

impl<R: BufRead> Iterator for Records<'_, R> {
    type Item = io::Result<ReadGame>;

    fn next(&mut self) -> Option<io::Result<ReadGame>> {
        if self.has_failed {
            return None;
        }
        match self.splitter.next() {
            Ok(chunk) => {
                let chunk = chunk?;
                self.games += 1;
                Some(Ok(build(self.games, chunk, self.rules, &*self.find)))
            }
            Err(error) => {
                self.has_failed = true;
                Some(Err(error))
            }
        }
    }
}
