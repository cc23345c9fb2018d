//! Finds secrets: one automaton finds the words of all rules, and the rule of each word
//! is tried where it was found.
//!
//! A search takes linear time: a rule is not tried inside of a secret that was found, and
//! otherwise examines a bounded number of bytes before it gives up.

use std::ops::Range;
use std::sync::OnceLock;

use aho_corasick::automaton::{Automaton as _, StateID};
use aho_corasick::dfa::DFA;
use aho_corasick::{Anchored as Unanchored, MatchKind};
use memchr::memmem;
use regex::bytes::Regex;
use regex_automata::dfa::{Automaton, StartKind, dense};
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input, MatchKind as DfaMatchKind, nfa::thompson};

use super::key_block::{KeyBlock, KeyStart};
use super::rules::{Place, RULES, Rule};

/// Name in reports of the values of environment variables.
const VARIABLE: &str = "environment-variable";

/// Name in reports of what the user's patterns match.
const OWN_PATTERN: &str = "own-pattern";

/// Bytes after which a rule gives up, with and without a context. A longer secret is
/// recognised by its start.
const MAX_VALUE: usize = 384;
const MAX_TOKEN: usize = 1280;

/// Parts of a line that are searched at once.
const LANES: usize = 4;

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
    words: Option<DFA>,
    /// The rule of each word; `None` for the value of a variable.
    rules: Vec<Option<usize>>,
    /// The words in order, with their rules.
    sorted: Vec<(Vec<u8>, Option<usize>)>,
    /// The length of the longest word.
    longest: usize,
    /// Patterns of the user.
    own: Vec<Regex>,
}

/// The automata of a rule.
struct Compiled {
    context: Option<dense::DFA<Vec<u32>>>,
    secret: Option<dense::DFA<Vec<u32>>>,
}

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
        let (words, rules): (Vec<_>, Vec<_>) = sorted.iter().cloned().unzip();
        let automaton = DFA::builder()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::Standard)
            .build(&words);
        let longest = words.iter().map(Vec::len).max().unwrap_or(1);
        Self { words: automaton.ok(), rules, sorted, longest, own }
    }

    /// Finds the secrets from `start` on in a text that is complete; the text before it was
    /// searched.
    pub(super) fn search(&self, text: &[u8], start: usize) -> Found {
        let mut found = Found::default();
        let is_complete = self.all_words(text, start, |word, rule| {
            match rule {
                None => found.add(word, VARIABLE, true),
                Some(rule) if !found.covers(word.start) => found.apply(rule, text, word),
                Some(_) => {}
            }
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

    /// Returns whether a line of JSON certainly has no secret in its strings.
    pub(super) fn is_clean(&self, line: &[u8]) -> bool {
        // An escape may split a word.
        memmem::find(line, b"\\u").is_none()
            && memmem::find(line, b"\\/").is_none()
            && !line.contains(&0x1b)
            && !self.own.iter().any(|own| own.is_match(line))
            && self.has_no_match(line)
    }

    /// Returns whether no rule may match in a line of JSON. The next state depends on the
    /// last one, so several parts of the line are searched at once.
    #[allow(clippy::needless_range_loop)] // the same position in all parts
    fn has_no_match(&self, line: &[u8]) -> bool {
        let is_harmless =
            |word, rule: Option<usize>| rule.is_some_and(|rule| !may_match(rule, line, word));
        // A part starts within the one before it, so that no word is missed.
        let overlap = self.longest - 1;
        let length = (line.len() + (LANES - 1) * overlap) / LANES;
        let (Some(words), true) = (&self.words, line.len() > 4 * LANES * overlap) else {
            return self.all_words(line, 0, is_harmless);
        };
        let Ok(start) = words.start_state(Unanchored::No) else { return false };
        let mut states = [start; LANES];
        let starts: [usize; LANES] = std::array::from_fn(|lane| lane * (length - overlap));
        let parts = starts.map(|start| &line[start..start + length]);
        for at in 0..length {
            for lane in 0..LANES {
                let state = words.next_state(Unanchored::No, states[lane], parts[lane][at]);
                states[lane] = state;
                if words.is_special(state)
                    && !self.words_at(words, state, starts[lane] + at, is_harmless)
                {
                    return false;
                }
            }
        }
        self.all_words(line, starts[LANES - 1] + length - overlap, is_harmless)
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
            is_accepted(range, self.rules[word.as_usize()])
        })
    }

    /// Calls `is_accepted` with every word and its rule until it returns false, and
    /// returns whether it never did. Words are frequent, so this is faster than an
    /// iterator over them.
    fn all_words(
        &self,
        text: &[u8],
        start: usize,
        mut is_accepted: impl FnMut(Range<usize>, Option<usize>) -> bool,
    ) -> bool {
        let Some(words) = &self.words else { return false };
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
                let index = self.sorted.partition_point(|(word, _)| word.as_slice() < part);
                let mut words =
                    self.sorted[index..].iter().take_while(|(word, _)| word.starts_with(part));
                let follows = |rule: usize| (RULES[rule].follows)(&text[..first + at]);
                // A word that equals the part was found as a whole.
                words.any(|(word, rule)| word.len() > part.len() && rule.is_none_or(follows))
            })
            .map(|at| first + at)
    }
}

impl Found {
    /// Tries a rule where one of its words was found.
    fn apply(&mut self, index: usize, text: &[u8], word: Range<usize>) {
        let rule = &RULES[index];
        if !(rule.follows)(&text[..word.start]) {
            return;
        }
        let compiled = compiled(index);
        let start = match rule.place {
            Place::KeyBlock => return self.apply_block(rule.name, text, word.start),
            Place::AtWord => word.start,
            Place::Behind(_) => {
                let walk = walk(compiled.context.as_ref(), text, word.end, MAX_VALUE);
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
                let mut block = KeyBlock::new(&text[..start]);
                let lines = start + length;
                let extent = block.clone().extend(&text[lines..], true);
                self.work += extent.length;
                self.add(start..lines + extent.length, rule, true);
                if lines + extent.length == text.len() && !extent.is_complete {
                    self.open_at(start);
                }
                if !block.extend(&text[lines..], false).is_complete {
                    self.block = Some((KeyBlock::new(&text[..start]), lines));
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
fn is_cut_token(rest: &[u8]) -> bool {
    let is_long = rest.len() >= MIN_CUT_TOKEN;
    is_long && rest.iter().any(u8::is_ascii_digit) && rest.iter().any(u8::is_ascii_alphabetic)
}

/// Returns whether a rule may match at a word of a line of JSON, once its strings are
/// decoded, or the word is the name of a member with a secret.
fn may_match(index: usize, line: &[u8], word: Range<usize>) -> bool {
    let rule = &RULES[index];
    if !(rule.follows)(&line[..word.start]) {
        return false;
    }
    let compiled = compiled(index);
    // An escape ends a walk that would go on in the decoded string.
    let may_go_on = |walk: &AutomatonWalk| line.get(walk.stop) == Some(&b'\\');
    let start = match rule.place {
        Place::KeyBlock => return !matches!(KeyStart::of(&line[word.start..]), KeyStart::None),
        Place::AtWord => word.start,
        Place::Behind(_) if is_name(line, word.end) => return true,
        Place::Behind(_) => {
            let walk = walk(compiled.context.as_ref(), line, word.end, MAX_VALUE);
            match walk.end {
                Some(end) => end,
                None => return may_go_on(&walk),
            }
        }
    };
    let walk = walk(compiled.secret.as_ref(), line, start, rule.limit());
    may_go_on(&walk)
        || walk.end.is_some_and(|end| (rule.accepts)(line, start..end))
        || is_cut_token(&line[start..walk.stop])
}

/// Returns whether the word that ends at `end` ends the name of a member that is not a
/// number.
fn is_name(line: &[u8], end: usize) -> bool {
    let value = line[end..].strip_prefix(b"\"").map(<[u8]>::trim_ascii_start);
    let value = value.and_then(|value| value.strip_prefix(b":")).map(<[u8]>::trim_ascii_start);
    value.is_some_and(|value| matches!(value, [b'"' | b'[' | b'{', ..]))
}

impl Rule {
    /// Returns the number of bytes that are examined at most.
    fn limit(&self) -> usize {
        if matches!(self.place, Place::AtWord) { MAX_TOKEN } else { MAX_VALUE }
    }

    /// Returns the end of the secret in a match: the sign behind a password in a URL is
    /// not part of it.
    fn end_of(&self, end: usize) -> usize {
        if self.secret.ends_with('@') { end - 1 } else { end }
    }
}

fn compiled(rule: usize) -> &'static Compiled {
    COMPILED[rule].get_or_init(|| {
        let Rule { place, secret, .. } = RULES[rule];
        let context = if let Place::Behind(context) = place { automaton(context) } else { None };
        Compiled { context, secret: automaton(secret) }
    })
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
