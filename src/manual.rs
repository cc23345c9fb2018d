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
    let more = match name {
        None => Some(more_about_streamj()),
        Some("wrap") => Some(more_about_wrap()),
        Some("escalate") => Some(more_about_escalate()),
        Some(_) => None,
    };
    if let Some(more) = more {
        more.to_writer(&mut page)?;
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

fn more_about_streamj() -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["EXIT STATUS"]);
    for (code, meaning) in [
        ("0", "Done. Also when the reader of the output goes away."),
        (
            "1",
            "The answer is no: check found violations, structured found no document or an invalid one, a line was skipped under --strict, or no record has the member that --get asks for.",
        ),
        ("2", "Wrong usage, or reading or writing failed. The other inputs are read all the same."),
    ] {
        definition(&mut roff, code, meaning);
    }
    roff.control("PP", []);
    roff.text([roman("With "), bold("error -e"), roman(" the failure of the run decides:")]);
    for (code, meaning) in CATEGORIES {
        definition(&mut roff, code, meaning);
    }
    roff.control("PP", []);
    roff.text([bold("wrap"), roman(" and "), bold("escalate"), roman(" have their own.")]);
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

fn more_about_wrap() -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["EXIT STATUS"]);
    for (code, meaning) in [
        ("124", "A clock ran out: --timeout or --idle-timeout."),
        ("125", "streamj itself failed: wrong usage, or something could not be written."),
        ("126", "The command cannot be executed."),
        ("127", "The command is not found."),
        (
            "128+N",
            "The command was ended by signal N; or streamj got signal N, whatever the command said. 141: nobody reads the output.",
        ),
        (
            "else",
            "The command's own. If that is 0 and the stream says that the run failed, or its document breaks --schema: 1. After --exit-grace the run is judged by its result, not by how it was ended.",
        ),
    ] {
        definition(&mut roff, code, meaning);
    }
    roff.control("PP", []);
    roff.text([roman("With "), bold("--exit-status category"), roman(" the failure decides:")]);
    for (code, meaning) in CATEGORIES {
        definition(&mut roff, code, meaning);
    }
    roff.control("SH", ["EXAMPLES"]);
    for (command, meaning) in [
        ("streamj wrap -- codex exec \"fix the tests\"", "The answer, as it is written."),
        (
            "streamj wrap --timeout 10m --record run.json -- claude -p \"review this\"",
            "Ten minutes at most, and a record however it ends.",
        ),
        ("git diff | streamj wrap -- claude -p \"review this\"", "Standard input is handed on."),
        (
            "streamj wrap --as 'tools --failed' --tee raw.jsonl -- codex exec \"…\"",
            "What went wrong, and the whole stream in a file.",
        ),
    ] {
        definition(&mut roff, command, meaning);
    }
    roff
}

fn more_about_escalate() -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["EXIT STATUS"]);
    for (code, meaning) in [
        ("0", "Nothing was needed, or a tier settled it."),
        (
            "3",
            "A tier asks for the next one, and that may not run: --max-tier, --cooldown, --dry-run. (A tier that itself exits with 3 has failed, and its decision says so.)",
        ),
        (
            "124 to 127",
            "As with wrap: a clock ran out; streamj failed; a tier cannot be run, or is not found.",
        ),
        ("128+N", "Signal N came; with --every this is how it ends."),
        (
            "else",
            "That of the tier that failed; no other tier follows it. 1 if its answer is not what was asked for.",
        ),
    ] {
        definition(&mut roff, code, meaning);
    }
    roff.control("SH", ["ENVIRONMENT"]);
    definition(
        &mut roff,
        "CLAUDEOPS_MAX_TIER",
        "The highest tier that may run, unless --max-tier names it.",
    );
    definition(
        &mut roff,
        "CLAUDEOPS_SCHEMA_PATH",
        "The schema of the answers, unless --schema names it.",
    );
    roff.control("SH", ["EXAMPLES"]);
    for (command, meaning) in [
        (
            "streamj escalate --db ops.db --tier \"claude -p 'check the services'\" --tier \"claude -p 'repair what is broken'\"",
            "The second agent runs if the first one asks for it.",
        ),
        (
            "streamj escalate --db ops.db --config tiers.toml --every 1h --record-dir runs",
            "Once an hour, with a record and the raw stream of each run.",
        ),
        (
            "claude -p \"…\" --append-system-prompt \"$(streamj memories --db ops.db)\"",
            "What was learnt, for an agent of one's own.",
        ),
    ] {
        definition(&mut roff, command, meaning);
    }
    roff
}

/// Exit statuses by category.
const CATEGORIES: [(&str, &str); 7] = [
    ("0", "none"),
    ("65", "interactive, background-task, or a stream that just stops"),
    ("69", "api"),
    ("70", "subprocess"),
    ("75", "rate_limit"),
    ("77", "auth"),
    ("124", "timeout"),
];

fn definition(roff: &mut Roff, term: &str, meaning: &str) {
    roff.control("TP", []);
    roff.text([bold(term)]);
    roff.text([roman(meaning)]);
}
