//! `wrap`: runs fake agents, which are shell scripts that print recordings.

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use assert_cmd::assert::OutputAssertExt;
use bstr::ByteSlice;
use predicates::prelude::*;
use rustix::process::{Pid, Signal};
use serde_json::{Value, json};

use crate::support::cli::Printed;
use crate::support::{BIN, fixture, fixture_bytes, shown_on, terminal};
use crate::workspace::{Workspace, exit_code, is_alive, send, wait_for};

mod blocked_output;
mod cleanup;
mod command_line;
mod credentials;
mod environment;
mod exit_grace;
mod exit_status;
mod findings;
mod hostile_processes;
mod interruption;
mod last_message;
mod options;
mod output;
mod planted_files;
mod record;
mod schema;
mod signals;
mod standard_error;
mod standard_input;
mod timeouts;
mod unfinished;

const CODEX_OK: &str = "codex/text_success";
const CLAUDE_OK: &str = "claude/text_success";

/// Returns a shell command that prints a recording.
fn cat(name: &str) -> String {
    format!("cat {}", fixture(name).display())
}
