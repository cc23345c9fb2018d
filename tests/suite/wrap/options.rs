//! Options of the agents that take a value. A value is neither a prompt, nor a command, nor
//! an option that is already there.

use super::*;

/// A CLI, as its `--help` or documentation describes it.
struct Cli {
    run: &'static str,
    /// The option that `wrap` adds, and its value.
    added: &'static str,
    /// Options with a value.
    valued: &'static str,
    /// Options whose value may be missing.
    optional: &'static str,
    /// Options without a value.
    flags: &'static str,
}

const CLIS: &[Cli] = &[
    Cli {
        run: "cursor-agent",
        added: "--output-format stream-json",
        valued: "--api-key --model",
        optional: "--resume",
        flags: "-p --print --stream-partial-output --list-models --continue -f --force --yolo \
                --trust --approve-mcps",
    },
    Cli {
        run: "goose run",
        added: "--output-format stream-json",
        valued: "-t --text -i --instructions --recipe --system --params --sub-recipe --provider \
                 --model -n --name --session-id --id --path --max-turns --max-tool-repetitions \
                 --container --with-extension --with-streamable-http-extension --with-builtin",
        optional: "",
        flags: "-q --quiet -r --resume -s --interactive --no-session --no-profile --debug \
                --explain --render-recipe",
    },
    Cli {
        run: "grok",
        added: "--output-format streaming-json",
        valued: "-p --single --prompt-file --prompt-json -m --model --effort --reasoning-effort \
                 -s --session-id --rules --system-prompt-override --json-schema \
                 --permission-mode --allow --deny --tools --disallowed-tools --agent --agents \
                 --sandbox --max-turns --cwd --worktree-ref --debug-file --leader-socket",
        optional: "-r --resume -w --worktree",
        flags: "-c --continue --fork-session --always-approve --include-partial-messages --oauth \
                --no-plan --no-subagents --disable-web-search --restore-code --verbatim",
    },
    Cli {
        run: "droid exec",
        added: "-o stream-json",
        valued: "--input-format -f --file --auto -s --session-id --fork -m --model -r \
                 --reasoning-effort --spec-model --spec-reasoning-effort --only-tools --add-tools \
                 --remove-tools --cwd --settings --worktree-dir --tag --log-group-id \
                 --worker-model --worker-reasoning-effort --validator-model \
                 --validator-reasoning-effort --append-system-prompt --append-system-prompt-file",
        optional: "-w --worktree",
        flags: "--skip-permissions-unsafe --disable-builtin-skills --use-spec --mission \
                --list-tools",
    },
    Cli {
        run: "amp",
        added: "--stream-json",
        valued: "--visibility --settings-file --log-level --log-file --mcp-config -m --mode \
                 --features --executor --runner-dir --attach --orb-size --title -l --label",
        optional: "-x --execute --project --plugin-ready-timeout",
        flags: "--fast --no-tui --no-ide --no-archive-after-execute",
    },
    Cli {
        run: "gemini",
        added: "-o stream-json",
        valued: "-m --model -p --prompt -i --prompt-interactive -w --worktree --approval-mode \
                 --session-file --session-id --delete-session",
        optional: "-r --resume",
        flags: "-d --debug --skip-trust -s --sandbox -y --yolo --raw-output --screen-reader",
    },
    Cli {
        run: "qwen",
        added: "--output-format stream-json",
        valued: "-m --model -p --prompt --system-prompt --append-system-prompt --approval-mode \
                 --mcp-config --input-format --input-file --json-fd --json-file --json-schema \
                 --session-id --max-session-turns --max-wall-time --max-tool-calls --auth-type \
                 --max-subagent-depth --openai-api-key --openai-base-url --proxy --channel",
        optional: "-r --resume --worktree",
        flags: "-d --debug --bare -s --sandbox -y --yolo --include-partial-messages -c \
                --continue --fork-session",
    },
];

impl Cli {
    /// Returns the completed command line.
    fn completed(&self, rest: &str) -> String {
        let workspace = Workspace::new();
        let line = format!("wrap --dry-run -- {} {rest}", self.run);
        let command = workspace.streamj(&line.split(' ').collect::<Vec<_>>()).assert().success();
        command.text().to_owned()
    }

    fn option(&self) -> &'static str {
        self.added.split(' ').next().unwrap()
    }

    /// Returns whether the option is added to a line that has its name behind `option`.
    fn adds_behind(&self, option: &str) -> bool {
        let line = self.completed(&format!("{option} {} hi", self.option()));
        let start = line.trim_start_matches(self.run);
        start.split(option).next().unwrap().contains(&format!(" {} ", self.added))
    }
}

#[test]
fn value_of_an_option_is_not_taken_for_an_option() {
    for cli in CLIS {
        for option in cli.valued.split_whitespace() {
            assert!(cli.adds_behind(option), "{} {option}", cli.run);
        }
    }
}

#[test]
fn option_behind_a_flag_is_not_added_again() {
    for cli in CLIS {
        for option in cli.flags.split_whitespace().chain(cli.optional.split_whitespace()) {
            assert!(!cli.adds_behind(option), "{} {option}", cli.run);
        }
    }
}

/// The value of an option may be the name of another command.
#[test]
fn value_that_may_be_missing_is_not_taken_for_a_command() {
    for cli in CLIS {
        let command = match cli.run {
            // Commands that do not run an agent are all but one.
            "goose run" | "droid exec" => continue,
            "gemini" => "mcp",
            "cursor-agent" | "grok" | "amp" => "login",
            _ => "auth",
        };
        assert!(!cli.completed(command).contains(cli.added), "{} {command}", cli.run);
        for option in cli.optional.split_whitespace() {
            let line = cli.completed(&format!("{option} {command}"));
            assert!(line.contains(cli.added), "{line}");
        }
    }
}
