//! Parse, run, exit.

use std::process::ExitCode;

fn main() -> ExitCode {
    streamj::app::run(std::env::args_os()).into()
}
