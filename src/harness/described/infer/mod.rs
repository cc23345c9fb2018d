//! Proposes a description of the CLI that wrote a recording.
//!
//! Lines are grouped by the words that tell their kinds apart (`type`, `role`, …), and each
//! group is classified by the names and values of its members. Nothing here is specific to a
//! CLI, and nothing of a recording is printed but names of members and such words.

mod groups;
mod proposal;
mod tools;
mod usage;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use serde_json::Value;

use super::Description;
use groups::{Group, plain_name};
use proposal::{ProposedRule, has_words, propose, quoted, quoted_list};

/// Lines of a recording that are examined.
const MAX_LINES: usize = 20_000;

/// Members that often name the kind of a line, errors included.
const KIND_MEMBERS: &[&str] = &["/type", "/event", "/kind"];

/// Returns a description in TOML, or why there is none.
pub(crate) fn infer(recording: &[u8], name: &str) -> Result<String, String> {
    let lines = recording.split(|byte| *byte == b'\n');
    let objects = lines.filter_map(|line| serde_json::from_slice(line).ok());
    let objects: Vec<Value> = objects.filter(Value::is_object).take(MAX_LINES).collect();
    if objects.is_empty() {
        return Err("no line is a JSON object; record the events of a run, one per line".to_owned());
    }
    let groups = groups::group(&objects);
    let rules = propose(&groups, objects.len());
    let text = write(&objects, &groups, &rules, name);
    match Description::parse(&text) {
        Ok(_) => Ok(text),
        Err(_) => Err("the lines have no member in common that tells their kinds apart".to_owned()),
    }
}

/// Writes the description.
fn write(lines: &[Value], groups: &[Group<'_>], rules: &[ProposedRule], name: &str) -> String {
    let mut text = format!(
        "# Proposed by `streamj harness infer` from {} lines. Check each rule, then try it:\n\
         #   streamj --harness-file THIS_FILE view RECORDING\n\
         # docs/harnesses.md explains the format.\n\n\
         name = {}\n\
         # programs = [\"...\"]  # executables that `wrap` recognises\n",
        lines.len(),
        quoted(&harness_name(name)),
    );
    let session = scalar_member(lines, &["sessionid", "session", "threadid", "conversationid"]);
    for (key, pointers) in [
        ("session_id", session),
        ("time", scalar_member(lines, &["timestamp", "ts", "time", "createdat", "at"])),
    ] {
        if let Some(pointer) = pointers {
            put(&mut text, format_args!("{key} = {}\n", quoted(&pointer)));
        }
    }
    text.push_str(&recognition(lines, groups));
    for rule in rules {
        text.push_str(&section(rule));
    }
    if !rules.iter().any(|rule| rule.kind == "error") {
        text.push_str(&guessed_error(groups));
    }
    if !rules.iter().any(|rule| rule.kind == "end") {
        text.push_str(
            "\n# No line was recognised as the end of a run: a run is finished if its process exits\n\
             # with 0 and has printed an answer. If there is such a line, describe it:\n\
             # [[end]]\n# when = { type = \"...\" }\n",
        );
    }
    text.push_str(&other_lines(groups, rules));
    text
}

fn put(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    // Writing to a string never fails.
    let _ = text.write_fmt(arguments);
}

/// Returns a name that a description may have.
fn harness_name(name: &str) -> String {
    let is_allowed = |c: &char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_.".contains(*c);
    let name: String = name.to_lowercase().chars().filter(is_allowed).take(32).collect();
    let name = name.trim_start_matches(['-', '_', '.']);
    match crate::harness::Harness::from_name(name) {
        None if !name.is_empty() && name != "unknown" => name.to_owned(),
        _ => "my-agent".to_owned(),
    }
}

/// Returns the member of lines with one of these names that most lines have.
fn scalar_member(lines: &[Value], names: &[&str]) -> Option<String> {
    let mut counts: BTreeMap<(usize, &str), usize> = BTreeMap::new();
    for (key, value) in lines.iter().filter_map(Value::as_object).flatten() {
        let rank = names.iter().position(|name| *name == plain_name(key));
        if let Some(rank) = rank.filter(|_| value.is_string() || value.is_number()) {
            *counts.entry((rank, key)).or_default() += 1;
        }
    }
    let best =
        counts.into_iter().min_by_key(|((rank, _), count)| (std::cmp::Reverse(*count), *rank));
    best.map(|((_, key), _)| format!("/{}", key.replace('~', "~0").replace('/', "~1")))
}

/// Returns how lines are recognised: by members that all have, and by the words of one.
fn recognition(lines: &[Value], groups: &[Group<'_>]) -> String {
    let groups = || groups.iter().filter(|group| group.each.is_none());
    let mut words: BTreeMap<&str, (usize, BTreeSet<&str>)> = BTreeMap::new();
    for group in groups() {
        for (pointer, word) in
            group.words.iter().filter(|(pointer, _)| pointer.matches('/').count() == 1)
        {
            let entry = words.entry(pointer).or_default();
            entry.0 += group.objects.len();
            entry.1.insert(word);
        }
    }
    words.retain(|_, (count, _)| *count == lines.len());
    let kind = words.into_iter().max_by_key(|(_, (_, words))| words.len());
    let is_scalar = |value: &Value| value.is_string() || value.is_number() || value.is_boolean();
    let shared = lines[0]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(key, _)| key)
        .filter(|key| lines.iter().all(|line| line.get(key.as_str()).is_some_and(is_scalar)));
    let shared: Vec<String> = shared
        .map(|key| format!("/{}", key.replace('~', "~0").replace('/', "~1")))
        .filter(|pointer| kind.as_ref().is_none_or(|(own, _)| own != pointer))
        .take(6)
        .collect();
    let mut text = String::from(
        "\n# A line with these members is the CLI's. Lines of another kind belong to the CLI that\n\
         # the stream has shown before.\n[recognise]\n",
    );
    let is_empty = kind.is_none() && shared.is_empty();
    if let Some((pointer, (_, words))) = kind {
        let mut words: Vec<&str> = words.into_iter().collect();
        if KIND_MEMBERS.contains(&pointer) && !words.contains(&"error") {
            words.push("error");
        }
        put(
            &mut text,
            format_args!("when = {{ {} = {} }}\n", quoted(pointer), quoted_list(&words)),
        );
    }
    if !shared.is_empty() {
        let shared: Vec<&str> = shared.iter().map(String::as_str).collect();
        put(&mut text, format_args!("has = {}\n", quoted_list(&shared)));
    }
    if is_empty { String::new() } else { text }
}

fn section(rule: &ProposedRule) -> String {
    let table = |words: &BTreeMap<String, BTreeSet<String>>| {
        let pair = |(pointer, words): (&String, &BTreeSet<String>)| {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            format!("{} = {}", quoted(pointer), quoted_list(&words))
        };
        words.iter().map(pair).collect::<Vec<_>>().join(", ")
    };
    let what = if rule.each.is_some() { "element" } else { "line" };
    let mut text = format!("\n# {}\n[[{}]]\n", counted(rule.count, what), rule.kind);
    if rule.kind == "usage" {
        text.push_str("# per: are the counts those of a request, or of the run so far?\n");
    }
    if !rule.when.is_empty() {
        put(&mut text, format_args!("when = {{ {} }}\n", table(&rule.when)));
    }
    if let Some((array, words)) = &rule.each {
        put(&mut text, format_args!("each = {}\n", quoted(array)));
        if !words.is_empty() {
            put(&mut text, format_args!("where = {{ {} }}\n", table(words)));
        }
    }
    for (key, value) in &rule.fields {
        put(&mut text, format_args!("{key} = {value}\n"));
    }
    text
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Returns a rule for errors, which the recording does not contain.
fn guessed_error(groups: &[Group<'_>]) -> String {
    let pointers =
        groups.iter().flat_map(|group| &group.words).map(|(pointer, _)| pointer.as_str());
    let pointer = ["/type", "/event", "/kind"]
        .into_iter()
        .find(|own| pointers.clone().any(|found| found == *own));
    let Some(pointer) = pointer else { return String::new() };
    let messages = ["/message", "/error/message", "/error/data/message", "/error"];
    format!(
        "\n# A guess: the recording has no error.\n[[error]]\nwhen = {{ {} = \"error\" }}\nmessage = {}\n",
        quoted(pointer),
        quoted_list(&messages),
    )
}

/// Lists the kinds of lines that have no rule.
fn other_lines(groups: &[Group<'_>], rules: &[ProposedRule]) -> String {
    let has_rule = |group: &Group<'_>| {
        let (_, first) = group.objects[0];
        rules.iter().any(|rule| has_words(first, &rule.when))
    };
    let others = groups.iter().filter(|group| group.each.is_none() && !has_rule(group));
    let mut text = String::new();
    for group in others {
        if text.is_empty() {
            text.push_str("\n# Lines without a rule:\n");
        }
        let words: Vec<_> =
            group.words.iter().map(|(pointer, word)| format!("{pointer} = {word}")).collect();
        let members: Vec<&str> = group.members.keys().map(String::as_str).take(12).collect();
        let line = format!(
            "{} ({}): {}",
            words.join(", "),
            counted(group.objects.len(), "line"),
            members.join(" ")
        );
        // Names of members may contain anything.
        let is_plain = |c: char| c.is_alphanumeric() || matches!(c, ' '..='~');
        let line: String = line.chars().map(|c| if is_plain(c) { c } else { '?' }).collect();
        put(&mut text, format_args!("#   {line}\n"));
    }
    text
}
