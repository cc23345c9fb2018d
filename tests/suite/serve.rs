//! `serve` as a program: its address, its errors, its answers. `tests/browser` opens the
//! page.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use predicates::prelude::*;
use serde_json::Value;

use crate::support::cli::run;
use crate::support::{BIN, fixture, fixture_bytes};

/// A server that ends with the test.
struct Server {
    child: Child,
    port: u16,
    token: String,
}

impl Server {
    fn start(args: &[&str]) -> Self {
        let mut command = Command::new(BIN);
        command.arg("serve").args(args).env("XDG_CONFIG_HOME", "/nonexistent");
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        // The address comes before anything is read.
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim_end().strip_prefix("http://127.0.0.1:").unwrap();
        let (port, token) = address.split_once("/?token=").unwrap();
        Self { child, port: port.parse().unwrap(), token: token.to_owned() }
    }

    fn connect(&self, path: &str) -> TcpStream {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let port = self.port;
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n"
        )
        .unwrap();
        stream
    }

    /// Returns the status and the body of an answer.
    fn get(&self, path: &str) -> (u16, String) {
        let mut text = String::new();
        self.connect(path).read_to_string(&mut text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        (head[9..12].parse().unwrap(), body.to_owned())
    }

    fn sessions(&self) -> Value {
        let (status, body) = self.get(&format!("/api/sessions?token={}", self.token));
        assert_eq!(status, 200, "{body}");
        serde_json::from_str(&body).unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn address_comes_first_and_has_a_token_of_enough_bits() {
    let file = fixture("codex/text_success");
    let server = Server::start(&[file.to_str().unwrap()]);
    assert!(server.token.len() * 4 >= 128, "{}", server.token);
    assert!(server.token.bytes().all(|byte| byte.is_ascii_hexdigit()));
    assert_eq!(server.get("/").0, 401);
    assert_eq!(server.get("/api/sessions").0, 401);
    assert_eq!(server.get(&format!("/?token={}", server.token)).0, 200);
    let other = Server::start(&[file.to_str().unwrap()]);
    assert_ne!(server.token, other.token);
    assert_eq!(server.get(&format!("/?token={}", other.token)).0, 401);
}

#[test]
fn document_is_the_one_of_a_report_without_data() {
    let file = fixture("codex/text_success");
    let server = Server::start(&[file.to_str().unwrap()]);
    let (_, live) = server.get(&format!("/?token={}", server.token));
    let report = run(&["report", file.to_str().unwrap()], "").success();
    let report = String::from_utf8(report.get_output().stdout.clone()).unwrap();
    let script = |text: &str| {
        let (_, rest) = text.split_once("<script>").unwrap();
        rest.split_once("</script>").unwrap().0.to_owned()
    };
    assert_eq!(script(&live), script(&report));
    assert!(!live.contains("<script type="));
}

#[test]
fn sessions_are_listed_with_their_usage() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["text_success", "command_parallel"] {
        let content = fixture_bytes(&format!("codex/{name}"));
        std::fs::write(folder.path().join(name).with_extension("jsonl"), content).unwrap();
    }
    let server = Server::start(&[folder.path().to_str().unwrap()]);
    let listed = server.sessions();
    assert_eq!(listed["sessions"].as_array().unwrap().len(), 2, "{listed}");
    assert!(!listed["usage"]["day"].as_array().unwrap().is_empty());
    let content = fixture_bytes("codex/todo_list");
    std::fs::write(folder.path().join("todo.jsonl"), content).unwrap();
    let started = Instant::now();
    while server.sessions()["sessions"].as_array().unwrap().len() < 3 {
        assert!(started.elapsed() < Duration::from_mins(1), "{}", server.sessions());
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn run_is_sent_as_events() {
    let file = fixture("codex/command_parallel");
    let server = Server::start(&[file.to_str().unwrap()]);
    let path = format!("/api/run?token={}&name={}", server.token, file.display());
    let lines = BufReader::new(server.connect(&path)).lines().map(Result::unwrap);
    let until_current: Vec<_> = lines.take_while(|line| !line.contains("event: current")).collect();
    let data = |event: &str| {
        let at = until_current.iter().position(|line| line.contains(event)).unwrap();
        let line = until_current[at..].iter().find_map(|line| line.strip_prefix("data: ")).unwrap();
        serde_json::from_str::<Value>(line).unwrap()
    };
    assert_eq!(data("event: header")["harness"], "codex");
    assert!(data("event: changes").as_array().unwrap().len() > 2);
}

#[test]
fn what_cannot_be_served_is_an_error() {
    let fails = |args: &[&str], message: &str| {
        run(&[&["serve"], args].concat(), "")
            .code(2)
            .stdout("")
            .stderr(predicate::str::contains(message));
    };
    fails(&["/no/such/file.jsonl"], "/no/such/file.jsonl: no such file");
    fails(&["-"], "standard input");
    let file = fixture("codex/text_success");
    let file = file.to_str().unwrap();
    let server = Server::start(&[file]);
    fails(&[file, "--port", &server.port.to_string()], "cannot listen: ");
    let folder = tempfile::tempdir().unwrap();
    let token = folder.path().join("token");
    std::fs::write(&token, "short").unwrap();
    fails(&[file, "--token-file", token.to_str().unwrap()], "not a token");
}

#[test]
fn secrets_are_masked_on_the_page_too() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.jsonl");
    let secret = "sk-ant-api03-AbCdEfGhIjKlMnOpQrStUv";
    let item = format!(r#"{{"id":"i","type":"agent_message","text":"It is {secret}."}}"#);
    let line = format!(r#"{{"type":"item.completed","item":{item}}}"#);
    std::fs::write(&file, line + "\n").unwrap();
    let server = Server::start(&["--redact", file.to_str().unwrap()]);
    let path = format!("/api/run?token={}&name={}", server.token, file.display());
    let lines = BufReader::new(server.connect(&path)).lines().map(Result::unwrap);
    let sent: Vec<_> = lines.take_while(|line| !line.contains("event: current")).collect();
    let sent = sent.join("\n");
    assert!(sent.contains("It is <redacted>.") && !sent.contains(secret), "{sent}");
}
