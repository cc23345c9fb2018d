//! Reads the usage of many files as far as it is not remembered.

use super::builder::{FileContent, FileEnd, FileUsageBuilder, read_file, read_input};
use super::file::FileUsage;
use super::folder::read_each;
use crate::codec::{Bytes, Codec};
use crate::index::{Index, Recalled};
use crate::reader::{Position, ReaderOptions};
use crate::sessions::SessionSource;

/// Recalling a session takes so little time that threads claim many at once.
const CHUNK: usize = 64;

/// Reads all sessions, and calls `done` after each. Returns them sorted by name.
pub(crate) fn read_files(
    sources: &[SessionSource],
    options: &ReaderOptions,
    index: Option<&Index>,
    done: impl FnMut(),
) -> Vec<FileUsage> {
    let mut done = done;
    let (mut files, changed) = match index {
        Some(index) => recall_all(sources, options, index, &mut done),
        None => (Vec::new(), sources.to_vec()),
    };
    let read = |source: &SessionSource| match index.and_then(|index| index.recall(source)) {
        Some(recalled) => read_recalled(source, options, recalled),
        None => read_anew(source, options),
    };
    files.extend(read_each(&changed, options.threads, read, done));
    files.sort_by(|one, other| one.name.cmp(&other.name));
    files
}

/// Returns the usage of the files that have not changed, and the other files.
fn recall_all(
    sources: &[SessionSource],
    options: &ReaderOptions,
    index: &Index,
    done: &mut impl FnMut(),
) -> (Vec<FileUsage>, Vec<SessionSource>) {
    let recall = |source: &SessionSource| unchanged(source, options, &index.recall(source)?);
    let recall_some = |sources: &&[SessionSource]| {
        let recall = |source: &SessionSource| recall(source).ok_or_else(|| source.clone());
        sources.iter().map(recall).collect::<Vec<_>>()
    };
    let chunks: Vec<_> = sources.chunks(CHUNK).collect();
    let (mut files, mut changed) = (Vec::with_capacity(sources.len()), Vec::new());
    for file in read_each(&chunks, options.threads, recall_some, || {}).into_iter().flatten() {
        match file {
            Ok(file) => {
                files.push(file);
                done();
            }
            Err(source) => changed.push(source),
        }
    }
    (files, changed)
}

fn read_anew(source: &SessionSource, options: &ReaderOptions) -> FileUsage {
    let mut builder = FileUsageBuilder::new(options.decode.harness);
    let end = read_file(source, options, &mut builder);
    builder.finish(&end).usage(source, end)
}

/// Reads what is new in a file, and remembers all of it.
fn read_recalled(
    source: &SessionSource,
    options: &ReaderOptions,
    recalled: Recalled<'_>,
) -> FileUsage {
    if let Some(usage) = unchanged(source, options, &recalled) {
        return usage;
    }
    let before = recalled.before().and_then(|bytes| decode(bytes, options));
    let resumed = before.and_then(FileUsageBuilder::resume);
    let modified = recalled.modified();
    let mut reading = match recalled.open(source, resumed.is_some()) {
        Ok(reading) => reading,
        Err(error) => {
            let end = FileEnd { error: Some(error), ..FileEnd::default() };
            let builder = FileUsageBuilder::new(options.decode.harness);
            return builder.finish(&end).usage(source, end);
        }
    };
    let (mut builder, start): (_, Option<Position>) = match resumed {
        Some((builder, start)) if reading.is_resumed => (builder, Some(start)),
        _ => (FileUsageBuilder::new(options.decode.harness), None),
    };
    let end = read_input(start, &mut reading.input, options, &mut builder);
    let end = FileEnd { modified, ..end };
    let content = builder.finish(&end);
    if end.error.is_none() {
        reading.remember(&encode(&content), content.can_resume(), None);
    }
    content.usage(source, end)
}

/// Returns the usage of a file that has not changed.
pub(crate) fn unchanged(
    source: &SessionSource,
    options: &ReaderOptions,
    recalled: &Recalled<'_>,
) -> Option<FileUsage> {
    let content = decode(recalled.unchanged()?, options)?;
    let end = FileEnd { modified: recalled.modified(), is_file: true, ..FileEnd::default() };
    Some(content.usage(source, end))
}

/// Returns the usage of a file that was deleted.
pub(crate) fn deleted(
    source: &SessionSource,
    options: &ReaderOptions,
    content: &[u8],
) -> Option<FileUsage> {
    Some(decode(content, options)?.usage(source, FileEnd::default()))
}

/// Returns what is remembered of a file.
pub(crate) fn encode(content: &FileContent) -> Vec<u8> {
    let mut bytes = Vec::new();
    content.encode(&mut bytes);
    bytes
}

fn decode(bytes: &[u8], options: &ReaderOptions) -> Option<FileContent> {
    FileContent::decode(&mut Bytes::new(bytes, options.decode.described))
}
