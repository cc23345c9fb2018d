//! The keys of sessions, and which of them are remembered.

use std::path::{MAIN_SEPARATOR, Path, PathBuf};

use crate::sessions::SessionSource;

/// The folders that are searched.
pub(super) struct SearchedFolders {
    /// The folder that relative paths start from.
    current: PathBuf,
    /// How the keys of sessions in the folders start.
    prefixes: Vec<Vec<u8>>,
}

impl SearchedFolders {
    pub(super) fn new(folders: &[PathBuf]) -> Self {
        Self::from(std::env::current_dir().unwrap_or_default(), folders)
    }

    fn from(current: PathBuf, folders: &[PathBuf]) -> Self {
        let separator = u8::try_from(MAIN_SEPARATOR).unwrap_or(b'/');
        let prefix = |folder: &PathBuf| {
            let mut prefix = absolute(&current, folder);
            if prefix.last() != Some(&separator) {
                prefix.push(separator);
            }
            prefix
        };
        let prefixes = folders.iter().map(prefix).collect();
        Self { current, prefixes }
    }

    /// Returns the key of a session: its absolute path. `None` if it is in no folder.
    pub(super) fn key(&self, source: &SessionSource) -> Option<Vec<u8>> {
        let key = absolute(&self.current, Path::new(&source.name()));
        self.contains(&key).then_some(key)
    }

    /// Returns whether the session with this key is in a folder.
    pub(super) fn contains(&self, key: &[u8]) -> bool {
        self.prefixes.iter().any(|prefix| key.starts_with(prefix))
    }
}

/// Returns a path without `.` and double separators. Links are not resolved.
fn absolute(current: &Path, path: &Path) -> Vec<u8> {
    let path: PathBuf = current.join(path).components().collect();
    path.into_os_string().into_encoded_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_below_the_folders_have_keys() {
        let folders =
            SearchedFolders::from("/work".into(), &["/home/a/", "b/./c"].map(PathBuf::from));
        let key = |path: &str| folders.key(&SessionSource::deleted(Path::new(path)));
        assert_eq!(key("/home/a/x/1.jsonl"), Some(b"/home/a/x/1.jsonl".to_vec()));
        assert_eq!(key("./b/c//1.jsonl"), Some(b"/work/b/c/1.jsonl".to_vec()));
        assert_eq!(key("/home/ab/1.jsonl"), None);
        assert_eq!(key("-"), None);
    }
}
