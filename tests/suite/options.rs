//! Options: which commands accept them, where they are given, and their short forms.

use predicates::prelude::*;

use crate::support::cli::{Printed, commands, run, streamj};
use crate::support::fixture_bytes;

/// Options that may be given before or after a command, with a value.
const GLOBAL: [&[&str]; 7] = [
    &["--harness", "codex"],
    &["--max-line", "1M"],
    &["--threads", "2"],
    &["--strict"],
    &["--redact"],
    &["--quiet"],
    &["--color", "never"],
];

/// Returns the global options that a command does not accept.
fn refused(command: &str) -> &'static [&'static str] {
    match command {
        "prompt" | "harness" | "man" | "completions" | "schema" => {
            &["--harness", "--max-line", "--threads", "--strict", "--redact", "--quiet", "--color"]
        }
        "memories" => &["--harness", "--max-line", "--threads", "--strict", "--redact", "--color"],
        "report" => &["--color"],
        "serve" => &["--strict", "--color"],
        "redact" => &["--harness", "--threads", "--strict", "--color"],
        "wrap" | "escalate" => &["--threads"],
        _ => &[],
    }
}

#[test]
fn commands_list_only_options_that_matter_to_them() {
    for command in commands() {
        let help = run(&[&command, "--help"], "").success();
        let page = run(&["man", &command], "").success().text().replace("\\-", "-");
        for option in GLOBAL.map(|words| words[0]) {
            let matters = !refused(&command).contains(&option);
            // `--harness-file` is another option than `--harness`.
            let is_listed = |text: &str| {
                let mut found = text.match_indices(option);
                found.any(|(at, _)| !text[at + option.len()..].starts_with('-'))
            };
            assert_eq!(is_listed(help.text()), matters, "{command} --help: {option}");
            assert_eq!(is_listed(&page), matters, "man {command}: {option}");
        }
    }
}

#[test]
fn option_without_effect_is_refused_in_both_places() {
    for command in commands() {
        let status = if matches!(&*command, "wrap" | "escalate") { 125 } else { 2 };
        for words in GLOBAL.iter().filter(|words| refused(&command).contains(&words[0])) {
            let option = words[0];
            let before = [words, &[&*command][..]].concat();
            let message =
                format!("error: the argument '{option}' cannot be used with '{command}'\n");
            // Missing arguments are reported first.
            if matches!(&*command, "prompt" | "man") {
                run(&before, "").stderr(predicate::str::starts_with(message));
            }
            run(&before, "").code(status).stdout("");
            let after = [&[&*command][..], words].concat();
            let message = format!("unexpected argument '{option}'");
            run(&after, "").code(status).stdout("").stderr(predicate::str::contains(message));
        }
    }
}

#[test]
fn options_are_accepted_before_and_after_the_command() {
    let line = r#"{"type":"turn.started"}"#;
    let harness =
        |args: &[&str]| run(&[args, &["--get", "/harness"]].concat(), line).text().to_owned();
    assert_eq!(harness(&["events"]), "codex\n");
    assert_eq!(harness(&["--harness", "claude", "events"]), "claude\n");
    assert_eq!(harness(&["events", "--harness", "claude"]), "claude\n");
    assert_eq!(harness(&["--harness", "codex", "events", "--harness", "claude"]), "claude\n");

    for args in [["--strict", "text"], ["text", "--strict"]] {
        run(&args, format!("{line}\nnot json\n")).code(1);
    }
    for args in [["-q", "text"], ["text", "-q"]] {
        run(&args, format!("{line}\nnot json\n")).success().stderr("");
    }
    for args in [["--max-line", "10", "text"], ["text", "--max-line", "10"]] {
        run(&args, line).stderr(predicate::str::contains("too long"));
    }
    let secret = r#"{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"sk-ant-api03-AbCd"}}"#;
    for args in [["--redact", "text"], ["text", "--redact"]] {
        run(&args, secret).stdout("<redacted>\n");
    }
    for args in [["--color", "always", "error"], ["error", "--color", "always"]] {
        let args = [&args[..], &["--format", "human"]].concat();
        run(&args, fixture_bytes("claude/err_401")).stdout(predicate::str::contains("\u{1b}["));
    }
}

#[test]
fn force_color_colours_a_pipe_unless_a_flag_or_no_color_decides() {
    let input = fixture_bytes("claude/err_401");
    let is_coloured = |args: &[&str], variables: &[(&str, &str)]| {
        let mut command = streamj(&[&["error", "--format", "human"], args].concat());
        let output = command.envs(variables.iter().copied()).write_stdin(&*input).assert();
        output.text().contains('\u{1b}')
    };
    assert!(!is_coloured(&[], &[]));
    for force in ["FORCE_COLOR", "CLICOLOR_FORCE"] {
        assert!(is_coloured(&[], &[(force, "1")]));
        assert!(!is_coloured(&[], &[(force, "0")]));
        assert!(!is_coloured(&[], &[(force, "false")]));
        assert!(!is_coloured(&[], &[(force, "")]));
        assert!(!is_coloured(&[], &[(force, "1"), ("NO_COLOR", "1")]));
        assert!(!is_coloured(&["--color", "never"], &[(force, "1")]));
    }
    assert!(is_coloured(&["--color", "always"], &[("NO_COLOR", "1")]));
}

#[test]
fn json_is_short_for_format_json() {
    let input = fixture_bytes("claude/err_after_tools_500");
    let mut checked = 0;
    for command in commands() {
        let help = run(&[&command, "--help"], "");
        if !help.text().contains("--format <FORMAT>") {
            assert!(!help.text().contains("--json\n"), "{command}");
            continue;
        }
        let db: &[&str] = if command == "memories" { &["--db", "no/such.db"] } else { &[] };
        let with = |options: &[&str]| run(&[&[&*command], db, options].concat(), &*input);
        let long = with(&["--format", "json"]);
        with(&["--json"]).append_context("command", command.clone()).stdout(long.text().to_owned());
        with(&["--json", "--format", "json"])
            .code(2)
            .stderr(predicate::str::contains("cannot be used with"));
        checked += 1;
    }
    assert!(checked >= 7, "{checked}");
    run(&["usage", "--plot", "--json"], "").code(2);
    run(&["findings", "--print-schema", "--json"], "").code(2);
}
