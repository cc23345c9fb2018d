//! The fuzz targets on a stable compiler: seeds, changed in ways that a dice
//! decides. `STREAMJ_FUZZ_ROUNDS=100000 cargo test --test suite fuzz` looks
//! for longer.

pub mod bodies;
mod found;

use std::path::Path;

use crate::support::{fixtures, recordings_under, root};

use bodies::{ALL, Body};

/// How often each body is called.
const ROUNDS: usize = 150;

/// No seed is longer: small inputs find as much, and sooner.
const LONGEST: usize = 4 << 10;

/// A dice that falls the same way every time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % sides.max(1)
    }

    fn one_of<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> &'a T {
        all[self.below(all.len())]
    }

    /// A part of something `length` long.
    fn part(&mut self, length: usize) -> std::ops::Range<usize> {
        let start = self.below(length + 1);
        start..start + self.below((length - start).min(64) + 1)
    }
}

/// What is worth putting anywhere.
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

fn mutated(seeds: &[Vec<u8>], dice: &mut Dice) -> Vec<u8> {
    let seed = &seeds[dice.below(seeds.len())];
    // Some lines of it, behind the byte that chooses.
    let start = dice.below(seed.len().saturating_sub(LONGEST) + 1);
    let mut bytes = vec![u8::try_from(dice.below(256)).unwrap()];
    bytes.extend(&seed[start..seed.len().min(start + LONGEST)]);
    for _ in 0..dice.below(8) {
        let part = dice.part(bytes.len());
        match dice.below(6) {
            0 => drop(bytes.drain(part)),
            1 => bytes.truncate(part.end.max(1)),
            2 => {
                let copy = bytes[part.clone()].to_vec();
                bytes.splice(part.start..part.start, copy);
            }
            3 => {
                let other = &seeds[dice.below(seeds.len())];
                let piece = other[dice.part(other.len())].to_vec();
                bytes.splice(part, piece);
            }
            4 => bytes
                .splice(part.start..part.start, dice.one_of(WORDS).iter().copied())
                .for_each(drop),
            _ => {
                if let Some(byte) = bytes.get_mut(part.start) {
                    *byte ^= 1 << dice.below(8);
                }
            }
        }
    }
    bytes
}

/// Recordings, and the JSON test suite where it is at hand.
fn seeds() -> Vec<Vec<u8>> {
    let mut paths = fixtures();
    let shared = root().join("../shared");
    let captures = shared.join("captures");
    if captures.exists() {
        paths.extend(recordings_under(&captures));
    }
    paths.extend(files_in(&shared.join("JSONTestSuite/test_parsing")));
    paths.iter().map(|path| std::fs::read(path).unwrap()).collect()
}

fn files_in(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// How often: as the environment says, and less where a round is long.
fn rounds(name: &str) -> usize {
    let told = std::env::var("STREAMJ_FUZZ_ROUNDS").ok();
    let rounds = told.map_or(ROUNDS, |told| told.parse().unwrap());
    if name == "threads" { rounds.div_ceil(30) } else { rounds }
}

fn run(name: &str, body: Body, seeds: &[Vec<u8>]) {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    for round in 0..rounds(name) {
        let bytes = mutated(seeds, &mut dice);
        let done = std::panic::catch_unwind(|| body(&bytes));
        assert!(done.is_ok(), "{name}, round {round}: b\"{}\"", bytes.escape_ascii());
    }
}

#[test]
fn no_mutation_of_a_seed_breaks_what_must_hold() {
    let seeds = seeds();
    assert!(seeds.len() > 30, "{}", seeds.len());
    std::thread::scope(|scope| {
        for (name, body) in ALL {
            scope.spawn(|| run(name, *body, &seeds));
        }
    });
}

#[test]
fn every_body_is_a_fuzz_target() {
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
