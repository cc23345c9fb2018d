//! Man pages and completions, generated from the command-line definition.
//! The copies in `man/` and `completions/` are compared with these by a test.

use anyhow::Context;
use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use crate::cli;

/// The man page of `streamj`, or of one of its commands.
///
/// # Errors
///
/// There is no such command.
pub fn page(name: Option<&str>) -> anyhow::Result<Vec<u8>> {
    let mut command = cli::command();
    command.build();
    let command = match name {
        None => command,
        Some(name) => command
            .find_subcommand(name)
            .filter(|command| !command.is_hide_set())
            .with_context(|| format!("no command is called {name}"))?
            .clone(),
    };
    let mut page = Vec::new();
    let source = concat!("streamj ", env!("CARGO_PKG_VERSION"));
    let man = Man::new(command).date("").source(source).manual("streamj");
    man.render(&mut page)?;
    if name.is_none() {
        extra_sections().to_writer(&mut page)?;
    }
    Ok(page)
}

/// The names of all pages: none for `streamj` itself.
#[must_use]
pub fn page_names() -> Vec<Option<String>> {
    let command = cli::command();
    let visible = command.get_subcommands().filter(|command| !command.is_hide_set());
    let names = visible.map(|command| Some(command.get_name().to_owned()));
    std::iter::once(None).chain(names).collect()
}

/// The completion script of a shell.
#[must_use]
pub fn completions(shell: Shell) -> Vec<u8> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut cli::command(), "streamj", &mut script);
    script
}

fn extra_sections() -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["EXIT STATUS"]);
    for (code, meaning) in [
        ("0", "Done. Also when the reader of the output goes away."),
        (
            "1",
            "The answer is no: a line was skipped under --strict, or no record has the member that --get asks for.",
        ),
        ("2", "Wrong usage, or reading or writing failed. The other inputs are read all the same."),
    ] {
        definition(&mut roff, code, meaning);
    }
    roff.control("PP", []);
    roff.text([roman("With "), bold("error -e"), roman(" the failure of the run decides:")]);
    for (code, meaning) in [
        ("0", "none"),
        ("65", "interactive, background-task, or a stream that just stops"),
        ("69", "api"),
        ("70", "subprocess"),
        ("75", "rate_limit"),
        ("77", "auth"),
        ("124", "timeout"),
    ] {
        definition(&mut roff, code, meaning);
    }
    roff.control("SH", ["ENVIRONMENT"]);
    definition(
        &mut roff,
        "NO_COLOR",
        "If set and not empty, no colour is used unless --color asks for it.",
    );
    definition(&mut roff, "CLICOLOR_FORCE", "If set and not 0, colour is used in a pipe too.");
    roff.control("SH", ["EXAMPLES"]);
    for (command, meaning) in [
        (
            "claude -p \"…\" --output-format stream-json --verbose | streamj text",
            "The answer, as it is written.",
        ),
        ("streamj usage session.jsonl", "Tokens and cost of a recorded run."),
        ("streamj error -e run.jsonl || echo \"failed with $?\"", "Act on the kind of failure."),
        ("streamj tools --failed --format tsv *.jsonl", "Every tool call that failed."),
        ("id=$(streamj session --get /session_id run.jsonl)", "One member, for a script."),
    ] {
        definition(&mut roff, command, meaning);
    }
    roff
}

fn definition(roff: &mut Roff, term: &str, meaning: &str) {
    roff.control("TP", []);
    roff.text([bold(term)]);
    roff.text([roman(meaning)]);
}
