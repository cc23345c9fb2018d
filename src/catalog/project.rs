//! Selects sessions by the folder that the agent worked in.

use std::path::{Path, PathBuf};

use crate::glob::Glob;

/// Selects projects.
#[derive(Clone, Debug)]
pub(crate) enum ProjectFilter {
    /// This folder and those below it.
    Folder(PathBuf),
    /// Projects whose path, or the last part of it, matches.
    Glob(Glob),
}

impl ProjectFilter {
    /// Returns the filter of an argument: `.`, or a path that starts with it, is a folder;
    /// anything else is a pattern.
    pub(crate) fn parse(argument: &str) -> Result<Self, String> {
        let is_relative = matches!(argument, "." | "..")
            || argument.starts_with("./")
            || argument.starts_with("../");
        if is_relative {
            let folder = std::fs::canonicalize(argument);
            return folder.map(Self::Folder).map_err(|_| format!("{argument} is no folder"));
        }
        let glob = argument.strip_suffix('/').filter(|path| !path.is_empty()).unwrap_or(argument);
        Glob::new(glob).map(Self::Glob).map_err(|_| "the pattern is too long".to_owned())
    }

    /// Returns whether a session of `project` is selected. One without a project is not.
    pub(crate) fn matches(&self, project: Option<&str>) -> bool {
        let Some(project) = project else { return false };
        match self {
            Self::Folder(folder) => {
                let path = Path::new(project);
                path.starts_with(folder)
                    || std::fs::canonicalize(path).is_ok_and(|path| path.starts_with(folder))
            }
            Self::Glob(glob) => {
                let name = project.rsplit(['/', '\\']).next().unwrap_or(project);
                glob.matches(project) || glob.matches(name)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pattern_matches_the_path_or_its_last_part() {
        let matches = |filter: &str, project: &str| {
            ProjectFilter::parse(filter).unwrap().matches(Some(project))
        };
        assert!(matches("web*", "/home/demo/website"));
        assert!(matches("/home/demo/*", "/home/demo/website"));
        assert!(matches("/home/demo/website/", "/home/demo/website"));
        assert!(!matches("demo", "/home/demo/website"));
        assert!(!ProjectFilter::parse("*").unwrap().matches(None));
    }

    #[test]
    fn folder_includes_those_below_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = std::fs::canonicalize(folder.path()).unwrap();
        let filter = ProjectFilter::Folder(path.clone());
        let project = |name: &str| path.join(name).to_str().unwrap().to_owned();
        assert!(filter.matches(path.to_str()));
        assert!(filter.matches(Some(&project("below"))));
        assert!(!filter.matches(Some(&(path.to_str().unwrap().to_owned() + "-other"))));
    }
}
