//! The files that the arguments of a command stand for.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use anyhow::Context;

use crate::cli::Files;
use crate::input::{expand, parse_list};
use crate::program::Streams;

/// Replaces patterns by the files that match them, and adds the files of a list. Returns
/// false if the arguments stand for no file at all: an empty list.
pub(super) fn resolve(input: &mut Files, streams: &mut Streams) -> anyhow::Result<bool> {
    input.files = input.files.iter().flat_map(|argument| expand(argument)).collect();
    let Some(list) = &input.list else { return Ok(true) };
    let names = read_list(list, streams).with_context(|| list.display().to_string())?;
    input.files.extend(parse_list(&names, input.null));
    Ok(!input.files.is_empty())
}

fn read_list(list: &Path, streams: &mut Streams) -> io::Result<Vec<u8>> {
    if list.as_os_str() != "-" {
        return fs::read(list);
    }
    let mut names = Vec::new();
    match streams.take_stdin() {
        Some(mut stdin) => stdin.read_to_end(&mut names)?,
        None => io::stdin().lock().read_to_end(&mut names)?,
    };
    Ok(names)
}
