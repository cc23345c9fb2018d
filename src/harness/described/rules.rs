//! The rules of a description: which lines have which events, and where their members are.

use super::lookup::{Conditions, Flag, Paths, Pointer};
use crate::json::Value;

/// Which lines, or elements of an array in them, have an event.
#[derive(Clone, Debug)]
pub(super) struct Rule<F> {
    /// Conditions on the line.
    pub(super) when: Conditions,
    /// The array whose elements have an event each.
    pub(super) each: Option<Pointer>,
    /// Conditions on an element.
    pub(super) filter: Conditions,
    /// Where the members of the event are, in the line or in the element.
    pub(super) fields: F,
}

impl<F> Rule<F> {
    /// Passes each value of a line that has the event to `found`.
    pub(super) fn apply<'t, 'a>(
        &self,
        line: Value<'t, 'a>,
        mut found: impl FnMut(&F, Value<'t, 'a>),
    ) {
        if !self.when.hold(line) {
            return;
        }
        let Some(each) = &self.each else { return found(&self.fields, line) };
        for element in each.get(line).into_iter().flat_map(Value::elements) {
            if self.filter.hold(element) {
                found(&self.fields, element);
            }
        }
    }
}

/// All rules of a description.
#[derive(Clone, Debug, Default)]
pub(super) struct Rules {
    pub(super) session: Vec<Rule<SessionFields>>,
    pub(super) prompt: Vec<Rule<TextFields>>,
    pub(super) text: Vec<Rule<TextFields>>,
    pub(super) delta: Vec<Rule<DeltaFields>>,
    pub(super) reasoning: Vec<Rule<TextFields>>,
    pub(super) reasoning_delta: Vec<Rule<DeltaFields>>,
    pub(super) tool_call: Vec<Rule<CallFields>>,
    pub(super) tool_result: Vec<Rule<ResultFields>>,
    pub(super) usage: Vec<Rule<UsageFields>>,
    pub(super) error: Vec<Rule<ErrorFields>>,
    pub(super) end: Vec<Rule<EndFields>>,
    /// Lines without a meaning that nevertheless are the CLI's.
    pub(super) other: Vec<Rule<()>>,
}

impl Rules {
    /// Calls `test` with the conditions on the line of each rule, until one returns true.
    pub(super) fn any(&self, mut test: impl FnMut(&Conditions) -> bool) -> bool {
        fn conditions<F>(rules: &[Rule<F>]) -> impl Iterator<Item = &Conditions> {
            rules.iter().map(|rule| &rule.when)
        }
        conditions(&self.text)
            .chain(conditions(&self.delta))
            .chain(conditions(&self.tool_call))
            .chain(conditions(&self.tool_result))
            .chain(conditions(&self.usage))
            .chain(conditions(&self.reasoning))
            .chain(conditions(&self.reasoning_delta))
            .chain(conditions(&self.session))
            .chain(conditions(&self.prompt))
            .chain(conditions(&self.error))
            .chain(conditions(&self.end))
            .chain(conditions(&self.other))
            .any(&mut test)
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct SessionFields {
    pub(super) model: Paths,
    pub(super) cwd: Paths,
    pub(super) version: Paths,
}

#[derive(Clone, Debug, Default)]
pub(super) struct TextFields {
    pub(super) text: Paths,
    /// The id of the message, in the line.
    pub(super) message: Paths,
    /// The model that wrote it, in the line.
    pub(super) model: Paths,
}

#[derive(Clone, Debug, Default)]
pub(super) struct DeltaFields {
    pub(super) text: Paths,
    /// The id of the message, in the line.
    pub(super) message: Paths,
    /// The position of the block in the message.
    pub(super) index: Paths,
    /// Whether the whole text follows on another line.
    pub(super) is_repeated: bool,
}

#[derive(Clone, Debug, Default)]
pub(super) struct CallFields {
    pub(super) id: Paths,
    pub(super) name: Paths,
    pub(super) input: Paths,
    pub(super) server: Paths,
}

#[derive(Clone, Debug, Default)]
pub(super) struct ResultFields {
    pub(super) call: CallFields,
    pub(super) output: Paths,
    pub(super) stdout: Paths,
    pub(super) stderr: Paths,
    pub(super) exit_code: Paths,
    pub(super) duration_ms: Paths,
    pub(super) failed: Flag,
    pub(super) denied: Flag,
}

#[derive(Clone, Debug, Default)]
pub(super) struct UsageFields {
    pub(super) scope: UsageScope,
    pub(super) id: Paths,
    pub(super) model: Paths,
    pub(super) input: Paths,
    pub(super) output: Paths,
    pub(super) cache_read: Paths,
    pub(super) cache_write: Paths,
    pub(super) reasoning: Paths,
    pub(super) cost: Paths,
    /// Whether `input` includes what was read from and written to the cache.
    pub(super) input_has_cache: bool,
    /// Whether `output` includes reasoning.
    pub(super) output_has_reasoning: bool,
}

/// What counts cover.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum UsageScope {
    /// One request: the counts are added up.
    #[default]
    Request,
    /// Everything so far: the last counts are valid.
    Total,
}

#[derive(Clone, Debug, Default)]
pub(super) struct ErrorFields {
    pub(super) message: Paths,
    pub(super) status: Paths,
    pub(super) kind: Paths,
}

#[derive(Clone, Debug, Default)]
pub(super) struct EndFields {
    pub(super) text: Paths,
    pub(super) failed: Flag,
    pub(super) reason: Paths,
    pub(super) error: ErrorFields,
    pub(super) cost: Paths,
    pub(super) turns: Paths,
    pub(super) duration_ms: Paths,
}
