//! `view --follow`: reads a file as it grows, or the newest session.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use super::read::{Reading, read_input, report_unreadable};
use super::sessions::sources_of;
use crate::exit::Exit;
use crate::input::{FollowedFile, KeepGoing};
use crate::output::{Output, system_message};
use crate::wrap;

/// The newest session.
const NEWEST: &str = "@last";

/// Interval between two searches for a newer session.
const SEARCH_INTERVAL: Duration = Duration::from_secs(2);

/// Interval between two looks for a file that does not exist yet.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Follows a file, which may not exist yet, or a session that is named.
pub(super) fn follow(path: &Path, reading: &Reading<'_>, out: &mut Output) -> io::Result<Exit> {
    let sources = match sources_of(path, reading.spec.input, reading.global) {
        Ok(sources) => sources,
        Err(error) => return report_missing(&error, out),
    };
    let path = sources.first().map_or(path, |source| source.path());
    if !wait_until_it_exists(path, out)? {
        return Ok(Exit::Success);
    }
    read_followed(path, &|| !wrap::stdout_is_closed(), reading, out)
}

/// Follows the newest session until there is a newer one, and so on.
pub(super) fn follow_newest(reading: &Reading<'_>, out: &mut Output) -> io::Result<Exit> {
    let (files, global) = (reading.spec.input, reading.global);
    let newest = || -> anyhow::Result<Option<PathBuf>> {
        let sources = sources_of(Path::new(NEWEST), files, global)?;
        Ok(sources.first().map(|source| source.path().to_owned()))
    };
    let mut exit = Exit::Success;
    loop {
        let path = match newest() {
            Ok(Some(path)) => path,
            Ok(None) => return Ok(exit),
            Err(error) => return report_missing(&error, out),
        };
        let searched = Mutex::new(Instant::now());
        let keep_going = || {
            if wrap::stdout_is_closed() {
                return false;
            }
            let mut searched = searched.lock().unwrap_or_else(PoisonError::into_inner);
            if searched.elapsed() < SEARCH_INTERVAL {
                return true;
            }
            *searched = Instant::now();
            newest().ok().flatten().is_none_or(|newest| newest == path)
        };
        exit = exit.or_worse(read_followed(&path, &keep_going, reading, out)?);
        out.sink.flush()?;
        if wrap::stdout_is_closed() {
            return Ok(exit);
        }
    }
}

fn read_followed(
    path: &Path,
    keep_going: KeepGoing<'_>,
    reading: &Reading<'_>,
    out: &mut Output,
) -> io::Result<Exit> {
    match FollowedFile::open(path, keep_going) {
        Ok(mut file) => {
            let context = reading.context(path.to_string_lossy(), SystemTime::now(), true);
            read_input(&context, &mut file, reading, out)
        }
        Err(error) => report_unreadable(&path.to_string_lossy(), &error, out),
    }
}

fn report_missing(error: &anyhow::Error, out: &mut Output) -> io::Result<Exit> {
    out.sink.flush()?;
    out.diagnostics.failure(error);
    Ok(Exit::Error)
}

/// Returns false if nothing reads the output any more.
fn wait_until_it_exists(path: &Path, out: &mut Output) -> io::Result<bool> {
    let is_missing = || path.metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
    if is_missing() {
        out.diagnostics.start_input(&path.to_string_lossy());
        let missing = io::Error::from(io::ErrorKind::NotFound);
        out.input_note(&format!("{}; waiting for it", system_message(&missing)))?;
    }
    while is_missing() {
        if wrap::stdout_is_closed() {
            return Ok(false);
        }
        std::thread::sleep(POLL_INTERVAL);
    }
    Ok(true)
}
