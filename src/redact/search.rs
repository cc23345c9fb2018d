//! Finds secrets: one automaton finds the words of all rules, and the rule of each word
//! is tried where it was found.
//!
//! A search takes linear time: a rule is not tried inside of a secret that was found, and
//! otherwise examines a bounded number of bytes before it gives up.

use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use aho_corasick::automaton::{Automaton as _, StateID};
use aho_corasick::dfa::DFA;
use aho_corasick::{Anchored as Unanchored, MatchKind};
use memchr::memchr;
use regex::bytes::Regex;
use regex_automata::dfa::{Automaton, StartKind, dense};
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input, MatchKind as DfaMatchKind, nfa::thompson};

use super::key_block::{KeyBlock, KeyStart};
use super::rules::{ASSIGNED, Place, RULES, Rule};
use super::trigrams::Trigrams;

/// Name in reports of the values of environment variables.
const VARIABLE: &str = "environment-variable";

/// Name in reports of what the user's patterns match.
const OWN_PATTERN: &str = "own-pattern";

/// Bytes after which a rule gives up, with and without a context. A longer secret is
/// recognised by its start.
pub(super) const MAX_VALUE: usize = 384;
const MAX_TOKEN: usize = 1280;

/// Bytes before a word that its rule looks at, at most.
const MAX_BEFORE: usize = 64;

/// A token that ends with the text is masked if this much of it is there.
const MIN_CUT_TOKEN: usize = 8;

/// A secret in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Secret {
    pub(super) range: Range<usize>,
    /// The start of the word by which it was found.
    pub(super) from: usize,
    /// The name of its rule.
    pub(super) rule: &'static str,
    /// Whether it is recognised by itself, not by what is before it.
    pub(super) is_token: bool,
    /// Whether the text ends in it, before it is complete.
    pub(super) is_cut: bool,
}

/// What a search found.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The secrets, in order and disjoint.
    pub(super) secrets: Vec<Secret>,
    /// Tokens that the end of the text cuts.
    cut: Vec<Secret>,
    /// Where something starts that reaches the end of the text and may be longer.
    pub(super) open: Option<usize>,
    /// A private key that reaches the end of the text, and where its lines start.
    pub(super) block: Option<(KeyBlock, usize)>,
    /// Bytes that rules have examined.
    pub(super) work: usize,
}

/// Everything that is detected, ready to search.
#[derive(Debug)]
pub(super) struct Patterns {
    /// Finds the words of all rules. Without it everything is masked.
    automaton: OnceLock<Option<DFA>>,
    /// Finds where a word may start.
    trigrams: Option<Trigrams>,
    /// The words in order, each with its rule; `None` for the value of a variable.
    sorted: Vec<(Vec<u8>, Option<usize>)>,
    /// The length of the longest word.
    pub(super) longest: usize,
    /// Patterns of the user.
    pub(super) own: Vec<Regex>,
}

/// The automata of a rule.
pub(super) struct Compiled {
    context: Context,
    pub(super) secret: Option<dense::DFA<Vec<u32>>>,
}

enum Context {
    /// That of all names.
    Assignment,
    Own(Box<Option<dense::DFA<Vec<u32>>>>),
}

/// The context of names.
static ASSIGNMENT: LazyLock<Option<dense::DFA<Vec<u32>>>> = LazyLock::new(|| automaton(ASSIGNED));

/// Compiled when a word of the rule is found for the first time.
static COMPILED: [OnceLock<Compiled>; RULES.len()] = [const { OnceLock::new() }; RULES.len()];

/// How far an automaton got.
struct AutomatonWalk {
    /// The end of the longest match.
    end: Option<usize>,
    /// Where it stopped; the end of the text or the limit if a longer match is possible.
    stop: usize,
}

impl Patterns {
    /// Detects what the rules describe, these values, and what `own` matches.
    pub(super) fn new(values: &[Vec<u8>], own: Vec<Regex>) -> Self {
        let of_rules = RULES.iter().enumerate().flat_map(|(index, rule)| {
            let words = rule.words.iter().flat_map(|word| spelled_out(word));
            words.map(move |word| (word, Some(index)))
        });
        let of_values = values.iter().map(|value| (value.to_ascii_lowercase(), None));
        let mut sorted: Vec<_> = of_rules.chain(of_values).collect();
        sorted.sort_unstable();
        let words = || sorted.iter().map(|(word, _)| word.as_slice());
        let longest = words().map(<[u8]>::len).max().unwrap_or(1);
        let trigrams = Trigrams::new(words());
        Self { automaton: OnceLock::new(), trigrams, sorted, longest, own }
    }

    /// Returns the automaton that finds the words, which takes milliseconds to build.
    fn automaton(&self) -> Option<&DFA> {
        let build = || {
            let mut builder = DFA::builder();
            builder.ascii_case_insensitive(true).match_kind(MatchKind::Standard);
            builder.build(self.sorted.iter().map(|(word, _)| word)).ok()
        };
        self.automaton.get_or_init(build).as_ref()
    }

    /// Calls `is_accepted` with every word and its rule until it returns false, and returns
    /// whether it never did. For long texts with few words; they come in no particular order.
    pub(super) fn all_words_of_line(
        &self,
        line: &[u8],
        mut is_accepted: impl FnMut(Range<usize>, Option<usize>) -> bool,
    ) -> bool {
        let Some(trigrams) = &self.trigrams else {
            return self.all_words(line, 0, is_accepted);
        };
        trigrams.all(line, |at, words| {
            self.sorted[words].iter().all(|(word, rule)| {
                let range = at..at + word.len();
                let own = line.get(range.clone());
                let is_word = own.is_some_and(|own| own.eq_ignore_ascii_case(word));
                !is_word || is_accepted(range, *rule)
            })
        })
    }

    /// Finds the secrets from `start` on in a text that is complete; the text before it was
    /// searched.
    pub(super) fn search(&self, text: &[u8], start: usize) -> Found {
        let mut found = Found::default();
        let is_complete = self.all_words(text, start, |word, rule| {
            found.word(text, word, rule);
            true
        });
        if !is_complete {
            found.add(start..text.len(), "unknown", true);
        }
        for pattern in &self.own {
            for own in pattern.find_iter(text).filter(|own| !own.is_empty() && own.end() > start) {
                found.add(own.start().max(start)..own.end(), OWN_PATTERN, false);
            }
        }
        found.merge();
        found
    }

    /// Returns whether a text that is complete has a secret.
    pub(super) fn has_secret(&self, text: &[u8]) -> bool {
        let mut found = Found::default();
        let has_none = self.all_words(text, 0, |word, rule| {
            found.word(text, word, rule);
            found.secrets.is_empty() && found.cut.is_empty()
        });
        !has_none || self.own.iter().any(|own| own.find_iter(text).any(|own| !own.is_empty()))
    }

    /// Returns the private key that the end of a text belongs to, and where its lines start.
    pub(super) fn open_block(&self, text: &[u8]) -> Option<(KeyBlock, usize)> {
        let mut found = Found::default();
        self.all_words(text, 0, |word, rule| {
            if rule.is_some_and(|rule| matches!(RULES[rule].place, Place::KeyBlock)) {
                found.word(text, word, rule);
            }
            true
        });
        found.block
    }

    /// Finds the secrets in a text that may continue.
    pub(super) fn search_part(&self, text: &[u8], start: usize) -> Found {
        let mut found = self.search(text, start);
        if !self.own.is_empty() {
            // A pattern of the user may match anything within a line.
            let line = text[start..].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            found.open_at(start + line);
        }
        if let Some(at) = self.open_word(text, start) {
            found.open_at(at);
        }
        found
    }

    /// Returns whether a text without a word before it has no word, and does not end with the
    /// start of one. `before` is the end of the text before it.
    pub(super) fn is_harmless(&self, before: &[u8], text: &[u8]) -> bool {
        self.own.is_empty()
            && memchr(0x1b, text).is_none()
            && self.all_words_of_line(text, |_, _| false)
            && self.open_word_behind(before, text).is_none()
    }

    /// Returns where at the end of a text an incomplete word starts, given the end of the
    /// text before it.
    fn open_word_behind(&self, before: &[u8], text: &[u8]) -> Option<usize> {
        if text.len() >= self.longest + MAX_BEFORE {
            return self.open_word(text, 0);
        }
        let before = &before[before.len().saturating_sub(MAX_BEFORE)..];
        self.open_word(&[before, text].concat(), before.len())
    }

    /// Calls `is_accepted` with the words that end at `at`, and returns whether it always
    /// returned true.
    fn words_at(
        &self,
        words: &DFA,
        state: StateID,
        at: usize,
        mut is_accepted: impl FnMut(Range<usize>, Option<usize>) -> bool,
    ) -> bool {
        let count = if words.is_match(state) { words.match_len(state) } else { 0 };
        (0..count).all(|index| {
            let word = words.match_pattern(state, index);
            let range = at + 1 - words.pattern_len(word)..at + 1;
            is_accepted(range, self.sorted[word.as_usize()].1)
        })
    }

    /// Calls `is_accepted` with every word and its rule until it returns false, and
    /// returns whether it never did. Words are frequent, so this is faster than an
    /// iterator over them.
    pub(super) fn all_words(
        &self,
        text: &[u8],
        start: usize,
        mut is_accepted: impl FnMut(Range<usize>, Option<usize>) -> bool,
    ) -> bool {
        let Some(words) = self.automaton() else { return false };
        let Ok(mut state) = words.start_state(Unanchored::No) else { return false };
        for (at, byte) in text.iter().enumerate().skip(start) {
            state = words.next_state(Unanchored::No, state, *byte);
            if words.is_special(state) && !self.words_at(words, state, at, &mut is_accepted) {
                return false;
            }
        }
        true
    }

    /// Returns where at the end of a text an incomplete word starts.
    fn open_word(&self, text: &[u8], start: usize) -> Option<usize> {
        let first = text.len().saturating_sub(self.longest - 1).max(start);
        let tail = text[first..].to_ascii_lowercase();
        (0..tail.len())
            .find(|at| {
                let part = &tail[*at..];
                let mut words = self.sorted[self.words_from(part)]
                    .iter()
                    .take_while(|(word, _)| word.starts_with(part));
                let follows = |rule: usize| RULES[rule].follows.allows(&text[..first + at]);
                // A word that equals the part was found as a whole.
                words.any(|(word, rule)| word.len() > part.len() && rule.is_none_or(follows))
            })
            .map(|at| first + at)
    }

    /// Returns the indices of words among which those that start with `part` come first.
    fn words_from(&self, part: &[u8]) -> Range<usize> {
        let mut range = 0..self.sorted.len();
        if let Some(trigrams) = &self.trigrams {
            if !trigrams.has_start(part) {
                return 0..0;
            }
            if let Some(start) = part.first_chunk() {
                range = trigrams.words(*start);
            }
        }
        let earlier = self.sorted[range.clone()].partition_point(|(word, _)| &**word < part);
        range.start + earlier..range.end
    }
}

impl Found {
    /// Adds what a word stands for, which is the value of a variable or has a rule.
    fn word(&mut self, text: &[u8], word: Range<usize>, rule: Option<usize>) {
        match rule {
            None => self.add(word, VARIABLE, true),
            Some(rule) if !self.covers(word.start) => self.apply(rule, text, word),
            Some(_) => {}
        }
    }

    /// Tries a rule where one of its words was found.
    fn apply(&mut self, index: usize, text: &[u8], word: Range<usize>) {
        let rule = &RULES[index];
        if !rule.follows.allows(&text[..word.start]) {
            return;
        }
        let compiled = compiled(index);
        let start = match rule.place {
            Place::KeyBlock => return self.apply_block(rule.name, text, word.start),
            Place::AtWord => word.start,
            Place::Behind(_) => {
                let walk = walk(compiled.context(), text, word.end, MAX_VALUE);
                self.work += walk.stop - word.end;
                if walk.stop == text.len() {
                    self.open_at(word.start);
                }
                let Some(end) = walk.end else { return };
                end
            }
        };
        let mut reached = walk(compiled.secret.as_ref(), text, start, rule.limit());
        self.work += reached.stop - start;
        let accepts = |walk: &AutomatonWalk| {
            let secret = walk.end.map(|end| start..rule.end_of(end));
            secret.filter(|secret| (rule.accepts)(text, secret.clone()))
        };
        let mut secret = accepts(&reached);
        if secret.is_some() && reached.stop == start + rule.limit() {
            // Nothing within the secret is examined again.
            reached = walk(compiled.secret.as_ref(), text, start, usize::MAX);
            self.work += reached.stop - start;
            secret = reached.end.map(|end| start..rule.end_of(end));
        }
        let is_open = reached.stop == text.len();
        if is_open {
            self.open_at(word.start);
        }
        let is_cut =
            is_open && matches!(rule.place, Place::AtWord) && is_cut_token(&text[word.end..]);
        match secret {
            Some(range) => {
                let (rule, is_token) = (rule.name, rule.is_token);
                self.secrets.push(Secret {
                    range,
                    from: word.start,
                    rule,
                    is_token,
                    is_cut: false,
                });
            }
            None if is_cut && reached.end.is_none() => {
                let range = start..text.len();
                let is_token = rule.is_token;
                self.cut.push(Secret {
                    range,
                    from: start,
                    rule: rule.name,
                    is_token,
                    is_cut: true,
                });
            }
            None => {}
        }
    }

    fn apply_block(&mut self, rule: &'static str, text: &[u8], start: usize) {
        match KeyStart::of(&text[start..]) {
            KeyStart::None => {}
            KeyStart::Open => self.open_at(start),
            KeyStart::Complete(length) => {
                let block = KeyBlock::new(&text[..start]);
                let lines = start + length;
                let mut extent = block.clone().extend(&text[lines..], false);
                self.work += extent.examined;
                if !extent.is_complete {
                    extent = block.clone().extend(&text[lines..], true);
                    self.work += extent.examined;
                    self.block = Some((block, lines));
                }
                self.add(start..lines + extent.length, rule, true);
                if lines + extent.length == text.len() && !extent.is_complete {
                    self.open_at(start);
                }
            }
        }
    }

    fn add(&mut self, range: Range<usize>, rule: &'static str, is_token: bool) {
        let from = range.start;
        self.secrets.push(Secret { range, from, rule, is_token, is_cut: false });
    }

    /// Returns whether the last secret contains a byte.
    fn covers(&self, at: usize) -> bool {
        self.secrets.last().is_some_and(|last| last.range.contains(&at))
    }

    fn open_at(&mut self, at: usize) {
        self.open = Some(self.open.map_or(at, |open| open.min(at)));
    }

    /// Sorts the secrets and merges those that overlap.
    fn merge(&mut self) {
        self.secrets.append(&mut self.cut);
        self.secrets.sort_by_key(|secret| (secret.range.start, secret.range.end));
        self.secrets.dedup_by(|next, last| {
            let overlaps = next.range.start <= last.range.end;
            if overlaps {
                last.from = last.from.min(next.from);
            }
            if overlaps && next.range.end > last.range.end {
                last.range.end = next.range.end;
                last.is_cut = next.is_cut;
            }
            overlaps
        });
    }
}

/// Returns the words that a word with lists of characters stands for: `s[ab]` for `sa` and
/// `sb`.
fn spelled_out(word: &str) -> Vec<Vec<u8>> {
    let Some((before, (characters, after))) =
        word.split_once('[').and_then(|(before, rest)| Some((before, rest.split_once(']')?)))
    else {
        return vec![word.as_bytes().to_vec()];
    };
    let words = characters.chars().map(|character| format!("{before}{character}{after}"));
    words.flat_map(|word| spelled_out(&word)).collect()
}

/// Returns whether the start of a token is worth masking.
pub(super) fn is_cut_token(rest: &[u8]) -> bool {
    let is_long = rest.len() >= MIN_CUT_TOKEN;
    is_long && rest.iter().any(u8::is_ascii_digit) && rest.iter().any(u8::is_ascii_alphabetic)
}

impl Rule {
    /// Returns the number of bytes that are examined at most.
    pub(super) fn limit(&self) -> usize {
        if matches!(self.place, Place::AtWord) { MAX_TOKEN } else { MAX_VALUE }
    }

    /// Returns the end of the secret in a match: the sign behind a password in a URL is
    /// not part of it.
    fn end_of(&self, end: usize) -> usize {
        if self.secret.ends_with('@') { end - 1 } else { end }
    }
}

pub(super) fn compiled(rule: usize) -> &'static Compiled {
    COMPILED[rule].get_or_init(|| {
        let Rule { place, secret, .. } = RULES[rule];
        let context = match place {
            Place::Behind(ASSIGNED) => Context::Assignment,
            Place::Behind(pattern) => Context::Own(automaton(pattern).into()),
            Place::AtWord | Place::KeyBlock => Context::Own(None.into()),
        };
        Compiled { context, secret: automaton(secret) }
    })
}

impl Compiled {
    /// Returns the automaton of what is between a word and the secret.
    pub(super) fn context(&self) -> Option<&dense::DFA<Vec<u32>>> {
        match &self.context {
            Context::Assignment => ASSIGNMENT.as_ref(),
            Context::Own(own) => own.as_ref().as_ref(),
        }
    }
}

fn automaton(pattern: &str) -> Option<dense::DFA<Vec<u32>>> {
    dense::Builder::new()
        .syntax(syntax::Config::new().unicode(false).utf8(false).case_insensitive(true))
        .thompson(thompson::Config::new().utf8(false))
        .configure(
            dense::Config::new()
                .start_kind(StartKind::Anchored)
                .match_kind(DfaMatchKind::All)
                .accelerate(false),
        )
        .build(pattern)
        .ok()
}

/// Runs an automaton from `start` over at most `limit` bytes. Without one, everything
/// matches.
fn walk(
    automaton: Option<&dense::DFA<Vec<u32>>>,
    text: &[u8],
    start: usize,
    limit: usize,
) -> AutomatonWalk {
    let whole = AutomatonWalk { end: Some(text.len()), stop: text.len() };
    let Some(dfa) = automaton else { return whole };
    let input = Input::new(text).anchored(Anchored::Yes).range(start..);
    let Ok(mut state) = dfa.start_state_forward(&input) else { return whole };
    let mut end = None;
    let last = text.len().min(start.saturating_add(limit));
    for (at, byte) in text[start..last].iter().enumerate().map(|(at, byte)| (start + at, byte)) {
        state = dfa.next_state(state, *byte);
        if dfa.is_special_state(state) {
            if dfa.is_dead_state(state) {
                return AutomatonWalk { end, stop: at };
            }
            // A match is reported one byte after its end.
            if dfa.is_match_state(state) {
                end = Some(at);
            }
        }
    }
    if dfa.is_match_state(dfa.next_eoi_state(state)) {
        end = Some(last);
    }
    AutomatonWalk { end, stop: last }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::rules::tests::example;

    #[test]
    fn search_takes_linear_time_for_any_input() {
        let patterns = Patterns::new(&[], Vec::new());
        let hostile = [
            "-eyJaaaaaaaa-AKIA0123456789ABCDEF",
            "password=",
            "pwd=",
            "://a:",
            "-eyJ",
            "-eyJaaaaaaaa.",
            "-----BEGIN PRIVATE KEY-----",
            "-----BEGIN PRIVATE KEY-----\n",
            "-----BEGIN PRIVATE KEY-----abc",
            "-----BEGIN PGP PRIVATE KEY BLOCK-----abc",
            "-----BEGIN PRIVATE KEY-----\\\\\\\\\\\\\\\\\\\\\\\\",
            "machine x login ",
            "curl -u a:bcd",
            " MTaaaaaaaaaaaaaaaaaaaaaaaaa",
            "LS0tLS1CRUdJTiBQUklW",
            "cookie: a=",
            "hf_",
        ];
        let examples = RULES.iter().map(|rule| example(rule).0);
        for unit in hostile.into_iter().map(str::to_owned).chain(examples) {
            let work = |bytes: usize| {
                let text = unit.repeat(bytes.div_ceil(unit.len()));
                patterns.search(text.as_bytes(), 0).work
            };
            let [once, twice, four_times] = [1 << 16, 1 << 17, 1 << 18].map(work);
            // Twice the input is twice the work; less is examined at the end of the text.
            let slack = 4 * MAX_TOKEN;
            assert!(twice <= once * 21 / 10 + slack, "{unit}: {once} {twice}");
            assert!(four_times <= once * 42 / 10 + slack, "{unit}: {once} {four_times}");
            assert!(once <= 192 * (1 << 16), "{unit}: {once}");
        }
    }
}
