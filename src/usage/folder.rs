//! Reads the sessions of folders, on all cores.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread::Builder;

use crate::harness::Harness;
use crate::reader;

/// Returns the folders in which the CLIs keep sessions.
pub(crate) fn session_folders() -> Vec<PathBuf> {
    let variable = |name: &str| std::env::var(name).ok();
    let sessions = |harness: &Harness| harness.adapter().sessions.as_ref();
    let sessions = Harness::ALL.iter().filter_map(sessions);
    sessions.flat_map(|sessions| (sessions.folders)(&variable)).collect()
}

/// Reads all sources, each on an idle thread, and calls `done` after each. The results are
/// in no particular order.
pub(crate) fn read_each<S: Sync, T: Send>(
    sources: &[S],
    threads: Option<usize>,
    read: impl Fn(&S) -> T + Sync,
    mut done: impl FnMut(),
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    let threads = reader::thread_count(threads).min(sources.len()).max(1);
    let next_source = || sources.get(next.fetch_add(1, Ordering::Relaxed));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let sender = sender.clone();
            let read = &read;
            let work = move || {
                while let Some(source) = next_source() {
                    if sender.send(read(source)).is_err() {
                        break;
                    }
                }
            };
            if Builder::new().spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        drop(sender);
        let mut results: Vec<T> = receiver.iter().inspect(|_| done()).collect();
        // Without any thread everything is left.
        let left = std::iter::from_fn(next_source).map(&read);
        results.extend(left.inspect(|_| done()));
        results
    })
}
