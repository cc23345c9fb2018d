//! Proposes rules for tool calls and their results.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use serde_json::Value;

use super::groups::{Group, INPUT};
use super::proposal::{Proposal, failure, quoted, quoted_list};

const CALL_ID: &[&str] = &["toolcallid", "callid", "tooluseid", "toolid", "id"];
const TOOL_NAME: &[&str] = &["toolname", "tool", "functionname", "function", "name", "title"];
const OUTPUT: &[&str] =
    &["output", "result", "value", "content", "stdout", "response", "observation", "text"];
const PROBLEM: &[&str] = &["error", "errormessage", "message"];

impl Proposal<'_, '_> {
    /// Proposes calls: an input beside a name; and results: an output beside the id of a call.
    pub(super) fn tools(&mut self) {
        let groups = self.groups;
        let mut calls = Vec::new();
        for (at, group) in groups.iter().enumerate() {
            let is_input = |value: &Value| {
                value.is_object() || value.as_str().is_some_and(|text| text.starts_with('{'))
            };
            let input = group.find(INPUT, is_input).first().copied();
            let name = group.find(TOOL_NAME, Value::is_string).first().copied();
            let Some((input, name)) = input.zip(name) else { continue };
            if group.mentions(&["tool", "function", "call", "action"]) || name.contains("ool") {
                calls.push((at, input, name));
            }
        }
        let mut known: BTreeSet<&str> = BTreeSet::new();
        // A group in which each id occurs once is better than one that repeats them.
        calls.sort_by_key(|(at, ..)| {
            id_of_call(groups, *at).is_none_or(|id| !is_unique(&groups[*at], id))
        });
        for (at, input, name) in calls {
            let group = &groups[at];
            let Some(id) = id_of_call(groups, at) else { continue };
            let ids: BTreeSet<&str> = group.texts(id).collect();
            self.tool_groups.insert(at);
            if ids.is_subset(&known) {
                continue;
            }
            known.extend(&ids);
            let fields = vec![("id", quoted(id)), ("name", quoted(name)), ("input", quoted(input))];
            self.add("tool_call", group, fields);
        }
        self.results(&known);
    }

    fn results(&mut self, known: &BTreeSet<&str>) {
        let groups = self.groups;
        let mut candidates = Vec::new();
        for (at, group) in groups.iter().enumerate() {
            let shares = |id: &&str| group.texts(id).any(|value| known.contains(value));
            let named = group.find(CALL_ID, Value::is_string);
            // Whatever its name, a member with the ids of calls refers to them.
            let mut ids = named.into_iter().chain(group.members.keys().map(String::as_str));
            if let Some(id) = ids.find(shares) {
                self.tool_groups.insert(at);
                candidates.push((group, id));
            }
        }
        // What some calls have beside their results repeats these.
        candidates.sort_by_key(|(group, _)| Reverse(group.objects.len()));
        let mut answered: BTreeSet<&str> = BTreeSet::new();
        for (group, id) in candidates {
            let output = output(group);
            let problem = group.find(PROBLEM, Value::is_string).into_iter().next();
            let has_id = |value: &&str| !answered.contains(value);
            let is_delta = group.mentions(&["delta", "update", "chunk", "progress", "start"]);
            if (output.is_none() && problem.is_none())
                || is_delta
                || !group.texts(id).any(|value| has_id(&value))
            {
                continue;
            }
            answered.extend(group.texts(id));
            let paths: Vec<&str> = output.into_iter().chain(problem).collect();
            // The parts of an output are no texts of the agent.
            let is_part = |(_, other): &(usize, &Group<'_>)| {
                let array = other.each.as_ref().map(|(array, _)| array.as_str());
                other.words == group.words && array.is_some_and(|array| paths.contains(&array))
            };
            let parts = groups.iter().enumerate().filter(is_part).map(|(at, _)| at);
            self.tool_groups.extend(parts);
            let mut fields = vec![("id", quoted(id)), ("output", quoted_list(&paths))];
            let number = |names| group.find(names, Value::is_number).into_iter().next();
            if let Some(code) = number(&["exitcode", "exit", "code"]) {
                fields.push(("exit_code", quoted(code)));
            }
            if let Some(time) = number(&["durationms"]) {
                fields.push(("duration_ms", quoted(time)));
            }
            fields.extend(failure(group).map(|failed| ("failed", failed)));
            self.add("tool_result", group, fields);
        }
    }
}

/// Returns the id of a call: of several, the one that lines of another kind repeat.
fn id_of_call<'g>(groups: &'g [Group<'_>], at: usize) -> Option<&'g str> {
    let group = &groups[at];
    let names = group.find(TOOL_NAME, Value::is_string);
    let is_name = |id: &&str| names.iter().any(|name| group.texts(name).eq(group.texts(id)));
    let mut ids = group.find(CALL_ID, Value::is_string);
    ids.retain(|id| !is_name(id));
    let repeated = |id: &&str| {
        let others = groups.iter().enumerate().filter(|(other, _)| *other != at);
        let own: BTreeSet<&str> = group.texts(id).collect();
        let mut others = others.flat_map(|(_, other)| {
            let ids = other.find(CALL_ID, Value::is_string);
            ids.into_iter().flat_map(|id| other.texts(id)).collect::<Vec<_>>()
        });
        own.len() == group.texts(id).count() && others.any(|value| own.contains(value))
    };
    ids.iter().copied().find(repeated).or(ids.first().copied())
}

/// Returns the output that most lines have, a text or a list rather than an object.
fn output<'g>(group: &'g Group<'_>) -> Option<&'g str> {
    let is_text = |value: &Value| value.is_string() || value.is_array();
    let mut best = None;
    for accept in [is_text, |value: &Value| value.is_object()] {
        for pointer in group.find(OUTPUT, accept) {
            let count = group.values(pointer).filter(|value| **value != "").count();
            if best.is_none_or(|(_, most)| count > most) {
                best = Some((pointer, count));
            }
        }
    }
    best.map(|(pointer, _)| pointer)
}

fn is_unique(group: &Group<'_>, pointer: &str) -> bool {
    group.texts(pointer).collect::<BTreeSet<_>>().len() == group.objects.len()
}
