//! The command line. It reads arguments and words answers; the answers come from the library.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run()
}
