//! `report`: the document as a file. `tests/browser` opens it.

use predicates::prelude::*;
use serde_json::{Value, json};

use crate::support::cli::{Printed, run, streamj};
use crate::support::{fixture, fixture_bytes};

/// Returns the JSON of the elements that have an attribute.
fn data(document: &str, attribute: &str) -> Vec<Value> {
    let start = format!("<script type=\"application/json\" {attribute}=\"");
    let parts = document.split(&start).skip(1);
    let texts = parts.map(|part| {
        let (_, rest) = part.split_once('>').unwrap();
        rest.split_once("</script>").unwrap().0
    });
    texts.map(|text| serde_json::from_str(text).unwrap()).collect()
}

/// Returns the items of a document with everything that changes say about them.
fn items(document: &str) -> Vec<Value> {
    let mut items: Vec<Value> = Vec::new();
    let parts = data(document, "data-run");
    for change in parts.iter().flat_map(|part| part.as_array().unwrap()) {
        let number = usize::try_from(change["item"].as_u64().unwrap()).unwrap();
        if number == items.len() {
            items.push(json!({}));
        }
        for (name, value) in change.as_object().unwrap() {
            items[number][name] = value.clone();
        }
    }
    items
}

fn report(name: &str) -> String {
    run(&["report"], fixture_bytes(name)).success().text().to_owned()
}

#[test]
fn report_contains_the_items_of_a_run_in_order() {
    let document = report("claude/tool_permission_denied");
    let items = items(&document);
    let kinds: Vec<_> = items.iter().map(|item| item["kind"].as_str().unwrap()).collect();
    assert!(kinds.contains(&"tool") && kinds.contains(&"text"), "{kinds:?}");
    let denied: Vec<_> = items.iter().filter(|item| item["status"] == "denied").collect();
    assert!(denied[0]["name"].is_string() && denied[0]["line"].is_u64(), "{denied:?}");
    let [header] = &data(&document, "data-header")[..] else { panic!("{document}") };
    assert_eq!(header["harness"], "claude");
    assert_eq!(header["tools"]["denied"], denied.len());
    assert!(header["tokens"]["total_tokens"].as_u64() > Some(0));
}

#[test]
fn report_of_parts_has_each_text_once() {
    for name in ["claude/partial_multi_block", "claude/partial_text", "codex/text_success"] {
        let texts = run(&["text"], fixture_bytes(name)).success().text().to_owned();
        let items = items(&report(name));
        let shown = items.iter().filter(|item| item["kind"] == "text");
        let shown: Vec<_> = shown.map(|item| item["text"].as_str().unwrap()).collect();
        assert_eq!(shown.join("\n") + "\n", texts, "{name}");
    }
}

#[test]
fn no_data_end_their_element() {
    let hostile = "</script><script>alert(1)</script><!-- <script> </SCRIPT x> <\u{0}/script>";
    let text = serde_json::to_string(hostile).unwrap();
    let item = format!(r#"{{"id":"i","type":"agent_message","text":{text}}}"#);
    let line = format!(r#"{{"type":"item.completed","item":{item}}}"#);
    let document = run(&["report"], line).success().text().to_owned();
    let clean = report("codex/text_success");
    let count = |text: &str, mark: &str| text.to_lowercase().matches(mark).count();
    for mark in ["</script", "<script", "<!--"] {
        let of_text = if mark == "<script" { 2 } else { 0 };
        assert_eq!(count(&document, mark), count(&clean, mark) + of_text, "{mark}");
    }
    assert_eq!(items(&document)[0]["text"], hostile);
}

#[test]
fn report_is_written_when_it_is_complete() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("run.html");
    std::fs::write(&target, "before").unwrap();
    let output = target.to_str().unwrap();
    let missing = folder.path().join("missing.jsonl");
    run(&["report", "-o", output, missing.to_str().unwrap()], "").code(2);
    assert_eq!(std::fs::read_to_string(&target).unwrap(), "before");
    let source = fixture("codex/text_success");
    run(&["report", "-o", output, source.to_str().unwrap()], "").success().stdout("").stderr("");
    assert!(std::fs::read_to_string(&target).unwrap().ends_with("</html>\n"));
    let names: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(names.len(), 1);
    let nowhere = folder.path().join("no/run.html");
    let message = predicate::str::contains("no/run.html: ");
    run(&["report", "-o", nowhere.to_str().unwrap()], "").code(2).stderr(message);
}

/// A device must never be replaced by a file.
#[cfg(unix)]
#[test]
fn what_is_no_regular_file_is_written_and_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let (link, target) = (folder.path().join("link.html"), folder.path().join("target.html"));
    std::fs::write(&target, "before").unwrap();
    std::os::unix::fs::symlink(&target, &link).unwrap();
    run(&["report", "-o", link.to_str().unwrap()], fixture_bytes("codex/text_success")).success();
    assert!(link.is_symlink());
    assert!(std::fs::read_to_string(&target).unwrap().ends_with("</html>\n"));

    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reader = std::thread::Builder::new();
    let opened = pipe.clone();
    let reader = reader.spawn(move || std::fs::read_to_string(opened).unwrap()).unwrap();
    run(&["report", "-o", pipe.to_str().unwrap()], fixture_bytes("codex/text_success")).success();
    assert!(reader.join().unwrap().ends_with("</html>\n"));
    assert!(!pipe.metadata().unwrap().is_file());
}

#[test]
fn standard_input_is_a_single_run() {
    let file = fixture("codex/text_success");
    let args = ["report", "-", file.to_str().unwrap()];
    run(&args, "").code(2).stderr(predicate::str::contains("together with files"));
    run(&["report"], "no stream\n").code(1);
}

#[test]
fn several_files_have_an_overview() {
    let files = ["claude/text_success", "codex/command_parallel"].map(fixture);
    let paths: Vec<_> = files.iter().map(|file| file.to_str().unwrap()).collect();
    let document = run(&[&["report"], &paths[..]].concat(), "").success().text().to_owned();
    let [overview] = &data(&document, "data-overview")[..] else { panic!("{document}") };
    assert_eq!(overview["runs"], json!(paths));
    assert_eq!(overview["sessions"].as_array().unwrap().len(), 2);
    assert!(!overview["usage"]["model"].as_array().unwrap().is_empty());
    assert_eq!(data(&document, "data-header").len(), 2);
}

#[test]
fn secrets_are_counted_or_masked() {
    let secret = "sk-ant-api03-AbCdEfGhIjKlMnOpQrStUv";
    let item = format!(r#"{{"id":"i","type":"agent_message","text":"It is {secret}."}}"#);
    let line = format!(r#"{{"type":"item.completed","item":{item}}}"#);
    let plain = run(&["report"], &*line).success();
    assert!(plain.errors().contains("1 secret found and not masked"), "{plain}");
    let header = &data(plain.text(), "data-header")[0];
    assert_eq!(header["secrets"][0]["count"], 1);
    for args in [&["report", "--redact"][..], &["report", "--redact", "--format", "markdown"]] {
        let masked = run(args, &*line).success().stderr("");
        assert!(!masked.text().contains(secret), "{masked}");
    }
    let markdown = run(&["report", "--format", "markdown"], &*line).success();
    assert!(markdown.text().contains("**1 secret found and not masked**"), "{markdown}");
}

/// A session with outputs of tools, as most of a real one, and the bytes of its texts.
fn long_session(calls: usize) -> (String, usize) {
    let (mut lines, mut bytes) = (String::new(), 0);
    let line = |kind: &str, content: Value| {
        let message = json!({ "id": "m", "role": kind, "content": [content] });
        json!({ "type": kind, "sessionId": "s", "uuid": "u", "message": message }).to_string()
    };
    for call in 0..calls {
        let command = format!("cat src/file{call}.rs");
        let row = format!("    let value = compute(\"{call}\", 17); // <b>x</b>\n");
        let output = row.repeat(80);
        bytes += command.len() + output.len();
        let id = format!("t{call}");
        let used = json!({ "type": "tool_use", "id": id, "name": "Bash", "input": { "command": command } });
        let result = json!({ "type": "tool_result", "tool_use_id": id, "content": output });
        for line in [line("assistant", used), line("user", result)] {
            lines += &line;
            lines.push('\n');
        }
    }
    (lines, bytes)
}

#[test]
fn report_is_little_larger_than_the_texts_in_it() {
    let (lines, bytes) = long_session(2000);
    let document = run(&["report"], lines).success().text().len();
    assert!(document * 10 < bytes * 13, "{document} bytes for {bytes} bytes of text");
}

#[test]
fn markdown_shows_the_run_in_short() {
    let printed = run(&["report", "--format", "markdown"], fixture_bytes("codex/command_parallel"));
    let text = printed.success().text().to_owned();
    assert!(text.starts_with("## codex: success\n"), "{text}");
    assert!(text.contains("<details><summary>✓ <b>"), "{text}");
    let (lines, bytes) = long_session(20);
    let text = run(&["report", "--format", "markdown"], lines).success().text().to_owned();
    assert!(text.contains(" more bytes*") && text.len() < bytes, "{text}");
}

#[test]
fn hostile_text_in_markdown_ends_nothing() {
    let texts = ["<!-- open", "```\nopen", "</details><h1>x</h1>", "# Title\n<script>x</script>"];
    let lines: String = (0..)
        .zip(texts)
        .map(|(id, text)| {
            let item = json!({ "id": format!("i{id}"), "type": "agent_message", "text": text });
            json!({ "type": "item.completed", "item": item }).to_string() + "\n"
        })
        .collect();
    let text = run(&["report", "--format", "markdown"], lines).success().text().to_owned();
    for forbidden in ["<!--", "<h1", "<script", "</details>"] {
        assert!(!text.contains(forbidden), "{forbidden}: {text}");
    }
    assert!(text.contains("```\nopen\n```\n"), "{text}");
}

#[test]
fn terminal_is_no_place_for_a_document() {
    use streamj::program::{Streams, run_with};
    let streams = Streams::new(&b""[..], std::io::sink(), std::io::sink()).as_terminal();
    assert_eq!(run_with(["streamj", "report"], streams), 2);
}

#[test]
fn named_file_without_events_is_an_error_and_one_in_a_folder_is_not() {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in
        [("a.jsonl", fixture_bytes("codex/text_success")), ("b.jsonl", b"{}\n".to_vec())]
    {
        std::fs::write(folder.path().join(name), content).unwrap();
    }
    let path = folder.path().to_str().unwrap();
    run(&["report", path], "").success();
    let file = folder.path().join("b.jsonl");
    streamj(&["report", file.to_str().unwrap()]).assert().code(1);
}
