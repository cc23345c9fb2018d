//! What the output of each CLI contains: the table in `docs/harnesses.md`.

/// What the stream and the session files of a CLI contain.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(test), allow(dead_code))]
pub(crate) struct Capabilities {
    /// The name of the product.
    pub(crate) title: &'static str,
    /// Where the knowledge comes from.
    pub(crate) basis: Basis,
    /// Whether text can arrive in parts.
    pub(crate) has_deltas: bool,
    /// Whether the stream contains reasoning.
    pub(crate) has_reasoning: bool,
    /// Whether lines of subagents can be told apart.
    pub(crate) has_subagents: bool,
    /// Which tokens the stream reports.
    pub(crate) tokens: TokenReport,
    /// Whether the stream reports a cost.
    pub(crate) has_cost: bool,
}

/// Where the knowledge about a CLI comes from.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(test), allow(dead_code))]
pub(crate) enum Basis {
    /// Recordings of these releases.
    Recorded(&'static str),
    /// Its documentation or source; no recording was possible.
    Documented,
}

/// Which tokens a stream reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenReport {
    /// None.
    None,
    /// Those of each request.
    Requests,
    /// Those of the run.
    Total,
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::*;
    use crate::harness::Harness;

    fn table() -> String {
        let mut table = String::from(
            "| `--harness` | CLI | basis | deltas | reasoning | subagents | tokens | cost | end | sessions | their tokens | wrap | resume |\n\
             |---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
        );
        let yes = |is: bool| if is { "yes" } else { "–" };
        for harness in Harness::ALL {
            let adapter = harness.adapter();
            let Capabilities {
                title,
                basis,
                has_deltas,
                has_reasoning,
                has_subagents,
                tokens,
                has_cost,
            } = adapter.capabilities;
            let basis = match basis {
                Basis::Recorded(releases) => releases,
                Basis::Documented => "documentation",
            };
            let tokens = match tokens {
                TokenReport::None => "–",
                TokenReport::Requests => "per request",
                TokenReport::Total => "total",
            };
            let end = yes(adapter.rules.has_terminal_event);
            let command = adapter.program.events_command;
            let sessions = adapter.sessions.as_ref();
            let command =
                if command.is_empty() { "–".to_owned() } else { format!("`{command}`") };
            let resume = adapter.resume_command("ID");
            let resume = resume.map_or("–".to_owned(), |command| format!("`{command}`"));
            let cells = [
                format!("`{harness}`"),
                title.to_owned(),
                basis.to_owned(),
                yes(has_deltas).to_owned(),
                yes(has_reasoning).to_owned(),
                yes(has_subagents).to_owned(),
                tokens.to_owned(),
                yes(has_cost).to_owned(),
                end.to_owned(),
                sessions.map_or("–", |sessions| sessions.form).to_owned(),
                yes(sessions.is_some_and(|sessions| sessions.has_tokens)).to_owned(),
                command,
                resume,
            ];
            writeln!(table, "| {} |", cells.join(" | ")).unwrap();
        }
        table
    }

    /// The table is between two comments. `UPDATE_GENERATED=1` writes it.
    #[test]
    fn table_of_capabilities_in_the_documents_is_current() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/harnesses.md");
        let text = std::fs::read_to_string(path).unwrap();
        let (before, rest) = text.split_once("<!-- table -->\n").unwrap();
        let (current, after) = rest.split_once("<!-- end of table -->").unwrap();
        if std::env::var_os("UPDATE_GENERATED").is_some() {
            let updated =
                format!("{before}<!-- table -->\n{}<!-- end of table -->{after}", table());
            std::fs::write(path, updated).unwrap();
            return;
        }
        assert_eq!(current, table(), "run: UPDATE_GENERATED=1 cargo test capabilities");
    }
}
