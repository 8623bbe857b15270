//! Messages to the user.

use std::fmt::Display;
use std::io::{self, Write};

/// Writes a message to the user, unless standard error is closed.
pub fn message(text: impl Display) {
    let _ = writeln!(io::stderr(), "alquerque: {text}");
}
