//! Tool calls and tasks: a line when one begins, an outcome when it ends.

use std::io;

use unicode_width::UnicodeWidthStr;

use super::agents::Agent;
use super::look::{Mark, Paint, Piece};
use super::{REMEMBERED, View, details};
use crate::event::{Status, Task, TaskState, ToolCall, ToolResult};
use crate::output::{Output, seconds, visible};
use crate::projection::gist::{gist, one_line};
use crate::run::input_json;

/// A line of failing output is shown so often.
const FAILING_LINES: usize = 3;

/// Deeper than this nothing is indented.
const DEEPEST: usize = 16;

/// A call under way.
pub(super) struct Known {
    pub(super) name: String,
    pub(super) gist: String,
    pub(super) depth: usize,
    pub(super) input: Vec<u8>,
    pub(super) denied: bool,
    pub(super) order: usize,
}

impl View {
    pub(super) fn called(
        &mut self,
        call: &ToolCall<'_>,
        depth: usize,
        out: &mut Output,
    ) -> io::Result<()> {
        let id = call.id.unwrap_or_default();
        let input = input_json(&call.input).unwrap_or_default();
        let name = one_line(&visible(call.name.unwrap_or("?")), REMEMBERED);
        let known = self.calls.get(id).filter(|known| known.input == input);
        if known.is_some() && !id.is_empty() {
            return Ok(());
        }
        let gist = one_line(&visible(&gist(&input)), REMEMBERED);
        if call.starts_agent {
            let agent = Agent { gist: gist.clone(), depth: (depth + 1).min(DEEPEST) };
            self.agents.insert(id.to_owned(), agent);
        }
        let page = Self::page(&mut self.page, &self.args, out);
        Self::set_apart(page, &mut self.finished, out)?;
        let pieces = call_pieces(&name, &gist);
        let todo = details::todo(&name, &input, &page.look);
        if todo.is_some() || self.args.full || id.is_empty() || call.starts_agent {
            page.item(Mark::Tool, depth, &pieces, out)?;
        } else {
            page.open_item(id, Mark::Tool, depth, &pieces, out)?;
        }
        match todo {
            Some(items) => page.below(depth, &items, false, out)?,
            None if self.args.full => {
                page.below(depth, &details::input(&input, &gist), true, out)?;
            }
            None => {}
        }
        if !id.is_empty() {
            self.called += 1;
            let order = self.called;
            let known = Known { name, gist, depth, input, denied: false, order };
            self.calls.insert(id.to_owned(), known);
        }
        Ok(())
    }

    pub(super) fn ended(
        &mut self,
        result: &ToolResult<'_>,
        depth: usize,
        out: &mut Output,
    ) -> io::Result<()> {
        // Some results come without a call before them.
        let id = result.call.id.unwrap_or_default();
        if result.call.name.is_some() && !self.calls.contains_key(id)
            || self.calls.get(id).is_some_and(|known| is_new_list(known, result))
        {
            self.called(&result.call, depth, out)?;
        }
        let page = Self::page(&mut self.page, &self.args, out);
        let Some(known) = self.calls.remove(id) else { return Ok(()) };
        let status = if known.denied { Status::Denied } else { result.status };
        let output = result.output.as_deref().unwrap_or_default();
        let mark = match status {
            Status::Completed | Status::Pending => Mark::Done,
            Status::Failed => Mark::Failed,
            Status::Denied => Mark::Denied,
        };
        let failed = matches!(status, Status::Failed | Status::Denied);
        let is_list = matches!(known.name.as_str(), "TodoWrite" | "todo_list");
        if is_list && !failed {
            return Ok(());
        }
        let facts = facts(result, status, output.len(), page.look.pretty);
        let between = page.look.between();
        if page.is_last(Some(id)) {
            // The line above has said whose outcome it is.
            let facts = if facts.is_empty() { "done".to_owned() } else { facts.join(between) };
            page.item(mark, known.depth, &[Piece(facts, Paint::Dim)], out)?;
            return self.below_outcome(known.depth, output, failed, out);
        }
        let mut pieces = call_pieces(&known.name, &known.gist);
        if !facts.is_empty() {
            let open = if page.look.pretty { "  " } else { " (" };
            let close = if page.look.pretty { "" } else { ")" };
            pieces.push(Piece(format!("{open}{}{close}", facts.join(between)), Paint::Dim));
        }
        // The facts matter more than the end of a long command.
        if let Some(width) = page.look.width {
            let facts = pieces.get(2).map_or(0, |piece| piece.0.width());
            let sign = page.look.sign_width(mark) + 2 * known.depth;
            let used = facts + known.name.width() + sign + 3;
            let gist = one_line(pieces[1].0.trim_start(), width.saturating_sub(used).max(8));
            format!("  {gist}").trim_end().clone_into(&mut pieces[1].0);
        }
        if page.is_open(id, out) {
            page.rewrite(mark, known.depth, &pieces, out)?;
        } else {
            Self::set_apart(page, &mut self.finished, out)?;
            page.item(mark, known.depth, &pieces, out)?;
        }
        self.below_outcome(known.depth, output, failed, out)
    }

    fn below_outcome(
        &mut self,
        depth: usize,
        output: &str,
        failed: bool,
        out: &mut Output,
    ) -> io::Result<()> {
        let lines = match () {
            () if self.args.full => details::plain(output),
            () if failed => details::beginning(output, FAILING_LINES),
            () => return Ok(()),
        };
        Self::page(&mut self.page, &self.args, out).below(depth, &lines, self.args.full, out)
    }

    /// A task in the background; what a call waits for, the call tells.
    pub(super) fn task(
        &mut self,
        task: &Task<'_>,
        depth: usize,
        out: &mut Output,
    ) -> io::Result<()> {
        let id = task.id.unwrap_or_default();
        // Not every line about a task tells all about it.
        let known = self.tasks.entry(id.to_owned()).or_default();
        known.0 = task.tool_id.map(str::to_owned).or(known.0.take());
        known.1 = known
            .1
            .take()
            .or_else(|| task.description.map(|text| one_line(&visible(text), REMEMBERED)));
        let waited_for = known.0.as_deref().is_some_and(|id| self.calls.contains_key(id));
        let what = known.1.as_ref().map(|text| format!(": {text}")).unwrap_or_default();
        let how = match task.state {
            TaskState::Progress => return Ok(()),
            TaskState::Started => "started",
            TaskState::Ended(how) => how,
        };
        // Its end may be told twice.
        let ended = matches!(task.state, TaskState::Ended(_));
        if ended && !self.ended_tasks.insert(id.to_owned()) || waited_for {
            return Ok(());
        }
        self.said(Mark::Task, depth, format!("task {}{what}", visible(how)), out)
    }
}

/// What is worth knowing about an outcome.
fn facts(result: &ToolResult<'_>, status: Status, bytes: usize, pretty: bool) -> Vec<String> {
    let mut facts = Vec::new();
    // In a log the tag says it.
    facts.extend((status == Status::Denied && pretty).then(|| "denied".to_owned()));
    facts.extend(result.exit_code.filter(|code| *code != 0).map(|code| format!("exit {code}")));
    facts.extend(result.duration_ms.map(seconds));
    facts.extend((bytes > 0).then(|| details::size(bytes)));
    facts.extend(result.detached.then(|| "goes on in the background".to_owned()));
    facts
}

/// How a call is named.
pub(super) fn call_pieces(name: &str, gist: &str) -> Vec<Piece> {
    vec![
        Piece(name.to_owned(), Paint::Bold),
        Piece(format!("  {gist}").trim_end().to_owned(), Paint::Plain),
    ]
}

/// Whether a list has changed with the line that ends it.
fn is_new_list(known: &Known, result: &ToolResult<'_>) -> bool {
    let input = input_json(&result.call.input);
    known.name == "todo_list" && input.is_some_and(|input| input != known.input)
}
