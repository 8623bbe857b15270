//! Messages to the user.

use std::fmt::Display;
use std::io::{self, Write};

/// A message to the user. With standard error closed there is nobody to tell.
pub fn message(text: impl Display) {
    let _ = writeln!(io::stderr(), "alquerque: {text}");
}
