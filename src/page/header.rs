//! What the page says about a run as a whole.

use crate::event::{Category, FailureReason};
use crate::output::ObjectWriter;
use crate::phrases::{Outcome, is_abort};
use crate::projection::{write_all_tokens, write_estimate};
use crate::run::{Failure, Heuristics, NO_DETAIL, Run};
use crate::usage::Prices;

/// What is known about a run beside its items.
pub(crate) struct RunHeader<'a> {
    /// The name of the input.
    pub(crate) source: &'a str,
    pub(crate) run: &'a Run,
    /// Prices for a cost that is not reported.
    pub(crate) prices: &'a Prices,
    /// Number of secrets by rule, in lines that were not masked; `None` if secrets are
    /// masked.
    pub(crate) secrets: Option<&'a [(&'static str, u64)]>,
}

impl RunHeader<'_> {
    /// Writes the header as a JSON object.
    pub(crate) fn write(&self, to: &mut Vec<u8>) {
        ObjectWriter::write(to, |object| self.members(object));
    }

    fn members(&self, object: &mut ObjectWriter<'_>) {
        let Self { source, run, secrets, .. } = self;
        let session = run.session();
        let harness = session.harness();
        let description = session.description();
        let resume = session.id().and_then(|id| harness.adapter().resume_command(id));
        object
            .text("source", *source)
            .text("harness", harness.name())
            .text("session_id", session.id())
            .text("model", session.model())
            .text("project", description.and_then(|info| info.cwd.as_deref()))
            .text("version", description.and_then(|info| info.version.as_deref()))
            .text("permission_mode", description.and_then(|info| info.permission_mode.as_deref()))
            .text("resume", resume.as_deref());
        self.verdict(object);
        self.usage(object);
        let tools = run.tool_counts();
        object
            .object("tools", |object| {
                object
                    .count("calls", tools.calls)
                    .count("failed", tools.failed)
                    .count("denied", tools.denied);
            })
            .object("lines", |object| {
                let lines = run.lines();
                object.count("total", lines.total).count("malformed", lines.malformed);
            });
        match secrets {
            None => _ = object.flag("masked", true),
            Some(secrets) => {
                object.list("secrets", *secrets, |to, (rule, count)| {
                    ObjectWriter::write(to, |object| {
                        object.text("rule", *rule).count("count", *count);
                    });
                });
            }
        }
    }

    fn verdict(&self, object: &mut ObjectWriter<'_>) {
        let verdict = self.run.verdict(Heuristics::Apply);
        object
            .text("outcome", Outcome::of(self.run, &verdict).name())
            .flag("complete", verdict.complete)
            .texts("warnings", &verdict.warnings);
        let Some(failure) = &verdict.failure else { return };
        let message = match failure.message.trim() {
            "" => NO_DETAIL,
            message => message,
        };
        object
            .text("error_category", failure.category.name())
            .text("reason", failure.reason.map(FailureReason::name))
            .flag("retryable", Failure::retryable(failure))
            .text("retry_at", failure.retry_at.map(|at| at.to_string()).as_deref());
        let is_shown = failure.category != Category::Incomplete && !is_abort(failure, self.run);
        object.text("error", is_shown.then_some(message));
    }

    fn usage(&self, object: &mut ObjectWriter<'_>) {
        let report = self.run.usage();
        object.object("tokens", |object| write_all_tokens(object, &report.tokens));
        object
            .cost("cost_usd", report.cost_usd)
            .count("turns", report.turns)
            .count("duration_ms", report.duration_ms);
        if report.cost_usd.is_none() && report.tokens.total() > 0 {
            let model = self.run.session().model().unwrap_or_default();
            let estimate = self.run.usage.estimate(self.prices, model);
            write_estimate(object, &estimate, &self.prices.date);
        }
    }
}
