//! Reading the games of a stream one by one.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use super::ReadGame;
use super::build::build;
use super::split::Splitter;
use crate::file::{FileError, open_regular};
use crate::rules::Rules;

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

impl<R> fmt::Debug for Records<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Records").field("games", &self.games).finish_non_exhaustive()
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
