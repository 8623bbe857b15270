//! Why a command ends without having done all it was asked for.

use std::fmt::Display;
use std::io;
use std::process::ExitCode;

use super::message::message;

/// The ways to end other than well.
#[derive(Debug)]
pub enum Failure {
    /// The arguments are wrong.
    Usage(String),
    /// It could not be done, or a check failed.
    Failed(String),
    /// The messages are out already; only the exit code is left.
    Reported(u8),
    /// The reader of the answers has gone, which is no reason to complain.
    ReaderGone,
}

impl Failure {
    /// It could not be done, in the words of `error`.
    pub fn failed(error: impl Display) -> Failure {
        Failure::Failed(error.to_string())
    }

    /// Prints the message, if there is one to print.
    pub fn report(&self) {
        match self {
            Failure::Usage(text) | Failure::Failed(text) => message(text),
            Failure::Reported(_) | Failure::ReaderGone => {}
        }
    }

    /// The exit code as a number.
    pub fn code(&self) -> u8 {
        match self {
            Failure::ReaderGone => 0,
            Failure::Failed(_) => 1,
            Failure::Usage(_) => 2,
            Failure::Reported(code) => *code,
        }
    }

    /// What the process returns.
    pub fn exit_code(&self) -> ExitCode {
        self.code().into()
    }
}

/// An error in writing answers.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::ReaderGone,
            _ => Failure::Failed(format!("cannot write to standard output: {error}")),
        }
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Failure {
        io::Error::from(error).into()
    }
}
