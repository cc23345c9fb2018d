//! Man pages and completions, generated from the definition of the command line. A
//! test compares them with the copies in `man/` and `completions/`.

use anyhow::Context;
use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use super::bash::Bash;

/// Returns the man page of `streamj`, or of one of its commands.
pub(crate) fn page(name: Option<&str>) -> anyhow::Result<Vec<u8>> {
    // The command `help` has no page.
    let mut program = super::command().disable_help_subcommand(true);
    program.build();
    let command = match name {
        None => program.clone(),
        Some(name) => program
            .find_subcommand(name)
            .with_context(|| format!("no command is called {name}"))?
            .clone(),
    };
    let mut page = Vec::new();
    let source = concat!("streamj ", env!("CARGO_PKG_VERSION"));
    let man = Man::new(command).date("").source(source).manual("streamj");
    man.render(&mut page)?;
    let sections = match name {
        None => Some(streamj_sections()),
        Some("wrap") => Some(wrap_sections()),
        Some("escalate") => Some(escalate_sections()),
        Some(_) => None,
    };
    if let Some(sections) = sections {
        sections.to_writer(&mut page)?;
    }
    see_also(&program, name).to_writer(&mut page)?;
    Ok(page)
}

/// Returns the references to the other pages: all of them on the main page.
fn see_also(program: &clap::Command, name: Option<&str>) -> Roff {
    let pages: Vec<String> = match name {
        None => program
            .get_subcommands()
            .map(|command| format!("streamj-{}", command.get_name()))
            .collect(),
        Some(_) => vec!["streamj".to_owned()],
    };
    let mut text = Vec::new();
    for page in pages {
        if !text.is_empty() {
            text.push(roman(", "));
        }
        text.extend([bold(page), roman("(1)")]);
    }
    let mut roff = Roff::new();
    roff.control("SH", ["SEE ALSO"]);
    roff.text(text);
    roff
}

/// Returns the completion script of a shell.
pub(crate) fn completions(shell: Shell) -> Vec<u8> {
    let mut script = Vec::new();
    let mut command = super::command();
    match shell {
        Shell::Bash => clap_complete::generate(Bash, &mut command, "streamj", &mut script),
        shell => clap_complete::generate(shell, &mut command, "streamj", &mut script),
    }
    script
}

fn streamj_sections() -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["EXIT STATUS"]);
    for (code, meaning) in [
        ("0", "Success. Also if the output is closed early."),
        (
            "1",
            "The answer is no: nothing in the input is an event of a known CLI, check found violations or a CLI without format tables, structured found no document or an invalid one, tools -e a failed call, error -e a condition of --fail-on, a line was skipped under --strict, or no row has the member that --get names.",
        ),
        ("2", "Wrong usage, or reading or writing failed. Other inputs are still read."),
    ] {
        definition(&mut roff, code, meaning);
    }
    roff.control("PP", []);
    roff.text([roman("With "), bold("error -e"), roman(" it depends on the failure of the run:")]);
    for (code, meaning) in CATEGORIES {
        definition(&mut roff, code, meaning);
    }
    roff.control("PP", []);
    roff.text([
        bold("wrap"),
        roman(" and "),
        bold("escalate"),
        roman(" have exit statuses of their own."),
    ]);
    roff.control("SH", ["ENVIRONMENT"]);
    definition(
        &mut roff,
        "NO_COLOR",
        "If set and not empty, no colour is used, except with --color always.",
    );
    definition(
        &mut roff,
        "FORCE_COLOR, CLICOLOR_FORCE",
        "If one is set and neither empty nor 0 nor false, colour is used in a pipe too, except with NO_COLOR or --color never.",
    );
    roff.control("SH", ["EXAMPLES"]);
    for (command, meaning) in [
        (
            "claude -p \"…\" --output-format stream-json --verbose | streamj text",
            "Print the answer as it is written.",
        ),
        ("streamj usage session.jsonl", "Print tokens and cost of a recorded run."),
        (
            "streamj error -e run.jsonl || echo \"failed with $?\"",
            "Act on the category of a failure.",
        ),
        ("streamj tools --failed --format tsv *.jsonl", "Print every tool call that failed."),
        ("id=$(streamj session --get /session_id run.jsonl)", "Get one member in a script."),
    ] {
        definition(&mut roff, command, meaning);
    }
    roff
}

fn wrap_sections() -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["EXIT STATUS"]);
    for (code, meaning) in [
        ("124", "The run was ended by --timeout or --idle-timeout."),
        ("125", "streamj failed: wrong usage, or an output could not be written."),
        ("126", "The command cannot be executed."),
        ("127", "The command is not found."),
        (
            "128+N",
            "The command was ended by signal N, or streamj received signal N. 141: the output was closed.",
        ),
        (
            "else",
            "The status of the command. If that is 0: 1 if the stream reports a failure or ends without a result, the command prints no events, the document does not match --schema, or a condition of --fail-on is met. After --exit-grace the result decides, not how the process ended.",
        ),
    ] {
        definition(&mut roff, code, meaning);
    }
    roff.control("PP", []);
    roff.text([
        roman("With "),
        bold("--exit-status category"),
        roman(" it depends on the failure:"),
    ]);
    for (code, meaning) in CATEGORIES {
        definition(&mut roff, code, meaning);
    }
    roff.control("SH", ["EXAMPLES"]);
    for (command, meaning) in [
        ("streamj wrap -- codex exec \"fix the tests\"", "Print the answer as it is written."),
        (
            "streamj wrap --timeout 10m --record run.json -- claude -p \"review this\"",
            "Run for at most ten minutes, and write a record however it ends.",
        ),
        ("git diff | streamj wrap -- claude -p \"review this\"", "Pass standard input on."),
        (
            "streamj wrap --as 'tools --failed' --tee raw.jsonl -- codex exec \"…\"",
            "Print failed tool calls, and write the whole stream to a file.",
        ),
    ] {
        definition(&mut roff, command, meaning);
    }
    roff
}

fn escalate_sections() -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["EXIT STATUS"]);
    for (code, meaning) in [
        ("0", "Nothing was needed, or a tier settled it."),
        (
            "3",
            "A tier requests the next one, and that may not run: --max-tier, --cooldown, --dry-run. If a tier itself exits with 3, its decision is failed.",
        ),
        (
            "124 to 127",
            "As for wrap: a timeout; streamj failed; a tier cannot be run, or is not found.",
        ),
        ("128+N", "streamj received signal N; the usual end with --every."),
        (
            "else",
            "The status of the tier that failed; no other tier follows. 1 if its answer does not match the schema.",
        ),
    ] {
        definition(&mut roff, code, meaning);
    }
    roff.control("SH", ["ENVIRONMENT"]);
    definition(
        &mut roff,
        "CLAUDEOPS_MAX_TIER",
        "The highest tier that may run, if --max-tier is not given.",
    );
    definition(
        &mut roff,
        "CLAUDEOPS_SCHEMA_PATH",
        "The schema of the answers, if --schema is not given.",
    );
    roff.control("SH", ["EXAMPLES"]);
    for (command, meaning) in [
        (
            "streamj escalate --db ops.db --tier \"claude -p 'check the services'\" --tier \"claude -p 'repair what is broken'\"",
            "Run the second agent if the first one requests it.",
        ),
        (
            "streamj escalate --db ops.db --config tiers.toml --every 1h --record-dir runs",
            "Run once an hour, with a record and the raw stream of each run.",
        ),
        (
            "claude -p \"…\" --append-system-prompt \"$(streamj memories --db ops.db)\"",
            "Give an agent what was learnt.",
        ),
    ] {
        definition(&mut roff, command, meaning);
    }
    roff
}

/// Exit statuses by category.
const CATEGORIES: [(&str, &str); 8] = [
    ("0", "none"),
    ("65", "interactive, background-task, or incomplete: a stream without an end"),
    ("69", "api"),
    ("70", "subprocess"),
    ("75", "rate_limit"),
    ("76", "api, if a later attempt cannot succeed"),
    ("77", "auth"),
    ("124", "timeout"),
];

fn definition(roff: &mut Roff, term: &str, meaning: &str) {
    roff.control("TP", []);
    roff.text([bold(term)]);
    roff.text([roman(meaning)]);
}
