//! Files that describe CLIs: those named on the command line, and those in the configuration
//! folder.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail};

use crate::cli::Global;
use crate::harness::{Description, Harness, MAX_DESCRIPTION};
use crate::output::system_message;

/// Files that are read from the configuration folder.
const MAX_FILES: usize = 256;

/// A file and the CLI that it describes.
#[derive(Clone, Debug)]
pub(crate) struct DescribedFile {
    pub(crate) path: PathBuf,
    pub(crate) harness: Harness,
}

/// Reads the descriptions, and finds the CLI that `--harness` names.
pub(crate) fn resolve(global: Global) -> anyhow::Result<Global> {
    let files = described_files(&global.harness_file)?;
    let described: Vec<Harness> = files.iter().map(|file| file.harness).collect();
    let find = |name: &String| {
        let mut all = described.iter().chain(Harness::ALL);
        let found = all.find(|harness| harness.name() == name);
        found.copied().ok_or_else(|| {
            let own = described.iter().map(|harness| harness.name());
            let builtin = Harness::names();
            let names = own.chain([&*builtin]).collect::<Vec<_>>().join(", ");
            anyhow!("--harness {name}: not one of: {names} (--harness-file describes others)")
        })
    };
    let harness = global.harness_name.as_ref().map(find).transpose()?;
    let mut global = global;
    global.harness = harness;
    global.described = described.leak();
    Ok(global)
}

/// Reads the descriptions that are given, and those in the configuration folder.
pub(crate) fn described_files(files: &[PathBuf]) -> anyhow::Result<Vec<DescribedFile>> {
    let folder = config_folder(&|name| std::env::var(name).ok());
    load(files, folder.as_deref())
}

/// Returns `streamj/harnesses` in the configuration folder of the user.
fn config_folder(variable: &dyn Fn(&str) -> Option<String>) -> Option<PathBuf> {
    // A relative path is to be ignored.
    let own = variable("XDG_CONFIG_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let default =
        || Some(PathBuf::from(variable("HOME").filter(|home| !home.is_empty())?).join(".config"));
    Some(own.or_else(default)?.join("streamj/harnesses"))
}

/// Reads the descriptions in `files` and in the configuration folder. One that is named
/// replaces that of the same name in the folder.
fn load(files: &[PathBuf], folder: Option<&Path>) -> anyhow::Result<Vec<DescribedFile>> {
    let mut found: BTreeMap<String, PathBuf> = BTreeMap::new();
    let mut described = Vec::new();
    let kept = folder.map(toml_files).unwrap_or_default();
    for (path, is_named) in
        files.iter().map(|path| (path, true)).chain(kept.iter().map(|path| (path, false)))
    {
        let description = read(path)?;
        let name = description.name().to_owned();
        match found.get(&name) {
            Some(first) if is_named || kept.contains(first) => {
                let (path, first) = (path.display(), first.display());
                bail!("{path}: {name} is described in {first}, too");
            }
            Some(_) => continue,
            None => drop(found.insert(name, path.clone())),
        }
        described
            .push(DescribedFile { path: path.clone(), harness: Harness::described(description) });
    }
    Ok(described)
}

/// Returns the `.toml` files of a folder in the order of their names; none if there is no
/// such folder.
fn toml_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    let is_toml = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "toml");
    let mut files: Vec<_> = paths.filter(is_toml).take(MAX_FILES).collect();
    files.sort();
    files
}

/// Reads a file. An error names the file, and the line if it has one.
fn read(path: &Path) -> anyhow::Result<Description> {
    let name = path.display();
    let mut bytes = Vec::new();
    let limit = MAX_DESCRIPTION as u64 + 1;
    let result = File::open(path).and_then(|file| file.take(limit).read_to_end(&mut bytes));
    result.map_err(|error: io::Error| anyhow!("{name}: {}", system_message(&error)))?;
    let text = std::str::from_utf8(&bytes).or_else(|error| {
        // A large file may be cut inside a character; it is too large anyway.
        let is_cut = bytes.len() > MAX_DESCRIPTION && error.error_len().is_none();
        if is_cut { Ok("") } else { Err(error) }
    });
    let text = text.map_err(|error| {
        let before = &bytes[..error.valid_up_to()];
        let line = memchr::memchr_iter(b'\n', before).count() + 1;
        anyhow!("{name}:{line}: not UTF-8")
    })?;
    if bytes.len() > MAX_DESCRIPTION {
        bail!("{name}:1: a description of more than {} KiB", MAX_DESCRIPTION >> 10);
    }
    Description::parse(text).map_err(|error| anyhow!("{name}:{}: {}", error.line, error.message))
}
