//! Finds the agent in a command line that starts it through another program: `env`,
//! `nice`, `npx`, `bash -c`.

use std::ffi::{OsStr, OsString};
use std::ops::Range;
use std::path::Path;

use crate::harness::Harness;

/// A program that runs the program that its arguments name. An option that is not listed
/// may change what is run, so that nothing is certain.
struct Launcher {
    name: &'static str,
    /// Options without a value.
    flags: &'static [&'static str],
    /// Options with a value, which is attached or the next argument.
    valued: &'static [&'static str],
    /// Number of operands before the program.
    operands: usize,
    /// Whether `NAME=VALUE` may precede the program.
    has_assignments: bool,
    /// Whether it takes options of the program for its own, except behind `--`.
    needs_dashes: bool,
}

const fn launcher(
    name: &'static str,
    flags: &'static [&'static str],
    valued: &'static [&'static str],
) -> Launcher {
    Launcher { name, flags, valued, operands: 0, has_assignments: false, needs_dashes: false }
}

const LAUNCHERS: &[Launcher] = &[
    Launcher {
        has_assignments: true,
        ..launcher(
            "env",
            &["-", "-i", "--ignore-environment", "-v", "--debug"],
            &["-u", "--unset", "-C", "--chdir"],
        )
    },
    launcher("nice", &[], &["-n", "--adjustment"]),
    launcher("ionice", &["-t", "--ignore"], &["-c", "--class", "-n", "--classdata"]),
    launcher("nohup", &[], &[]),
    launcher("setsid", &["-c", "--ctty", "-f", "--fork", "-w", "--wait"], &[]),
    launcher("stdbuf", &[], &["-i", "--input", "-o", "--output", "-e", "--error"]),
    launcher("caffeinate", &["-d", "-i", "-m", "-s", "-u"], &["-t", "-w"]),
    launcher("time", &["-a", "-p", "-q", "-v"], &["-f", "--format", "-o", "--output"]),
    Launcher {
        has_assignments: true,
        ..launcher(
            "sudo",
            &["-A", "-b", "-E", "--preserve-env", "-H", "-k", "-n", "-P", "-S"],
            &["-C", "-D", "-g", "--group", "-p", "-R", "-T", "-u", "--user"],
        )
    },
    launcher("doas", &["-n"], &["-C", "-u"]),
    Launcher {
        operands: 1,
        ..launcher(
            "timeout",
            &["--foreground", "--preserve-status", "-v", "--verbose"],
            &["-k", "--kill-after", "-s", "--signal"],
        )
    },
    launcher("npx", &["-y", "--yes", "--no", "-q", "--quiet"], &["-p", "--package"]),
    launcher("bunx", &["--bun", "--no-install", "--verbose", "--silent"], &["-p", "--package"]),
    Launcher {
        needs_dashes: true,
        ..launcher("npm exec", &["-y", "--yes", "--no", "-q", "--quiet"], &["--package"])
    },
    launcher("pnpm dlx", &[], &["--package"]),
    launcher("yarn dlx", &["-q", "--quiet"], &["-p", "--package"]),
];

/// Programs that run another one, with options that are not known here.
const OTHER_LAUNCHERS: &[&str] = &[
    "asdf",
    "bun",
    "bwrap",
    "chroot",
    "deno",
    "direnv",
    "docker",
    "doppler",
    "dotenvx",
    "firejail",
    "flatpak",
    "mise",
    "nix",
    "nix-shell",
    "node",
    "npm",
    "op",
    "pipx",
    "pnpm",
    "podman",
    "poetry",
    "proxychains",
    "proxychains4",
    "script",
    "ssh",
    "strace",
    "systemd-run",
    "taskset",
    "torsocks",
    "unshare",
    "uv",
    "uvx",
    "watch",
    "xargs",
    "xvfb-run",
    "yarn",
];

const SHELLS: &[&str] = &["sh", "bash", "zsh", "dash"];

/// Characters in a shell script that do more than separate or quote words.
const SHELL_SYNTAX: &[char] =
    &[';', '&', '|', '<', '>', '$', '`', '(', ')', '{', '}', '*', '?', '[', '~', '#', '!', '\n'];

/// A command line with the place of the program in it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Launch<'a> {
    argv: &'a [OsString],
    /// Index of the program, or of the script that contains it.
    start: usize,
    script: Option<Script<'a>>,
}

impl<'a> Launch<'a> {
    /// Finds the program, as far as that is certain.
    pub(super) fn find(argv: &'a [OsString]) -> Self {
        let mut start = 0;
        while let Some(length) = launcher_length(&argv[start..]) {
            start += length;
        }
        match Script::find(&argv[start..]) {
            Some((at, script)) => Self { argv, start: start + at, script: Some(script) },
            None => Self { argv, start, script: None },
        }
    }

    /// Returns the program and its arguments.
    pub(super) fn words(&self) -> &[OsString] {
        self.script.as_ref().map_or(&self.argv[self.start..], |script| &script.words)
    }

    /// Returns the CLI of the program: one of `described`, or a built-in one.
    pub(super) fn harness(&self, described: &[Harness]) -> Option<Harness> {
        harness_of_word(self.words().first()?, described)
    }

    /// Returns the name of the program for messages.
    pub(super) fn name(&self) -> String {
        let name = self.words().first().and_then(|program| Path::new(program).file_name());
        name.unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Returns the `NAME=VALUE` arguments before the program.
    pub(super) fn assignments(&self) -> impl Iterator<Item = &'a OsString> {
        let is_assignment = |word: &&OsString| {
            let text = word.to_str().filter(|text| !text.starts_with('-'));
            text.is_some_and(|text| text.find('=').is_some_and(|at| at > 0))
        };
        self.argv[..self.start].iter().filter(is_assignment)
    }

    /// Returns the whole command line with other words in place of the program's.
    pub(super) fn with_words(&self, words: Vec<OsString>) -> Vec<OsString> {
        let mut argv = self.argv[..self.start].to_vec();
        match &self.script {
            None => argv.extend(words),
            Some(script) => {
                argv.push(script.with_words(&words).into());
                argv.extend_from_slice(&self.argv[self.start + 1..]);
            }
        }
        argv
    }
}

/// A shell's script that is one plain command.
#[derive(Debug, PartialEq, Eq)]
struct Script<'a> {
    text: &'a str,
    /// The words from the program on, and where they are in the text.
    words: Vec<OsString>,
    ranges: Vec<Range<usize>>,
}

impl<'a> Script<'a> {
    /// Returns the script of a command line that runs a shell, and the script's index.
    fn find(argv: &'a [OsString]) -> Option<(usize, Self)> {
        let shell = Path::new(argv.first()?).file_name()?.to_str()?;
        let is_option = |word: &&OsString| word.to_str().is_some_and(|text| text.starts_with('-'));
        let options = argv[1..].iter().take_while(is_option).count();
        let has_script = |word: &OsString| {
            word.to_str().is_some_and(|text| !text.starts_with("--") && text.ends_with('c'))
        };
        let is_script = SHELLS.contains(&shell) && options > 0 && has_script(&argv[options]);
        let text = argv.get(options + 1).filter(|_| is_script)?.to_str()?;
        Some((options + 1, Self::parse(text)?))
    }

    fn parse(text: &'a str) -> Option<Self> {
        if text.contains(SHELL_SYNTAX) {
            return None;
        }
        let mut ranges = word_ranges(text);
        if ranges.first().is_some_and(|first| &text[first.clone()] == "exec") {
            ranges.remove(0);
        }
        let word = |range: &Range<usize>| unquote(&text[range.clone()]).map(OsString::from);
        let words: Vec<_> = ranges.iter().map(word).collect::<Option<_>>()?;
        harness_of_word(words.first()?, &[])?;
        Some(Self { text, words, ranges })
    }

    /// Returns the text with other words. What is the same at the start and at the end
    /// keeps its quotes.
    fn with_words(&self, words: &[OsString]) -> String {
        let pairs = self.words.iter().zip(words);
        let before = pairs.take_while(|(own, new)| own == new).count();
        let pairs = self.words[before..].iter().rev().zip(words[before..].iter().rev());
        let after = pairs.take_while(|(own, new)| own == new).count();
        let start = before.checked_sub(1).map_or(0, |last| self.ranges[last].end);
        let replaced = &self.ranges[before..self.ranges.len() - after];
        let end = replaced.last().map_or(start, |last| last.end);
        let mut text = self.text[..start].to_owned();
        for word in &words[before..words.len() - after] {
            text.push(' ');
            text.push_str(&quote(&word.to_string_lossy()));
        }
        text + &self.text[end..]
    }
}

/// Returns where the words of a plain command are.
fn word_ranges(text: &str) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let (mut start, mut quote, mut is_escaped) = (None, None, false);
    for (at, c) in text.char_indices() {
        let is_space = matches!(c, ' ' | '\t') && quote.is_none() && !is_escaped;
        match (start, is_space) {
            (Some(first), true) => {
                ranges.push(first..at);
                start = None;
            }
            (None, false) => start = Some(at),
            _ => {}
        }
        match quote {
            _ if is_escaped => is_escaped = false,
            None if matches!(c, '\'' | '"') => quote = Some(c),
            Some(open) if open == c => quote = None,
            Some('\'') => {}
            _ => is_escaped = c == '\\',
        }
    }
    ranges.extend(start.map(|first| first..text.len()));
    ranges
}

/// Extensions of the files that package managers and Windows start an agent with. Other
/// files, such as `claude.sh`, may pass their arguments on or not.
const EXTENSIONS: &[&str] = &["exe", "cmd", "bat", "ps1", "js", "mjs", "cjs"];

/// Returns the name of a program without one of the [`EXTENSIONS`].
fn program_name(path: &Path) -> Option<&str> {
    let extension = path.extension().unwrap_or_default();
    let is_known = EXTENSIONS.iter().any(|known| extension.eq_ignore_ascii_case(known));
    if is_known { path.file_stem()?.to_str() } else { path.file_name()?.to_str() }
}

/// Returns the CLI that a program's name, path or package belongs to.
fn harness_of_word(word: &OsStr, described: &[Harness]) -> Option<Harness> {
    let name_of_file = program_name(Path::new(word))?;
    let text = word.to_str()?;
    // `@scope/package@version`
    let package = text.char_indices().skip(1).find(|(_, letter)| *letter == '@');
    let package = package.map_or(text, |(at, _)| &text[..at]);
    let runs_as = |harness: &Harness| {
        let mut names = harness.adapter().program.names.iter();
        names.any(|name| *name == name_of_file || *name == package)
    };
    described.iter().chain(Harness::ALL).copied().find(runs_as)
}

/// Returns the CLI whose package a script is part of: `…/claude-code/cli.js`.
fn harness_of_script(word: &str) -> Option<Harness> {
    let is_script = Path::new(word).extension().is_some_and(|extension| extension == "js");
    let is_folder = |name: &str| Path::new(word).iter().any(|folder| folder == name);
    let is_package = |name: &&str| name.rsplit_once('/').is_some_and(|(_, last)| is_folder(last));
    let has_package = |harness: &&Harness| harness.adapter().program.names.iter().any(is_package);
    Harness::ALL.iter().filter(|_| is_script).find(has_package).copied()
}

/// Returns the program that a command line starts and the CLI that it mentions, if the
/// program is a shell or a launcher, or a script with the CLI's name.
pub(crate) fn mentioned_agent(argv: &[OsString]) -> Option<(&str, Harness)> {
    let program = Path::new(argv.first()?).file_name()?.to_str()?;
    if let Some(harness) =
        Path::new(program).file_stem().and_then(|name| harness_of_word(name, &[]))
    {
        return Some((program, harness));
    }
    let is_launcher = |launcher: &Launcher| launcher.name.split(' ').next() == Some(program);
    let is_other = SHELLS.contains(&program) || OTHER_LAUNCHERS.contains(&program);
    if !is_other && !LAUNCHERS.iter().any(is_launcher) {
        return None;
    }
    let is_name = |c: char| c.is_alphanumeric() || "-_/.@".contains(c);
    let words = argv[1..].iter().filter_map(|word| word.to_str());
    words
        .flat_map(|text| text.split(|c: char| !is_name(c)))
        .filter(|word| !word.is_empty())
        .find_map(|word| {
            let is_plain = Path::new(word).extension().is_none();
            let named = is_plain.then(|| harness_of_word(OsStr::new(word), &[])).flatten();
            Some((program, named.or_else(|| harness_of_script(word))?))
        })
}

impl Launcher {
    /// Returns whether an argument is an option with its value: `--name=value`, `-nvalue`.
    fn has_attached_value(&self, argument: &str) -> bool {
        let name = argument.split_once('=').map(|(name, _)| name);
        let short = argument.get(..2).filter(|_| !argument.starts_with("--"));
        name.into_iter().chain(short).any(|name| self.valued.contains(&name))
    }
}

/// Returns the number of words before the program that a launcher runs.
fn launcher_length(argv: &[OsString]) -> Option<usize> {
    let word = |at: usize| argv.get(at)?.to_str();
    let program = Path::new(word(0)?).file_name()?.to_str()?;
    let (launcher, mut at) = LAUNCHERS.iter().find_map(|launcher| {
        let mut names = launcher.name.split(' ');
        let is_program = names.next() == Some(program);
        let (second, length) = names.next().map_or((None, 1), |second| (Some(second), 2));
        let is_run = is_program && second.is_none_or(|second| word(1) == Some(second));
        is_run.then_some((launcher, length))
    })?;
    let mut operands = launcher.operands;
    loop {
        let argument = word(at)?;
        at += 1;
        match argument {
            "--" if operands == 0 => return argv.get(at).map(|_| at),
            _ if launcher.flags.contains(&argument) => {}
            _ if launcher.valued.contains(&argument) => at += 1,
            _ if launcher.has_attached_value(argument) => {}
            _ if argument.starts_with('-') => return None,
            _ if launcher.has_assignments && argument.contains('=') => {}
            _ if operands > 0 => operands -= 1,
            _ if launcher.needs_dashes => return None,
            _ => return Some(at - 1),
        }
    }
}

/// Returns the value of one word of a script.
#[cfg(feature = "cli")]
fn unquote(word: &str) -> Option<String> {
    shell_words::split(word).ok()?.pop()
}

#[cfg(feature = "cli")]
fn quote(word: &str) -> String {
    shell_words::quote(word).into_owned()
}

#[cfg(not(feature = "cli"))]
fn unquote(_: &str) -> Option<String> {
    None
}

#[cfg(not(feature = "cli"))]
fn quote(word: &str) -> String {
    word.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &[&str]) -> Vec<OsString> {
        line.iter().map(OsString::from).collect()
    }

    #[test]
    fn agent_is_found_behind_launchers() {
        for (line, harness, start) in [
            (&["claude", "hi"][..], Harness::Claude, 0),
            (&["/usr/bin/claude", "hi"], Harness::Claude, 0),
            (&["env", "X=1", "-u", "Y", "claude", "hi"], Harness::Claude, 4),
            (&["env", "-i", "--", "codex", "exec"], Harness::Codex, 3),
            (&["nice", "-n", "5", "env", "A=b", "codex", "exec"], Harness::Codex, 5),
            (&["nice", "claude"], Harness::Claude, 1),
            (&["sudo", "-u", "agent", "X=1", "claude", "hi"], Harness::Claude, 4),
            (&["time", "-p", "codex", "exec"], Harness::Codex, 2),
            (&["timeout", "-k", "5", "10m", "claude", "hi"], Harness::Claude, 4),
            (&["npx", "@anthropic-ai/claude-code", "hi"], Harness::Claude, 1),
            (&["npx", "-y", "@openai/codex@latest", "exec"], Harness::Codex, 2),
            (&["npm", "exec", "--yes", "--", "@openai/codex", "exec"], Harness::Codex, 4),
            (&["stdbuf", "-oL", "--error=0", "claude"], Harness::Claude, 3),
            (&["pnpm", "dlx", "@openai/codex", "exec"], Harness::Codex, 2),
            (&["bash", "-lc", "claude -p 'a b'"], Harness::Claude, 2),
            (&["env", "A=b", "sh", "-e", "-c", "exec codex exec hi"], Harness::Codex, 5),
            (&["/opt/claude.cmd", "hi"], Harness::Claude, 0),
            (&["codex.EXE", "exec"], Harness::Codex, 0),
            (&["bin/claude.mjs", "hi"], Harness::Claude, 0),
        ] {
            let argv = words(line);
            let launch = Launch::find(&argv);
            assert_eq!((launch.harness(&[]), launch.start), (Some(harness), start), "{line:?}");
        }
    }

    #[test]
    fn nothing_is_assumed_about_other_command_lines() {
        for line in [
            &["my-agent", "claude"][..],
            &["env", "-S", "claude hi"],
            &["env", "-Sfoo", "claude", "hi"],
            &["env", "--split-string=foo", "claude", "hi"],
            &["env", "-a", "claude", "bash"],
            &["npx", "--prefix", "claude", "other"],
            &["npx", "--call=x", "codex", "exec"],
            // npm takes the options for its own.
            &["npm", "exec", "@openai/codex", "exec"],
            &["npx", "other-package", "claude"],
            &["npm", "run", "claude"],
            &["bash", "-c", "cd x && claude hi"],
            &["bash", "-c", "claude \"$PROMPT\""],
            &["bash", "-c", "claude *.md"],
            &["bash", "claude"],
            &["claude.sh", "hi"],
            &["./codex.py", "exec"],
            &["env"],
            &["timeout"],
        ] {
            let argv = words(line);
            assert_eq!(Launch::find(&argv).harness(&[]), None, "{line:?}");
        }
    }

    #[test]
    fn words_are_put_back_where_they_were() {
        let changed = |line: &[&str], new: &[&str]| {
            let argv = words(line);
            Launch::find(&argv).with_words(words(new))
        };
        let env = changed(&["env", "X=1", "claude", "hi"], &["claude", "-p", "hi"]);
        assert_eq!(env, words(&["env", "X=1", "claude", "-p", "hi"]));
        let script = |text: &str, new: &[&str]| {
            let changed = changed(&["bash", "-c", text, "x"], new);
            assert_eq!(
                (&changed[..2], &changed[3]),
                (&words(&["bash", "-c"])[..], &words(&["x"])[0])
            );
            changed[2].to_str().unwrap().to_owned()
        };
        for (text, new, expected) in [
            ("claude 'a b'", &["claude", "-p", "a b"][..], "claude -p 'a b'"),
            // A quoted name is no alias.
            (r"\claude  a\ ", &["claude", "-p", "a "], r"\claude -p  a\ "),
            (
                "exec \"claude\" hi\u{a0}",
                &["claude", "-p", "hi\u{a0}"],
                "exec \"claude\" -p hi\u{a0}",
            ),
            ("claude", &["claude", "-p", "x y"], "claude -p 'x y'"),
            ("codex exec 'a'\\''b'", &["codex", "exec", "--json", "c"], "codex exec --json c"),
            ("codex exec a b", &["codex", "exec", "a", "b"], "codex exec a b"),
        ] {
            assert_eq!(script(text, new), expected);
        }
    }

    #[test]
    fn mentioned_agent_is_noticed() {
        let mentioned = |line: &[&str]| mentioned_agent(&words(line)).map(|(_, harness)| harness);
        assert_eq!(mentioned(&["bash", "-c", "cd x && claude -p hi"]), Some(Harness::Claude));
        assert_eq!(mentioned(&["env", "-S", "/opt/codex exec"]), Some(Harness::Codex));
        assert_eq!(mentioned(&["docker", "run", "image", "claude"]), Some(Harness::Claude));
        assert_eq!(mentioned(&["ssh", "host", "codex exec hi"]), Some(Harness::Codex));
        assert_eq!(mentioned(&["./claude.sh", "hi"]), Some(Harness::Claude));
        assert_eq!(mentioned(&["grep", "claude", "file"]), None);
        assert_eq!(mentioned(&["my-agent", "--cwd", "/home/claude"]), None);
        assert_eq!(mentioned(&["sh", "-c", "cat claude.jsonl"]), None);
    }
}
