//! The `streamj` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    streamj::program::run(std::env::args_os())
}
