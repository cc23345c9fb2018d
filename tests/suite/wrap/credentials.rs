//! `--strip-auth`: the variables of each CLI that hold credentials or redirect requests.

use streamj::harness::Harness;

use super::*;

/// A command line of a CLI, the variable that `wrap` names as the source of its
/// credentials, and the others that are removed.
struct Case {
    command: &'static [&'static str],
    source: Option<&'static str>,
    others: &'static [&'static str],
}

/// The names in the documentation of each CLI.
const CASES: &[Case] = &[
    Case {
        command: &["claude", "-p", "hi"],
        // Its stream names the source.
        source: None,
        others: &["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"],
    },
    Case {
        command: &["codex", "exec", "hi"],
        source: Some("CODEX_API_KEY"),
        others: &["OPENAI_API_KEY", "OPENAI_BASE_URL"],
    },
    Case {
        command: &["gemini", "-p", "hi"],
        source: Some("GEMINI_API_KEY"),
        others: &[
            "GOOGLE_API_KEY",
            "GOOGLE_APPLICATION_CREDENTIALS",
            "GOOGLE_CLOUD_ACCESS_TOKEN",
            "GOOGLE_GEMINI_BASE_URL",
            "GOOGLE_VERTEX_BASE_URL",
            "GEMINI_CLI_CUSTOM_HEADERS",
        ],
    },
    Case {
        command: &["qwen", "-p", "hi"],
        source: Some("OPENAI_API_KEY"),
        others: &[
            "OPENAI_BASE_URL",
            "DASHSCOPE_API_KEY",
            "ANTHROPIC_API_KEY",
            "ANTHROPIC_BASE_URL",
            "GEMINI_API_KEY",
            "GOOGLE_API_KEY",
        ],
    },
    Case { command: &["amp", "-x", "hi"], source: Some("AMP_API_KEY"), others: &["AMP_URL"] },
    Case {
        command: &["copilot", "-p", "hi"],
        source: Some("COPILOT_PROVIDER_API_KEY"),
        others: &[
            "COPILOT_GITHUB_TOKEN",
            "GH_TOKEN",
            "GITHUB_TOKEN",
            "GITHUB_COPILOT_API_TOKEN",
            "COPILOT_API_URL",
            "COPILOT_PROVIDER_BASE_URL",
        ],
    },
    Case {
        command: &["pi", "hi"],
        source: Some("ANTHROPIC_API_KEY"),
        others: &[
            "ANTHROPIC_AUTH_TOKEN",
            "ANTHROPIC_OAUTH_TOKEN",
            "OPENAI_API_KEY",
            "GEMINI_API_KEY",
            "OPENROUTER_API_KEY",
            "XAI_API_KEY",
            "GROQ_API_KEY",
            "MISTRAL_API_KEY",
            "DEEPSEEK_API_KEY",
            "ZAI_API_KEY",
            "MOONSHOT_API_KEY",
            "KIMI_API_KEY",
            "AI_GATEWAY_API_KEY",
            "AZURE_OPENAI_API_KEY",
        ],
    },
    Case {
        command: &["kimi", "-p", "hi"],
        source: Some("KIMI_MODEL_API_KEY"),
        others: &[
            "KIMI_MODEL_BASE_URL",
            "KIMI_CODE_BASE_URL",
            "KIMI_CODE_CUSTOM_HEADERS",
            "KIMI_API_KEY",
            "KIMI_BASE_URL",
            "OPENAI_API_KEY",
            "OPENAI_BASE_URL",
        ],
    },
    Case {
        command: &["cline", "say hi"],
        source: Some("CLINE_API_KEY"),
        others: &["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY"],
    },
    Case {
        command: &["opencode", "run", "hi"],
        source: Some("OPENCODE_API_KEY"),
        others: PROVIDERS,
    },
    Case { command: &["kilo", "run", "hi"], source: Some("KILO_API_KEY"), others: PROVIDERS },
    Case {
        command: &["cursor-agent", "hi"],
        // Its stream names the source.
        source: None,
        others: &["CURSOR_API_KEY"],
    },
    Case {
        command: &["goose", "run", "-t", "hi"],
        source: Some("GOOSE_PROVIDER__API_KEY"),
        others: &[
            "GOOSE_PROVIDER__HOST",
            "ANTHROPIC_API_KEY",
            "ANTHROPIC_HOST",
            "OPENAI_API_KEY",
            "OPENAI_HOST",
            "OPENAI_BASE_URL",
            "OPENAI_BASE_PATH",
            "GOOGLE_API_KEY",
            "OPENROUTER_API_KEY",
            "OLLAMA_HOST",
        ],
    },
    Case {
        command: &["grok", "-p", "hi"],
        source: Some("XAI_API_KEY"),
        others: &[
            "GROK_CODE_XAI_API_KEY",
            "GROK_DEPLOYMENT_KEY",
            "GROK_XAI_API_BASE_URL",
            "GROK_CLI_CHAT_PROXY_BASE_URL",
            "GROK_MODELS_BASE_URL",
            "GROK_API_KEY",
            "GROK_BASE_URL",
        ],
    },
    Case {
        command: &["droid", "exec", "hi"],
        source: Some("FACTORY_API_KEY"),
        others: &["FACTORY_TOKEN"],
    },
    Case { command: &["vibe", "-p", "hi"], source: Some("MISTRAL_API_KEY"), others: &[] },
    Case {
        command: &["openhands", "--headless", "-t", "hi"],
        source: Some("LLM_API_KEY"),
        others: &["LLM_BASE_URL", "OPENHANDS_API_KEY"],
    },
];

/// The providers that OpenCode and its fork find in the environment.
const PROVIDERS: &[&str] = &[
    "ANTHROPIC_API_KEY",
    "OPENAI_API_KEY",
    "OPENROUTER_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_GENERATIVE_AI_API_KEY",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_BEARER_TOKEN_BEDROCK",
];

impl Case {
    fn name(&self) -> &'static str {
        self.command[0].trim_end_matches("-agent")
    }

    fn variables(&self) -> impl Iterator<Item = &'static str> {
        self.source.into_iter().chain(self.others.iter().copied())
    }

    /// Runs a program that writes its environment, and returns what it has written and
    /// what `wrap` says.
    fn run(&self, options: &[&str]) -> (String, String) {
        let workspace = Workspace::new();
        workspace.program(self.command[0], "env > $DIR/seen");
        let mut command = workspace.streamj(&[&["wrap"], options, &["--"], self.command].concat());
        for other in CASES {
            command.envs(other.variables().map(|name| (name, "made-up")));
        }
        command.env("HTTPS_PROXY", "http://proxy:3128").env("PATH_OF_TEST", "kept");
        let output = command.output().unwrap();
        (workspace.read("seen"), String::from_utf8(output.stderr).unwrap())
    }
}

fn has(environment: &str, name: &str) -> bool {
    environment.lines().any(|line| line.split_once('=').is_some_and(|(key, _)| key == name))
}

#[test]
fn credentials_of_the_agent_are_removed_and_others_stay() {
    for case in CASES {
        let (seen, _) = case.run(&["--strip-auth"]);
        for name in case.variables() {
            assert!(!has(&seen, name), "{}: {name}", case.name());
        }
        assert!(has(&seen, "HTTPS_PROXY") && has(&seen, "PATH_OF_TEST"), "{}", case.name());
        let foreign = if case.name() == "cursor" { "AMP_API_KEY" } else { "CURSOR_API_KEY" };
        assert!(has(&seen, foreign), "{}", case.name());
    }
}

#[test]
fn credentials_are_passed_on_and_their_source_is_named_without_strip_auth() {
    for case in CASES {
        let (seen, stderr) = case.run(&[]);
        for name in case.variables() {
            assert!(has(&seen, name), "{}: {name}", case.name());
        }
        let source = case.source.map(|source| format!("{} auth={source}", case.name()));
        assert!(source.is_none_or(|source| stderr.contains(&source)), "{stderr}");
    }
}

#[test]
fn every_cli_with_credentials_has_a_case() {
    let tested: Vec<_> = CASES.iter().map(Case::name).collect();
    let missing = Harness::ALL.iter().map(|harness| harness.name());
    // Not a program, but a protocol of several.
    let missing: Vec<_> = missing.filter(|name| !tested.contains(name) && *name != "acp").collect();
    assert_eq!(missing, Vec::<&str>::new());
}
