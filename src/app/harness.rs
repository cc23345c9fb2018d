//! `harness`: which CLIs there are, and a first description of another one.

use std::fmt::Write;
use std::fs::File;
use std::io::{self, IsTerminal, Read};

use anyhow::{Context, anyhow, bail, ensure};

use crate::cli::{HarnessAction, HarnessArgs};
use crate::descriptions::{DescribedFile, described_files};
use crate::harness::{Harness, infer};
use crate::output::{sanitize, system_message};

/// Bytes of a recording that are examined.
const MAX_RECORDING: u64 = 64 << 20;

/// Returns what the command prints.
pub(super) fn run(args: &HarnessArgs) -> anyhow::Result<String> {
    match args.action {
        HarnessAction::List => {
            ensure!(args.file.is_none(), "harness list takes no FILE (--harness-file names one)");
            ensure!(args.name.is_none(), "--name is for harness infer");
            list(&described_files(&args.harness_file)?)
        }
        HarnessAction::Infer => {
            ensure!(args.harness_file.is_empty(), "--harness-file is for harness list");
            describe(args)
        }
    }
}

fn list(files: &[DescribedFile]) -> anyhow::Result<String> {
    let names = Harness::ALL.iter().chain(files.iter().map(|file| &file.harness));
    let width = names.map(|harness| harness.name().len()).max().unwrap_or(0);
    let mut text = String::new();
    for harness in Harness::ALL {
        let title = harness.adapter().program.title;
        writeln!(text, "{:width$}  {title}", harness.name())?;
    }
    for DescribedFile { path, harness } in files {
        writeln!(text, "{:width$}  {}", harness.name(), sanitize(&path.to_string_lossy()))?;
    }
    Ok(text)
}

fn describe(args: &HarnessArgs) -> anyhow::Result<String> {
    let path = args.file.as_deref().filter(|path| path.as_os_str() != "-");
    let source = path.map_or("<stdin>".to_owned(), |path| path.display().to_string());
    if path.is_none() && io::stdin().is_terminal() {
        bail!("nothing to read: give a FILE, or pipe a recording in");
    }
    let mut recording = Vec::new();
    let read = match path {
        Some(path) => {
            File::open(path).and_then(|file| file.take(MAX_RECORDING).read_to_end(&mut recording))
        }
        None => io::stdin().lock().take(MAX_RECORDING).read_to_end(&mut recording),
    };
    read.map_err(|error| anyhow!("{}", system_message(&error))).with_context(|| source.clone())?;
    let stem = path.and_then(|path| path.file_stem()).map(|stem| stem.to_string_lossy());
    let name = args.name.as_deref().or(stem.as_deref()).unwrap_or("my-agent");
    infer(&recording, name).map_err(|message| anyhow!("{source}: {message}"))
}
