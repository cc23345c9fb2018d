//! Runs the targets on mutated recordings.

use std::path::{Path, PathBuf};

use super::targets::{ALL, Target};

/// Calls of each target.
const ROUNDS: usize = 150;

/// Longest seed: small inputs find as much in less time.
const MAX_SEED: usize = 4 << 10;

/// Pseudo-random numbers, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % sides.max(1)
    }

    fn one_of<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> &'a T {
        all[self.below(all.len())]
    }

    /// A range within `length`.
    fn part(&mut self, length: usize) -> std::ops::Range<usize> {
        let start = self.below(length + 1);
        start..start + self.below((length - start).min(64) + 1)
    }
}

/// Fragments to insert.
const WORDS: &[&[u8]] = &[
    b"\n",
    b"\r\n",
    b"\"",
    b"\\",
    b"\\u0000",
    b"\\ud83d",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"\xff",
    b"\xc2\x9b",
    b"\xe2\x80\xae",
    b"\x1b[31m",
    b"\x00",
    b"1e999",
    b"-0",
    b"18446744073709551616",
    b"null",
    b"sk-ant-api03-AbCdEf",
    b"bearer ",
    b"password=",
    b"swordfish",
    b"-----BEGIN PRIVATE KEY-----",
    b"://a:b@",
    b"[EVENT:info:db] x",
    b"[MEMORY:a] b",
    b"::error::",
    b"\"type\":\"assistant\"",
    b"\"parent_tool_use_id\":\"t\"",
    b"\"harness\":\"codex\"",
    b"\"index\":1",
    b"\xef\xbb\xbf",
];

fn mutated(seeds: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let seed = &seeds[random.below(seeds.len())];
    // A part of it behind the byte that selects the variant.
    let start = random.below(seed.len().saturating_sub(MAX_SEED) + 1);
    let mut bytes = vec![u8::try_from(random.below(256)).unwrap()];
    bytes.extend(&seed[start..seed.len().min(start + MAX_SEED)]);
    for _ in 0..random.below(8) {
        let part = random.part(bytes.len());
        match random.below(6) {
            0 => drop(bytes.drain(part)),
            1 => bytes.truncate(part.end.max(1)),
            2 => {
                let copy = bytes[part.clone()].to_vec();
                bytes.splice(part.start..part.start, copy);
            }
            3 => {
                let other = &seeds[random.below(seeds.len())];
                let part_of_other = other[random.part(other.len())].to_vec();
                bytes.splice(part, part_of_other);
            }
            4 => bytes
                .splice(part.start..part.start, random.one_of(WORDS).iter().copied())
                .for_each(drop),
            _ => {
                if let Some(byte) = bytes.get_mut(part.start) {
                    *byte ^= 1 << random.below(8);
                }
            }
        }
    }
    bytes
}

/// Recordings, and the JSON test suite if it is present.
fn seeds() -> Vec<Vec<u8>> {
    let shared = root().join("../shared");
    let mut paths = Vec::new();
    let folders =
        [root().join("tests/fixtures"), shared.join("captures"), shared.join("more_captures")];
    for folder in folders {
        add_recordings(&folder, &mut paths);
    }
    paths.extend(files_in(&shared.join("JSONTestSuite/test_parsing")));
    paths.iter().map(|path| std::fs::read(path).unwrap()).collect()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn add_recordings(folder: &Path, paths: &mut Vec<PathBuf>) {
    for path in files_in(folder) {
        if path.is_dir() {
            add_recordings(&path, paths);
        } else if path.extension().is_some_and(|extension| extension == "jsonl") {
            paths.push(path);
        }
    }
}

fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// The number of calls: from the environment, and fewer where one takes long.
fn rounds(name: &str) -> usize {
    let requested = std::env::var("STREAMJ_FUZZ_ROUNDS").ok();
    let rounds = requested.map_or(ROUNDS, |rounds| rounds.parse().unwrap());
    if name == "threads" { rounds.div_ceil(30) } else { rounds }
}

fn run(name: &str, target: Target, seeds: &[Vec<u8>]) {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for round in 0..rounds(name) {
        let bytes = mutated(seeds, &mut random);
        let done = std::panic::catch_unwind(|| target(&bytes));
        assert!(done.is_ok(), "{name}, round {round}: b\"{}\"", bytes.escape_ascii());
    }
}

#[test]
fn properties_hold_for_mutated_recordings() {
    let seeds = seeds();
    assert!(seeds.len() > 30, "{}", seeds.len());
    std::thread::scope(|scope| {
        for (name, target) in ALL {
            scope.spawn(|| run(name, *target, &seeds));
        }
    });
}

#[test]
fn every_target_can_be_fuzzed() {
    let targets = files_in(&root().join("fuzz/fuzz_targets"));
    let targets: Vec<_> =
        targets.iter().map(|path| path.file_stem().unwrap().to_str().unwrap()).collect();
    let mut names: Vec<_> = ALL.iter().map(|(name, _)| *name).collect();
    names.sort_unstable();
    assert_eq!(targets, names);
    let manifest = std::fs::read_to_string(root().join("fuzz/Cargo.toml")).unwrap();
    for name in names {
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{name}");
    }
}
