//! Finds out which groups of lines are texts, tool calls, counts and so on, by the names and
//! values of their members.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use serde_json::Value;

use super::groups::{Group, Word};

/// A proposed rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ProposedRule {
    /// The name of its table.
    pub(super) kind: &'static str,
    /// Words of the line, by pointer.
    pub(super) when: BTreeMap<String, BTreeSet<String>>,
    /// The array, and words of its elements.
    pub(super) each: Option<(String, BTreeMap<String, BTreeSet<String>>)>,
    /// Members and their values in TOML.
    pub(super) fields: Vec<(&'static str, String)>,
    /// The number of lines.
    pub(super) count: usize,
}

const TEXT: &[&str] = &["text", "content", "message", "response", "answer", "thinking", "thought"];
/// Returns the proposed rules.
pub(super) fn propose(groups: &[Group<'_>], lines: usize) -> Vec<ProposedRule> {
    let mut proposal = Proposal { groups, lines, rules: Vec::new(), tool_groups: BTreeSet::new() };
    proposal.tools();
    proposal.texts();
    proposal.session();
    proposal.usage();
    proposal.errors();
    proposal.end();
    proposal.simplified()
}

/// The rules so far.
pub(super) struct Proposal<'p, 'r> {
    pub(super) groups: &'p [Group<'r>],
    lines: usize,
    rules: Vec<ProposedRule>,
    /// Groups with calls or results.
    pub(super) tool_groups: BTreeSet<usize>,
}

impl Proposal<'_, '_> {
    /// Adds a rule for a group.
    pub(super) fn add(
        &mut self,
        kind: &'static str,
        group: &Group<'_>,
        fields: Vec<(&'static str, String)>,
    ) {
        let words = |words: &[Word]| {
            let own = |(pointer, word): &Word| (pointer.clone(), BTreeSet::from([word.clone()]));
            words.iter().map(own).collect()
        };
        self.rules.push(ProposedRule {
            kind,
            when: words(&group.words),
            each: group.each.as_ref().map(|(array, own)| (array.clone(), words(own))),
            fields,
            count: group.objects.len(),
        });
    }

    fn texts(&mut self) {
        let groups = self.groups;
        let mut written: BTreeSet<&str> = BTreeSet::new();
        let mut thoughts: BTreeSet<&str> = BTreeSet::new();
        let deltas: Vec<Option<&str>> = groups.iter().map(|group| delta(group)).collect();
        for (at, group) in groups.iter().enumerate() {
            let is_reasoning = group.mentions(&["reason", "think", "thought"]);
            let of_agent = group.mentions(&[
                "assistant",
                "agent",
                "model",
                "bot",
                "text",
                "message",
                "say",
                "answer",
                "response",
                "content",
                "reason",
                "think",
                "thought",
                "delta",
                "chunk",
                "token",
            ]);
            let is_other = self.tool_groups.contains(&at)
                || group.mentions(&["tool", "error", "fail", "system", "usage", "meta"])
                || !of_agent;
            if is_other {
                continue;
            }
            if let Some(text) = deltas[at] {
                let fields = with_message(group, vec![("text", quoted(text))]);
                let kind = if is_reasoning { "reasoning_delta" } else { "delta" };
                self.add(kind, group, fields);
                continue;
            }
            // A line with a part may also have the message so far.
            let has_delta = |(other, delta): (&Group<'_>, Option<&str>)| {
                delta.is_some() && other.words == group.words
            };
            if groups.iter().zip(deltas.iter().copied()).any(has_delta) {
                continue;
            }
            let Some(text) = group.find(TEXT, is_text).into_iter().next() else {
                continue;
            };
            let texts: BTreeSet<&str> = group.texts(text).filter(|text| !text.is_empty()).collect();
            if group.mentions(&["user", "human", "prompt"]) {
                self.add("prompt", group, vec![("text", quoted(text))]);
                continue;
            }
            let known = if is_reasoning { &mut thoughts } else { &mut written };
            if texts.is_subset(known) || is_start(group) {
                continue;
            }
            known.extend(texts);
            let fields = with_message(group, vec![("text", quoted(text))]);
            self.add(if is_reasoning { "reasoning" } else { "text" }, group, fields);
        }
    }

    /// Proposes the line that describes the session: the first with a model or a folder.
    fn session(&mut self) {
        let groups = self.groups;
        let fields = |group: &Group<'_>| {
            let find = |names| group.find(names, Value::is_string).into_iter().next().map(quoted);
            let fields = [
                ("model", find(&["model", "modelid", "modelname"])),
                ("cwd", find(&["cwd", "workdir", "workingdirectory", "directory"])),
                ("version", find(&["version", "cliversion"])),
            ];
            fields.into_iter().filter_map(|(key, value)| Some((key, value?))).collect::<Vec<_>>()
        };
        let described =
            groups.iter().filter(|group| group.each.is_none() && !fields(group).is_empty());
        let first = described.min_by_key(|group| group.objects[0].0);
        if let Some(group) = first.filter(|group| group.objects.len() == 1) {
            self.add("session", group, fields(group));
        }
    }

    /// Returns whether the last line of a group is one of the last lines.
    pub(super) fn is_near_end(&self, group: &Group<'_>) -> bool {
        group.objects.last().is_some_and(|(line, _)| line + 2 >= self.lines)
    }

    fn errors(&mut self) {
        let groups = self.groups;
        for (at, group) in groups.iter().enumerate() {
            if self.tool_groups.contains(&at) || !group.mentions(&["error", "fail"]) {
                continue;
            }
            let names = &["message", "error", "errormessage", "text", "content", "detail"];
            let Some(message) = group.find(names, Value::is_string).into_iter().next() else {
                continue;
            };
            let mut fields = vec![("message", quoted(message))];
            let status = group.find(&["statuscode", "status", "code"], Value::is_number);
            fields.extend(status.first().map(|status| ("status", quoted(status))));
            self.add("error", group, fields);
        }
    }

    /// Proposes the end: the kind of the last line, if it occurs once, or a reason that only
    /// the last line of its kind has.
    fn end(&mut self) {
        let groups = self.groups;
        let lines = groups.iter().filter(|group| group.each.is_none());
        let Some(group) = lines.max_by_key(|group| group.objects.last().map(|(line, _)| *line))
        else {
            return;
        };
        let number = |names| group.find(names, Value::is_number).into_iter().next().map(quoted);
        let mut fields = Vec::new();
        fields.extend(failure(group).map(|failed| ("failed", failed)));
        let problem = group.find(&["errormessage", "error"], Value::is_string);
        fields.extend(problem.first().map(|message| ("message", quoted(message))));
        fields.extend(
            number(&["totalcostusd", "costusd", "totalcost", "cost"])
                .map(|cost| ("cost_usd", cost)),
        );
        fields.extend(number(&["durationms"]).map(|time| ("duration_ms", time)));
        fields.extend(number(&["numturns", "turns"]).map(|turns| ("turns", turns)));
        if group.objects.len() == 1 && group.mentions(END_WORDS) {
            let answer = group
                .find(&["result", "finaltext", "answer", "text", "response"], Value::is_string);
            fields.extend(answer.first().map(|text| ("text", quoted(text))));
            return self.add("end", group, fields);
        }
        let reasons =
            group.find(&["reason", "finishreason", "stopreason", "status"], Value::is_string);
        for pointer in reasons {
            let values: Vec<&str> = group.texts(pointer).collect();
            let Some((last, before)) = values.split_last() else { continue };
            if !before.contains(last) && values.len() == group.objects.len() {
                // Its cost is that of the last request.
                fields.retain(|(key, _)| *key != "cost_usd");
                self.add("end", group, fields);
                if let Some(rule) = self.rules.last_mut() {
                    rule.when.insert(pointer.to_owned(), BTreeSet::from([(*last).to_owned()]));
                    rule.count = 1;
                }
                return;
            }
        }
    }

    /// Merges rules that differ in one word, and drops words that tell nothing apart.
    fn simplified(self) -> Vec<ProposedRule> {
        let Self { groups, rules, .. } = self;
        let mut merged: Vec<ProposedRule> = Vec::new();
        for rule in rules {
            let same = merged.iter_mut().find(|known| {
                known.kind == rule.kind
                    && known.fields == rule.fields
                    && known.each == rule.each
                    && union(&known.when, &rule.when).is_some_and(|when| {
                        let covered = matching(groups, &when);
                        covered <= matching(groups, &known.when) + matching(groups, &rule.when)
                    })
            });
            match same {
                Some(known) => {
                    known.when = union(&known.when, &rule.when).unwrap_or_default();
                    known.count += rule.count;
                }
                None => merged.push(rule),
            }
        }
        for rule in &mut merged {
            let mut pointers: Vec<String> = rule.when.keys().cloned().collect();
            pointers.sort_by_key(|pointer| std::cmp::Reverse(pointer.matches('/').count()));
            let covered = matching(groups, &rule.when);
            for pointer in pointers.iter().filter(|pointer| pointer.matches('/').count() > 1) {
                let mut fewer = rule.when.clone();
                fewer.remove(pointer);
                if !fewer.is_empty() && matching(groups, &fewer) == covered {
                    rule.when = fewer;
                }
            }
        }
        merged
    }
}

/// Words of a line that ends a run.
const END_WORDS: &[&str] =
    &["end", "done", "result", "finish", "complet", "stop", "exit", "final", "settled", "close"];

/// Returns the number of lines that have these words.
fn matching(groups: &[Group<'_>], when: &BTreeMap<String, BTreeSet<String>>) -> usize {
    let lines = groups.iter().filter(|group| group.each.is_none());
    lines.flat_map(|group| &group.objects).filter(|(_, line)| has_words(line, when)).count()
}

/// Returns whether a line has these words.
pub(super) fn has_words(line: &Value, when: &BTreeMap<String, BTreeSet<String>>) -> bool {
    when.iter().all(|(pointer, words)| {
        let word = line.pointer(pointer).and_then(Value::as_str);
        word.is_some_and(|word| words.contains(word))
    })
}

/// Returns the words of either, for the members that both have.
fn union(
    one: &BTreeMap<String, BTreeSet<String>>,
    other: &BTreeMap<String, BTreeSet<String>>,
) -> Option<BTreeMap<String, BTreeSet<String>>> {
    let both = one.iter().filter_map(|(pointer, words)| {
        Some((pointer.clone(), words.union(other.get(pointer)?).cloned().collect()))
    });
    let both: BTreeMap<_, _> = both.collect();
    (!both.is_empty()).then_some(both)
}

/// Returns the part of a text that is being written.
fn delta<'g>(group: &'g Group<'_>) -> Option<&'g str> {
    let named =
        group.find(&["delta", "deltacontent", "textdelta", "chunk", "token"], Value::is_string);
    let is_part =
        !group.find(&["delta", "partial", "ispartial"], |value| *value == true).is_empty()
            || group.mentions(&["delta", "chunk", "token", "partial"]);
    let text = || group.find(TEXT, is_text).into_iter().next().filter(|_| is_part);
    named.into_iter().next().or_else(text)
}

/// Returns whether a value is a text rather than an id.
fn is_text(value: &Value) -> bool {
    let has = |text: &str, is: fn(&char) -> bool| text.chars().any(|c| is(&c));
    let is_id = |text: &str| {
        let is_word = text.chars().all(|c| c.is_ascii_alphanumeric() || "_-:.".contains(c));
        is_word && has(text, char::is_ascii_digit) && has(text, char::is_ascii_alphabetic)
    };
    value.as_str().is_some_and(|text| !is_id(text))
}

/// Returns whether lines only announce what others contain.
fn is_start(group: &Group<'_>) -> bool {
    group.mentions(&["_start", ".start", "-start", "started", "begin"])
}

/// Adds the id of the message, if lines have one.
fn with_message(
    group: &Group<'_>,
    mut fields: Vec<(&'static str, String)>,
) -> Vec<(&'static str, String)> {
    // Those of an element are in its line, which is not examined here.
    if group.each.is_none() {
        let id = group.find(&["messageid", "msgid"], Value::is_string);
        fields.extend(id.first().map(|id| ("message_id", quoted(id))));
    }
    fields
}

/// Returns when a call or a run has failed.
pub(super) fn failure(group: &Group<'_>) -> Option<String> {
    let flag = |names| group.find(names, Value::is_boolean).into_iter().next();
    if let Some(failed) = flag(&["iserror", "failed", "haserror", "error"]) {
        return Some(quoted(failed));
    }
    if let Some(success) = flag(&["success", "ok", "succeeded"]) {
        return Some(format!("{{ {} = false }}", quoted(success)));
    }
    let status = group.find(&["status", "outcome", "subtype", "finishreason"], Value::is_string);
    let status = status.first()?;
    let words = "[\"error\", \"failed\", \"failure\", \"cancelled\", \"aborted\"]";
    Some(format!("{{ {} = {words} }}", quoted(status)))
}

/// Returns a text in TOML.
pub(super) fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            ' '..='~' => quoted.push(c),
            c if c.is_alphanumeric() => quoted.push(c),
            // Control characters, and those that a terminal does not show.
            c => {
                // Writing to a string never fails.
                let _ = write!(quoted, "\\U{:08x}", u32::from(c));
            }
        }
    }
    quoted + "\""
}

/// Returns a text, or a list of texts, in TOML.
pub(super) fn quoted_list(texts: &[&str]) -> String {
    match texts {
        [text] => quoted(text),
        texts => {
            format!("[{}]", texts.iter().map(|text| quoted(text)).collect::<Vec<_>>().join(", "))
        }
    }
}
