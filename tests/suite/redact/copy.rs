//! `redact`: copies of streams without secrets.

use super::*;

const KEY: &str = "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIObCdEf0123456789AbCdEfGhIjKlMnOpQrStUvWxYz01\nab0=\n-----END EC PRIVATE KEY-----\n";

#[test]
fn copy_differs_in_secrets_only_and_counts_are_printed() {
    let input = "{ \"a\" : 1.0,\t\"b\":\"\\u00e9 \\/\" }\r\n\n \nnot JSON\n[1, 2]\n{\"broken\": \n\
        {\"text\":\"it is ghp_0123456789abcdefghij.\", \"n\":1e2}\n\
        DB_PASS=s3cr3t-Passw0rd\n{\"password\":[\"opensesame\", \"x\"],\"keep\":\"opensesame\"}\n\u{feff}no newline";
    let expected = input
        .replace("ghp_0123456789abcdefghij", "<redacted>")
        .replace("s3cr3t-Passw0rd", "<redacted>")
        .replace("[\"opensesame\"", "[\"<redacted>\"");
    run(&["redact"], input).success().stdout(expected).stderr(
        "streamj: github: 1 secret\nstreamj: member: 1 secret\nstreamj: password: 1 secret\n",
    );
    let invalid = b"\xff\xfe {\n{\"a\":\"\xff\"}\n";
    assert_eq!(run(&["redact"], &invalid[..]).get_output().stdout, invalid);
}

#[test]
fn recordings_without_secrets_are_copied_byte_by_byte() {
    for path in fixtures() {
        let copied = streamj(&["-q", "redact"]).arg(&path).env_clear().assert().success();
        let bytes = std::fs::read(&path).unwrap();
        assert!(copied.get_output().stdout == bytes, "{}", path.display());
    }
}

#[test]
fn secret_split_over_deltas_is_masked_in_the_copy_and_other_deltas_are_unchanged() {
    for secret in &SECRETS[..3] {
        let text = format!("My key: {secret} is it, so.");
        for cut in 1..text.len() {
            let (one, two) = text.split_at(cut);
            let input = partial(&[one, two, " s", "o it", " is"], false);
            let copy = copied(input.as_bytes());
            assert_eq!(copy.lines().count(), input.lines().count(), "{cut}");
            let rows = copy.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
            let main = rows.filter(|row| row["parent_tool_use_id"].is_null());
            let deltas: String = main
                .filter_map(|row| Some(row["event"]["delta"]["text"].as_str()?.to_owned()))
                .collect();
            assert_eq!(deltas, "My key: <redacted> is it, so. so it is", "{cut}");
            let same = input.lines().zip(copy.lines()).filter(|(line, same)| line == same).count();
            assert!(same >= input.lines().count() - 2, "{cut}");
        }
    }
}

#[test]
fn private_key_is_masked_as_tools_print_it() {
    let numbered = |separator: &str| {
        let lines = KEY.lines().enumerate();
        let lines = lines.map(|(at, line)| format!("{:6}{separator}{line}\n", at + 1));
        lines.collect::<Vec<_>>().concat()
    };
    let prefixed = |prefix: &str| {
        let lines = KEY.lines().map(|line| format!("{prefix}{line}\n"));
        lines.collect::<Vec<_>>().concat()
    };
    let headers = KEY.replacen('\n', "\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B\n\n", 1);
    let block = KEY.replace("EC PRIVATE KEY", "PGP PRIVATE KEY BLOCK").replacen(
        '\n',
        "\nVersion: 1\n\n",
        1,
    );
    let shapes = [
        KEY.to_owned(),
        KEY.replace('\n', "\r\n"),
        KEY.replace('\n', "\\n"),
        KEY.replace('\n', " "),
        numbered("→"),
        numbered("\t"),
        prefixed("id_rsa:"),
        prefixed("src/keys/id_rsa-12-"),
        prefixed("> "),
        prefixed("+"),
        prefixed("    "),
        headers,
        block,
    ];
    for shape in shapes {
        let body = ["MHcCAQ", "UvWxYz01", "ab0="];
        let is_clean = |text: &str| !body.iter().any(|part| text.contains(part));
        // In a string, in a log, and in deltas.
        let line = json!({"type": "x", "text": format!("{shape}after it")}).to_string() + "\n";
        let copy = copied(line.as_bytes());
        assert!(is_clean(&copy) && copy.contains("after it"), "{shape}\n{copy}");
        let copy = copied(format!("{shape}\nafter it\n").as_bytes());
        assert!(is_clean(&copy) && copy.contains("after it"), "{shape}\n{copy}");
        let text = format!("{shape}\nafter it.");
        let letters: Vec<String> = text.chars().map(String::from).collect();
        let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
        let shown =
            rendered(&["--redact", "text", "--main-only"], partial(&letters, false).as_bytes());
        assert!(is_clean(&shown) && shown.ends_with("after it.\n"), "{shape}\n{shown}");
    }
}

#[test]
fn own_patterns_are_masked_by_every_command() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("patterns");
    std::fs::write(&file, "# tickets\n\nINT-[0-9]+\n").unwrap();
    let file = file.to_str().unwrap();
    let options = ["--redact-pattern", "(?i)project \\w+", "--redact-file", file];
    let text = "It is Project Falcon (INT-123).";
    let line = json!({"type": "item.completed", "item": {"id": "i", "type": "agent_message", "text": text}});
    let masked = "It is <redacted> (<redacted>).";
    run(&[&["text"], &options[..]].concat(), format!("{line}\n")).stdout(format!("{masked}\n"));
    run(&[&options[..], &["text"]].concat(), format!("{line}\n")).stdout(format!("{masked}\n"));
    run(&[&["redact"], &options[..]].concat(), format!("{line}\n"))
        .stdout(format!("{line}\n").replace(text, masked))
        .stderr("streamj: own-pattern: 2 secrets\n");
    for cut in 1..text.len() {
        let (one, two) = text.split_at(cut);
        let shown = rendered(
            &[&["text", "--main-only"], &options[..]].concat(),
            partial(&[one, two], false).as_bytes(),
        );
        assert_eq!(shown, format!("{masked}\n"), "{cut}");
    }
    run(&["text", "--redact-pattern", "("], "")
        .code(2)
        .stderr(predicate::str::contains("unclosed group"));
    run(&["text", "--redact-pattern", "x*"], "")
        .code(2)
        .stderr(predicate::str::contains("matches an empty text"));
    run(&["text", "--redact-file", "/no/such"], "").code(2);
}

#[test]
fn line_over_the_limit_is_reported_and_not_copied() {
    let long = format!("short\n{}\nnext\n", "x".repeat(200_000));
    run(&["redact", "--max-line", "64K"], long)
        .code(1)
        .stdout("short\nnext\n")
        .stderr(predicate::str::contains("<stdin>:2: line too long, not copied: 200001 bytes"));
}

#[test]
fn text_that_other_lines_interrupt_stays_masked() {
    for secret in [SECRETS[0], SECRETS[1]] {
        let text = format!("My key: {secret} is it");
        let input = |cut: usize| {
            let (one, two) = text.split_at(cut);
            let lines = partial(&[one, two], false);
            let end = json!({"type": "user", "message": {"content": []}}).to_string() + "\n";
            let middle = lines.match_indices('\n').nth(3).unwrap().0 + 1;
            format!("{}{end}{}", &lines[..middle], &lines[middle..])
        };
        for cut in text.find(secret).unwrap() + 18..text.len() {
            let copy = copied(input(cut).as_bytes());
            assert!(clean().eval(&copy), "{cut}: {copy}");
            for args in [&["--redact", "text", "--main-only"][..], &["--redact", "events"]] {
                let shown = rendered(args, input(cut).as_bytes());
                assert!(clean().eval(&shown), "{args:?} {cut}: {shown}");
            }
        }
    }
}

#[test]
fn commands_without_secrets_in_their_output_refuse_the_option() {
    for args in [&["memories", "--db", "x"][..], &["prompt", "x"], &["schema", "usage"]] {
        let message = format!("'--redact' cannot be used with '{}'", args[0]);
        run(&[&["--redact"], args].concat(), "").code(2).stderr(predicate::str::contains(message));
    }
}
