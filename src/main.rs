//! Parse, run, exit.

use std::process::ExitCode;

use streamj::app;
use streamj::cli::Cli;

fn main() -> ExitCode {
    app::run(Cli::from_env()).into()
}
