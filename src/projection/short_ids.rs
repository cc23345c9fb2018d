//! Short forms of ids.

use std::collections::HashSet;

/// Shortens ids to starts of one length, at least `least`, as far as they differ, so that
/// each can be used in place of the id. Ids that begin with a time, as version 7 UUIDs,
/// keep more if they are of the same minute.
pub(super) fn shorten_ids(ids: &mut [String], least: usize) {
    let distinct = ids.iter().collect::<HashSet<_>>().len();
    let longest = ids.iter().map(|id| id.chars().count()).max().unwrap_or(0);
    for length in least..longest {
        let short: Vec<String> = ids.iter().map(|id| start(id, length)).collect();
        if short.iter().collect::<HashSet<_>>().len() == distinct {
            ids.clone_from_slice(&short);
            return;
        }
    }
}

/// Returns the first characters of an id.
fn start(id: &str, length: usize) -> String {
    id.chars().take(length).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shortened(ids: &[&str]) -> Vec<String> {
        let mut ids: Vec<String> = ids.iter().map(|id| (*id).to_owned()).collect();
        shorten_ids(&mut ids, 8);
        ids
    }

    #[test]
    fn ids_are_shortened_as_far_as_they_differ() {
        let random =
            ["08f6a414-d5ac-4cb0-b727-8cd22852ccdd", "31385d07-c2a7-4396-9321-21b16ed182c1"];
        assert_eq!(shortened(&random), ["08f6a414", "31385d07"]);
        let timed =
            ["01a1e184-9112-7833-950f-0ff741e7680a", "01a1e184-9150-7aa3-a88e-7e4fae944488"];
        assert_eq!(shortened(&timed), ["01a1e184-911", "01a1e184-915"]);
        assert_eq!(shortened(&["short", "other"]), ["short", "other"]);
        assert_eq!(shortened(&["the-same-id", "the-same-id"]), ["the-same", "the-same"]);
        assert_eq!(shortened(&[]), Vec::<String>::new());
    }
}
