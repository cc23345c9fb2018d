//! CLIs that a file describes: `--harness-file`, the configuration folder, `harness infer`.

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::assert::Assert;
use predicates::prelude::*;
use serde_json::{Value, json};

use crate::support::cli::{Printed, run, streamj};
use crate::support::{fixture_bytes, root, shared};

/// The blocks of the documentation: the lines of an agent, and its description.
fn documented() -> (String, String) {
    let text = fs::read_to_string(root().join("docs/harnesses.md")).unwrap();
    let section = text.split("## Describe another CLI").nth(1).unwrap();
    let block = |start: &str| {
        let rest = section.split(&format!("```{start}\n")).nth(1).unwrap();
        rest.split("```").next().unwrap().to_owned()
    };
    (block("json"), block("toml"))
}

/// A folder with a description.
struct Described {
    folder: tempfile::TempDir,
}

impl Described {
    fn new(description: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("my-agent.toml"), description).unwrap();
        Self { folder }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("my-agent.toml")
    }

    fn run(&self, args: &[&str], input: impl Into<Vec<u8>>) -> Assert {
        let path = self.path();
        let args = [&["--harness-file", path.to_str().unwrap()], args].concat();
        run(&args, input)
    }

    fn read(&self, args: &[&str], input: impl Into<Vec<u8>>) -> Assert {
        self.run(args, input).success()
    }
}

/// Returns a description of lines `{"x": "…"}` with these rules.
fn rules(rules: &str) -> Described {
    Described::new(&format!("name = \"x\"\n{rules}"))
}

#[test]
fn documented_example_works_with_every_projection() {
    let (stream, description) = documented();
    let described = Described::new(&description);
    let read = |args: &[&str]| described.read(args, stream.as_str());
    assert_eq!(read(&["text"]).text(), "Looking.\nThere is a README.\n");
    assert_eq!(read(&["text", "--last"]).text(), "There is a README.\n");
    assert_eq!(
        read(&["tools"]).rows(),
        [
            json!({"harness": "my-agent", "id": "c-1", "name": "shell", "input": {"command": "ls"},
                "status": "completed", "output": "README.md\n", "exit_code": 0, "is_error": false}),
            json!({"harness": "my-agent", "id": "c-2", "name": "read", "input": {"path": "x"},
                "status": "failed", "output": "no such file: x", "is_error": true}),
        ]
    );
    let usage = read(&["usage"]).row();
    assert_eq!(usage["harness"], "my-agent");
    assert_eq!(usage["session_id"], "s-1");
    assert_eq!(usage["model"], "gpt-5.1");
    assert_eq!(usage["input_tokens"], 2500);
    assert_eq!(usage["uncached_input_tokens"], 300);
    assert_eq!(usage["output_tokens"], 60);
    assert_eq!(usage["cost_usd"], 0.003);
    assert_eq!(usage["duration_ms"], 1500);
    assert_eq!(read(&["error"]).text(), "");
    let session = read(&["session"]).row();
    assert_eq!(session["cwd"], "/tmp/demo");
    assert_eq!(session["version"], "0.3.0");
    assert_eq!(session["resume_command"], "my-agent --continue s-1");
    let summary = read(&["summary"]).row();
    assert_eq!(summary["complete"], true);
    assert_eq!(summary["succeeded_cleanly"], true);
    assert_eq!(summary["tools"], json!({"calls": 2, "failed": 1, "denied": 0}));
    let view = read(&["view"]);
    for shown in ["my-agent, gpt-5.1, s-1", "What is here?", "A listing will do.", "shell  ls"] {
        assert!(view.text().contains(shown), "{shown}: {view}");
    }
    let events = read(&["events", "--unified"]).rows();
    let kinds: Vec<&str> = events.iter().map(|event| event["kind"].as_str().unwrap()).collect();
    for kind in
        ["session", "prompt", "reasoning", "partial", "message", "text", "tool_call", "tool_result"]
    {
        assert!(kinds.contains(&kind), "{kind}: {kinds:?}");
    }
    assert_eq!(events[0]["timestamp"], "2026-11-17T18:36:46.5Z");
    assert_eq!(kinds.last(), Some(&"finished"));
    described
        .run(&["check"], stream.as_str())
        .code(1)
        .stdout(predicate::str::contains("no format tables"));
}

#[test]
fn deltas_are_printed_once_and_alone_if_no_whole_text_follows() {
    let delta = "[[delta]]\nwhen = { x = \"d\" }\ntext = \"/t\"\n";
    let text = "[[text]]\nwhen = { x = \"t\" }\ntext = \"/t\"\n";
    let lines = r#"{"x":"d","t":"one "}
{"x":"d","t":"two"}
{"x":"t","t":"one two"}
{"x":"d","t":"one "}
{"x":"d","t":"two"}
{"x":"t","t":"one two"}
"#;
    let both = rules(&format!("{delta}{text}"));
    assert_eq!(both.read(&["text"], lines).text(), "one two\none two\n");
    assert_eq!(both.read(&["text", "--last"], lines).text(), "one two\n");
    let alone = rules(&format!("{delta}[[tool_call]]\nwhen = {{ x = \"t\" }}\nid = \"/t\"\n"));
    assert_eq!(alone.read(&["text"], lines).text(), "one two\none two\n");
    let apart = rules(&format!("{delta}repeated = false\n{text}"));
    assert_eq!(apart.read(&["text"], lines).text(), "one two\none two\none two\none two\n");
}

#[test]
fn text_of_a_message_that_is_repeated_counts_once() {
    let described = rules("[[text]]\nwhen = { x = \"t\" }\ntext = \"/t\"\nmessage_id = \"/id\"\n");
    let lines = r#"{"x":"t","id":"1","t":"one"}
{"x":"t","id":"1","t":"one two"}
{"x":"t","id":"2","t":"three"}
"#;
    assert_eq!(described.read(&["text"], lines).text(), "one two\nthree\n");
}

#[test]
fn counts_of_requests_are_added_up_and_those_of_the_run_are_not() {
    let lines = r#"{"x":"u","in":100,"out":10,"c":60,"r":5}
{"x":"u","in":200,"out":20,"c":120,"r":7}
"#;
    let usage = |per: &str, more: &str| {
        let rule = format!(
            "[[usage]]\nwhen = {{ x = \"u\" }}\nper = \"{per}\"\ninput = \"/in\"\noutput = \"/out\"\n\
             cache_read = \"/c\"\nreasoning = \"/r\"\n{more}"
        );
        let row = rules(&rule).read(&["usage"], lines).row();
        ["uncached_input_tokens", "cache_read_tokens", "output_tokens", "total_tokens"]
            .map(|member| row[member].as_u64().unwrap())
    };
    assert_eq!(usage("request", ""), [300, 180, 30, 510]);
    assert_eq!(usage("request", "input_includes_cache = true\n"), [120, 180, 30, 330]);
    assert_eq!(usage("run", ""), [200, 120, 20, 340]);
    assert_eq!(usage("run", "output_includes_reasoning = false\n"), [200, 120, 27, 347]);
}

#[test]
fn values_of_the_wrong_type_count_as_missing() {
    let (stream, description) = documented();
    let described = Described::new(&description);
    let mut broken = String::new();
    for line in stream.lines() {
        let object: Value = serde_json::from_str(line).unwrap();
        for key in object.as_object().unwrap().keys().filter(|key| *key != "event") {
            for wrong in [json!(null), json!([[{}]]), json!({"in": {}}), json!(-1.5), json!(true)] {
                let mut changed = object.clone();
                changed[key] = wrong;
                broken.push_str(&changed.to_string());
                broken.push('\n');
            }
        }
    }
    for command in ["text", "tools", "usage", "error", "session", "summary", "view", "events"] {
        // The broken lines do not affect the others.
        let both = broken.clone() + &stream;
        let output = described.run(&[command], both);
        assert!(output.get_output().status.code().is_some_and(|code| code < 2), "{output}");
    }
    let text = described.read(&["text"], broken + &stream);
    assert!(text.text().ends_with("Looking.\nThere is a README.\n"), "{text}");
}

#[test]
fn lines_of_a_mixed_stream_belong_to_their_cli() {
    let (stream, description) = documented();
    let described = Described::new(&description);
    let others = ["claude/text_success", "codex/text_success"].map(fixture_bytes);
    let mut mixed = Vec::new();
    for part in [&others[0], stream.as_bytes(), &others[1], stream.as_bytes(), &others[0]] {
        mixed.extend_from_slice(part);
    }
    let names = |rows: Vec<Value>| -> Vec<String> {
        rows.iter().map(|row| row["harness"].as_str().unwrap().to_owned()).collect()
    };
    let found = names(described.read(&["events"], mixed.clone()).rows());
    let mut expected = Vec::new();
    for (part, name) in
        [(0, "claude"), (2, "my-agent"), (1, "codex"), (2, "my-agent"), (0, "claude")]
    {
        let bytes = if part == 2 { stream.as_bytes() } else { &others[part] };
        let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        expected.extend(lines.map(|_| name.to_owned()));
    }
    assert_eq!(found, expected);
    // Names in tagged lines count, too.
    let tagged = described.read(&["events"], mixed).text().to_owned();
    assert_eq!(names(described.read(&["events"], tagged).rows()), expected);
}

#[test]
fn threads_do_not_change_the_output() {
    let (stream, description) = documented();
    let described = Described::new(&description);
    let other = String::from_utf8(fixture_bytes("claude/text_success")).unwrap();
    let large = (stream + &other).repeat(400);
    for command in ["text", "tools", "usage", "events"] {
        let [one, many] = ["1", "4"].map(|threads| {
            described.read(&[command, "--threads", threads], large.as_str()).text().to_owned()
        });
        assert!(one == many, "{command}");
        assert!(!one.is_empty());
    }
}

#[test]
fn secret_that_is_split_between_deltas_is_masked() {
    let (_, description) = documented();
    let described = Described::new(&description);
    let line = |text: &str| {
        let token =
            json!({"event": "token", "session": "s", "kind": "text", "message": "m", "text": text});
        format!("{token}\n")
    };
    let parts = ["the key is sk-ant", "-api03-AbCd", "EfGh1234 and more"];
    let stream: String = parts.iter().map(|text| line(text)).collect();
    let shown = described.read(&["text", "--redact"], stream);
    assert_eq!(shown.text(), "the key is <redacted> and more\n");
}

#[test]
fn failed_run_has_a_category_and_a_run_without_its_end_is_incomplete() {
    let (stream, description) = documented();
    let described = Described::new(&description);
    let failed = r#"{"event":"start","session":"s"}
{"event":"error","session":"s","text":"too many requests","code":429}
{"event":"end","session":"s","status":"failed"}
"#;
    let error = described.read(&["error"], failed).row();
    assert_eq!(error["category"], "rate_limit");
    assert_eq!(error["message"], "too many requests");
    assert_eq!(error["status"], 429);
    let cut: Vec<&str> = stream.lines().take(9).collect();
    let summary = described.read(&["summary"], cut.join("\n")).row();
    assert_eq!(summary["complete"], false);
    // Without a terminal event the last message completes a run.
    let without = description.replace("[[end]]", "[[other]]");
    let without = without.replace("failed = { status = [\"failed\", \"aborted\"] }\n", "");
    let without = Described::new(&without.replace("duration_ms = \"/milliseconds\"\n", ""));
    let summary = without.read(&["summary"], stream).row();
    assert_eq!(summary["complete"], true);
}

#[test]
fn mistakes_are_reported_with_their_line() {
    let text = "[[text]]\nwhen = { type = \"a\" }\ntext = \"/t\"\n";
    for (description, line, expected) in [
        ("", 1, "name: missing"),
        ("name = \"a b\"\n", 1, "name: expected lower-case"),
        ("\nname = \"claude\"\n", 2, "name: claude is built in; choose another name"),
        ("name = \"unknown\"\n", 1, "is built in"),
        ("name = 7\n", 1, "name: expected a text"),
        ("name = \"x\"\n", 1, "no rule"),
        ("name = \"x\"\n[[text]]\nwhen = { type = \"a\" }\n", 2, "text: missing"),
        ("name = \"x\"\n[[text]]\ntext = \"/t\"\n", 1, "no condition tells its lines"),
        (
            &format!("name = \"x\"\n{text}colour = 1\n"),
            5,
            "unknown key \"colour\"; expected one of",
        ),
        (&format!("name = \"x\"\nsesion = \"/s\"\n{text}"), 2, "unknown key \"sesion\""),
        (&format!("name = \"x\"\nname = \"y\"\n{text}"), 2, "duplicate key"),
        (&format!("name = \"x\"\n{text}[[text]]\ntext = 3\n"), 6, "text: expected a text"),
        (&format!("name = \"x\"\n{text}[[text]]\ntext = \"a/b\"\n"), 6, "starts with a slash"),
        (&format!("name = \"x\"\n{text}[[text]]\ntext = \"{}\"\n", "/a".repeat(17)), 6, "16 steps"),
        (&format!("name = \"x\"\n{text}has_end = true\n"), 5, "unknown key"),
        (&format!("name = \"x\"\nhas_end = true\n{text}"), 2, "has_end: there is no [[end]]"),
        (&format!("name = \"x\"\n{text}[end]\n"), 5, "end: expected tables: write [[end]]"),
        (
            &format!("name = \"x\"\n{text}[[end]]\nwhen = {{ type = [] }}\n"),
            6,
            "when: expected a text",
        ),
        (&format!("name = \"x\"\n{text}[[end]]\nwhere = {{ type = 1 }}\n"), 6, "use `when`"),
        (
            &format!("name = \"x\"\n{text}[[usage]]\ninput = \"/i\"\n"),
            5,
            "per: expected \"request\"",
        ),
        (
            &format!(
                "name = \"x\"\n{text}[[usage]]\nper = \"run\"\ninput = \"/i\"\ncost_usd = \"/c\"\n"
            ),
            8,
            "the cost of a run belongs to [[end]]",
        ),
        (&format!("name = \"x\"\n{text}[recognise]\n"), 5, "recognise: expected when"),
        (&format!("name = \"x\"\n{text}[[text\n"), 5, ""),
        (&format!("name = \"x\"\n{}", text.repeat(101)), 1, "more than 100 rules"),
        (&format!("name = \"x\"\n{text}#{}", "x".repeat(65_536)), 1, "more than 64 KiB"),
        (
            &format!("name = \"x\"\n{text}[a]\nb = {}1{}\n", "[".repeat(9999), "]".repeat(9999)),
            6,
            "",
        ),
    ] {
        let described = Described::new(description);
        let error = described.run(&["text"], "{}\n").code(2);
        let place = format!("streamj: {}:{line}: {expected}", described.path().display());
        let has_place = error.errors().starts_with(&place)
            || error.errors().contains(expected)
                && error.errors().contains(&format!("my-agent.toml:{line}: "));
        assert!(has_place, "{description:.80}: {place}\n{}", error.errors());
        assert_eq!(error.errors().lines().count(), 1, "{}", error.errors());
        assert_eq!(error.text(), "");
    }
    let binary = Described::new("");
    fs::write(binary.path(), b"name = \"x\"\n\xff\xfe\0").unwrap();
    binary
        .run(&["text"], "")
        .code(2)
        .stderr(predicate::str::contains("my-agent.toml:2: not UTF-8"));
    let missing = run(&["--harness-file", "/nonexistent.toml", "text"], "").code(2);
    assert!(missing.errors().starts_with("streamj: /nonexistent.toml: "), "{missing}");
}

#[test]
fn descriptions_in_the_configuration_folder_are_read() {
    let (stream, description) = documented();
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("streamj/harnesses");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("a.toml"), &description).unwrap();
    fs::write(folder.join("notes.txt"), "no description").unwrap();
    let read = |args: &[&str]| {
        streamj(args).env("XDG_CONFIG_HOME", home.path()).write_stdin(stream.as_str()).assert()
    };
    assert_eq!(read(&["text", "--last"]).success().text(), "There is a README.\n");
    let list = read(&["harness", "list"]).success();
    let (own, folder_of) = (Described::new(&description), tempfile::tempdir().unwrap());
    let own_list = streamj(&["harness", "list", "--harness-file", own.path().to_str().unwrap()])
        .env("XDG_CONFIG_HOME", folder_of.path())
        .assert()
        .success();
    assert!(own_list.text().ends_with("my-agent.toml\n"), "{own_list}");
    assert!(list.text().starts_with("claude "), "{list}");
    assert!(list.text().lines().last().unwrap().starts_with("my-agent "), "{list}");
    // A named file replaces the one of the same name.
    let named = Described::new(&description.replace("\"My Agent\"", "\"Other\""));
    let path = named.path();
    let path = path.to_str().unwrap();
    let last = ["--harness-file", path, "text", "--last"];
    assert_eq!(read(&last).success().text(), "There is a README.\n");
    read(&["--harness-file", path, "--harness-file", path, "text"])
        .code(2)
        .stderr(predicate::str::contains("my-agent is described in"));
    fs::write(folder.join("b.toml"), &description).unwrap();
    read(&["text"]).code(2).stderr(predicate::str::contains("b.toml: my-agent is described in"));
    fs::write(folder.join("b.toml"), "name = 1").unwrap();
    read(&["text"]).code(2).stderr(predicate::str::contains("b.toml:1: name: expected"));
}

#[test]
fn harness_may_be_selected_by_the_name_of_a_description() {
    let (_, description) = documented();
    let described = Described::new(&description);
    let line = "{\"event\":\"other\"}\n";
    let row = described.run(&["--harness", "my-agent", "events"], line).row();
    assert_eq!(row["harness"], "my-agent");
    described
        .run(&["text", "--harness", "nothing"], line)
        .code(2)
        .stderr(predicate::str::contains("--harness nothing: not one of: my-agent, claude, codex"));
}

/// A program that prints a stream and exits.
#[cfg(unix)]
fn stand_in(folder: &Path, stream: &str, status: u8) -> String {
    use std::os::unix::fs::PermissionsExt;

    let path = folder.join("my-agent");
    fs::write(&path, format!("#!/bin/sh\ncat <<'END'\n{stream}END\nexit {status}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path.to_str().unwrap().to_owned()
}

#[cfg(unix)]
#[test]
fn wrap_judges_a_run_by_its_description() {
    let (stream, description) = documented();
    let described = Described::new(&description);
    let folder = described.folder.path();
    let wrap = |stream: &str, status: u8| {
        let program = stand_in(folder, stream, status);
        described.run(&["wrap", "--as", "text", "--no-stdin", "--", &program], "")
    };
    assert_eq!(wrap(&stream, 0).success().text(), "Looking.\nThere is a README.\n");
    // Without its end a run is not finished, whatever its exit status.
    let cut: String = stream.split_inclusive('\n').take(12).collect();
    assert_ne!(wrap(&cut, 0).get_output().status.code(), Some(0));
    let failed = stream.replace("\"done\"", "\"failed\"");
    assert_ne!(wrap(&failed, 0).get_output().status.code(), Some(0));
    // The program's name selects the harness: lines without its members belong to it.
    let program = stand_in(folder, "{\"other\":1}\n", 0);
    let events = described.run(&["wrap", "--as", "events", "--no-stdin", "--", &program], "");
    assert_eq!(events.row()["harness"], "my-agent");
    let args = ["wrap", "--dry-run", "--strip-auth", "--", &program, "hi"];
    assert!(described.read(&args, "").text().ends_with("my-agent hi\n"));
    let error = described.run(&["wrap", "--harness", "nothing", "--", "true"], "").code(125);
    assert!(error.errors().contains("--harness nothing"), "{error}");
}

#[test]
fn library_reads_described_clis() {
    use streamj::event::Event;
    use streamj::harness::{Description, Harness};
    use streamj::reader::DecodeOptions;

    let (stream, description) = documented();
    let mut options = DecodeOptions::default();
    options.described =
        Box::leak(Box::new([Harness::described(Description::parse(&description).unwrap())]));
    let mut texts = Vec::new();
    for record in streamj::Records::new(stream.as_bytes(), options) {
        let record = record.unwrap();
        assert_eq!(record.get().harness.name(), "my-agent");
        texts.extend(record.get().events.iter().filter_map(|event| match event {
            Event::Text { text, .. } => Some(text.to_string()),
            _ => None,
        }));
    }
    assert_eq!(texts, ["Looking.", "There is a README."]);
    let error = Description::parse("name = \"a\"\n?").unwrap_err();
    assert_eq!(error.line, 2);
}

#[test]
fn unknown_stream_leads_to_a_description() {
    let (stream, _) = documented();
    let unknown = run(&["text"], stream);
    assert!(unknown.errors().contains("streamj harness infer FILE > my-agent.toml"), "{unknown}");
}

/// Proposes a description of a recording and reads the recording with it.
fn inferred(recording: &Path) -> Described {
    let proposed = run(&["harness", "infer", recording.to_str().unwrap()], "").success();
    let text = proposed.text();
    assert!(text.starts_with("# Proposed by"), "{text}");
    Described::new(text)
}

#[test]
fn proposed_description_reads_the_documented_example() {
    let (stream, _) = documented();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("Some Agent.jsonl");
    fs::write(&path, &stream).unwrap();
    let described = inferred(&path);
    assert!(fs::read_to_string(described.path()).unwrap().contains("name = \"someagent\"\n"));
    let read = |args: &[&str]| described.read(args, stream.as_str());
    assert_eq!(read(&["text"]).text(), "Looking.\nThere is a README.\n");
    let tools = read(&["tools"]).rows();
    assert_eq!(tools.len(), 2);
    assert_eq!(tools[0]["name"], "shell");
    assert_eq!(tools[0]["output"], "README.md\n");
    assert_eq!(read(&["session"]).row()["session_id"], "s-1");
    assert_eq!(read(&["summary"]).row()["complete"], true);
}

#[test]
fn proposed_description_contains_nothing_of_what_was_said() {
    let (stream, _) = documented();
    let proposed = run(&["harness", "infer", "--name", "claude"], stream).success();
    let text = proposed.text();
    for content in ["README", "Looking", "listing", "/tmp/demo", "gpt-5.1", "s-1", "c-1"] {
        assert!(!text.contains(content), "{content}: {text}");
    }
    // The name of a built-in CLI is taken.
    assert!(text.contains("name = \"my-agent\"\n"), "{text}");
    run(&["harness", "infer"], "not json\n[1]\n")
        .code(2)
        .stderr(predicate::str::contains("<stdin>: no line is a JSON object"));
}

#[test]
fn proposed_description_quotes_names_of_members() {
    let line = json!({"type": "say", "text": "Hello there.", "a\"b\\\u{7f}\u{202e}\né": 1});
    let proposed = run(&["harness", "infer", "--name", "x"], format!("{line}\n")).success();
    let hidden = |c: char| c != '\n' && (c.is_control() || c == '\u{202e}');
    assert!(!proposed.text().contains(hidden), "{proposed}");
    let described = Described::new(proposed.text());
    assert_eq!(described.read(&["text"], format!("{line}\n")).text(), "Hello there.\n");
}

/// What a recording of an unknown CLI contains: the text, the names of its tools, and the
/// uncached input, the cached input and the output.
type Content = (&'static str, &'static [&'static str], Option<[u64; 3]>);

#[test]
fn proposed_descriptions_read_recordings_of_clis() {
    let recordings: &[(&str, Content)] = &[
        (
            "captures/opencode/tools.jsonl",
            (
                "Running.\nAll done.\n",
                &["bash", "read", "invalid", "write"],
                Some([2000, 4000, 250]),
            ),
        ),
        (
            "captures/opencode/text_success.jsonl",
            ("Hello from the fake model.\n", &[], Some([400, 800, 50])),
        ),
        (
            "more_captures/droid/tools.jsonl",
            (
                "Running.\nAll done.\n",
                &["Execute", "Execute", "Read", "NoSuchTool", "Create"],
                Some([2400, 4800, 300]),
            ),
        ),
        (
            "captures/gemini/tools.jsonl",
            (
                "Running.\nAll done.\n",
                &["run_shell_command", "write_file", "read_file", "no_such_tool"],
                Some([2000, 4000, 250]),
            ),
        ),
        (
            "more_captures/pi/tools.jsonl",
            (
                "Running.\nAll done.\n",
                &["bash", "bash", "read", "no_such_tool", "write", "edit"],
                Some([2800, 5600, 350]),
            ),
        ),
        (
            "more_captures/kimi/tools.jsonl",
            ("Running.\nAll done.\n", &["Bash", "Bash", "Read", "NoSuchTool", "Write"], None),
        ),
        (
            "more_captures/vibe/tools.jsonl",
            (
                "Running.\nAll done.\n",
                &["file_system.bash", "file_system.bash", "file_system.write_file"],
                None,
            ),
        ),
    ];
    for (name, (text, tools, tokens)) in recordings {
        let Some(path) = shared(name) else { return };
        let described = inferred(&path);
        let path = path.to_str().unwrap();
        let read = |command: &str| described.read(&[command, path], "");
        assert_eq!(read("text").text(), *text, "{name}");
        let rows = read("tools").rows();
        let names: Vec<&str> = rows.iter().map(|row| row["name"].as_str().unwrap()).collect();
        assert_eq!(names, *tools, "{name}");
        assert!(rows.iter().all(|row| row["status"] != "pending"), "{name}");
        if let Some(tokens) = tokens {
            let row = read("usage").row();
            let members = ["uncached_input_tokens", "cache_read_tokens", "output_tokens"];
            let found = members.map(|member| row[member].as_u64().unwrap());
            assert_eq!(found, *tokens, "{name}");
        }
    }
}

/// A proposal is valid whatever the recording is.
#[test]
fn every_recording_has_a_proposal_or_a_reason() {
    for path in crate::support::fixtures() {
        let proposed = run(&["harness", "infer", path.to_str().unwrap()], "");
        let is_described = proposed.get_output().status.success();
        if is_described {
            Described::new(proposed.text())
                .run(&["text", path.to_str().unwrap()], "")
                .code(predicate::lt(2));
        } else {
            assert_eq!(proposed.errors().lines().count(), 1, "{proposed}");
        }
    }
}
