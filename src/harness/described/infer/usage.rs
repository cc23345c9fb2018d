//! Proposes rules for tokens.

use std::cmp::Reverse;

use serde_json::Value;

use super::groups::Group;
use super::proposal::{Proposal, quoted};

const TOKENS_IN: &[&str] =
    &["inputtokens", "prompttokens", "input", "tokensin", "prompt", "in", "totalinputtokens"];
const TOKENS_OUT: &[&str] = &[
    "outputtokens",
    "completiontokens",
    "output",
    "tokensout",
    "completion",
    "out",
    "totaloutputtokens",
];

impl Proposal<'_, '_> {
    /// Proposes counts: input and output in one object. Those of the run are better than those
    /// of requests.
    pub(super) fn usage(&mut self) {
        let groups = self.groups;
        let mut found = Vec::new();
        for group in groups.iter().filter(|group| group.each.is_none()) {
            let outputs = group.find(TOKENS_OUT, Value::is_number);
            let pair = group.find(TOKENS_IN, Value::is_number).into_iter().find_map(|input| {
                let same = |output: &&&str| parent(output) == parent(input);
                Some((input, *outputs.iter().find(same)?))
            });
            if let Some((input, output)) = pair {
                let is_request = group.mentions(&["step", "message", "request", "generation"]);
                let is_last = group.objects.len() == 1 && self.is_near_end(group) && !is_request;
                found.push((group, input, output, is_last || grows(group, input, output)));
            }
        }
        let has_total = found.iter().any(|(.., is_total)| *is_total);
        let mut kept = found.into_iter().filter(|(.., is_total)| *is_total == has_total);
        let chosen: Vec<_> = if has_total {
            kept.max_by_key(|(group, ..)| group.objects.last().map(|(line, _)| *line))
                .into_iter()
                .collect()
        } else {
            // The same counts on another line are those of the same request.
            let mut all: Vec<_> = kept.by_ref().collect();
            all.sort_by_key(|(group, input, ..)| {
                let sum: u64 = group.values(input).filter_map(Value::as_u64).sum();
                Reverse((group.objects.len(), sum))
            });
            all.truncate(1);
            all
        };
        for (group, input, output, _) in chosen {
            let fields = usage_fields(group, input, output, has_total);
            self.add("usage", group, fields);
        }
    }
}

/// Returns the pointer to the object that contains a member.
fn parent(pointer: &str) -> &str {
    pointer.rsplit_once('/').map_or("", |(parent, _)| parent)
}

/// Returns whether counts only grow, so that they cover everything before.
fn grows(group: &Group<'_>, input: &str, output: &str) -> bool {
    let values = |pointer| group.values(pointer).filter_map(Value::as_u64).collect::<Vec<_>>();
    let is_growing = |counts: &[u64]| counts.windows(2).all(|pair| pair[0] < pair[1]);
    let (inputs, outputs) = (values(input), values(output));
    inputs.len() > 2 && is_growing(&inputs) && is_growing(&outputs)
}

fn usage_fields(
    group: &Group<'_>,
    input: &str,
    output: &str,
    is_total: bool,
) -> Vec<(&'static str, String)> {
    let beside = |names: &[&str]| {
        let near = |pointer: &&str| pointer.starts_with(parent(input));
        group.find(names, Value::is_number).into_iter().find(near)
    };
    let read = beside(&[
        "cachereadinputtokens",
        "cachereadtokens",
        "cachedinputtokens",
        "cachedtokens",
        "cached",
        "cacheread",
        "read",
    ]);
    let write = beside(&[
        "cachecreationinputtokens",
        "cachewritetokens",
        "cachewriteinputtokens",
        "cachewrite",
        "write",
    ]);
    let reasoning = beside(&["reasoningtokens", "reasoning", "thinkingtokens", "thoughts"]);
    let total = beside(&["totaltokens", "total"]);
    let sum = |pointer: Option<&str>| -> u64 {
        pointer
            .into_iter()
            .flat_map(|pointer| group.values(pointer))
            .filter_map(Value::as_u64)
            .sum()
    };
    let counted = sum(Some(input)) + sum(Some(output));
    let (cache, thought, all) = (sum(read) + sum(write), sum(reasoning), sum(total));
    let has_total = all > 0 && cache > 0;
    let excludes_cache = if has_total && all == counted + cache {
        true
    } else if has_total && (all == counted || all == counted + thought) {
        false
    } else if has_total && all == counted + cache + thought {
        true
    } else {
        // APIs that call it "cached" count it as input.
        sum(read) > sum(Some(input))
            || read.is_some_and(|read| !read.to_lowercase().contains("cached"))
    };
    let lacks_reasoning = thought > 0
        && (all == counted + thought || (all == counted + cache + thought && excludes_cache));
    let mut fields = vec![
        ("per", quoted(if is_total { "run" } else { "request" })),
        ("input", quoted(input)),
        ("output", quoted(output)),
    ];
    let mut add =
        |key, pointer: Option<&str>| fields.extend(pointer.map(|pointer| (key, quoted(pointer))));
    add("cache_read", read);
    add("cache_write", write);
    add("reasoning", reasoning);
    if !is_total {
        let cost = group.find(&["costusd", "cost", "usd"], Value::is_number);
        add("cost_usd", cost.first().copied());
        let model = group.find(&["model", "modelid"], Value::is_string);
        add("model", model.first().copied());
    }
    if read.is_some() || write.is_some() {
        fields.push(("input_includes_cache", (!excludes_cache).to_string()));
    }
    if lacks_reasoning {
        fields.push(("output_includes_reasoning", "false".to_owned()));
    }
    fields
}
