//! The command line, which is that of OpenCode.

use crate::harness::Harness;
use crate::harness::command::{AgentProgram, CommandTable};
use crate::harness::opencode::command as opencode;

pub(super) const PROGRAM: AgentProgram = AgentProgram {
    title: "Kilo",
    names: &["kilo", "kilocode", "@kilocode/cli"],
    events_command: "kilo run --format json",
    complete: |argv, request| TABLE.complete(argv, request),
    credentials: CREDENTIALS,
    auth_source: Some(|variables, exists| {
        opencode::auth_source(variables, exists, "KILO_API_KEY", "kilo")
    }),
    resume: Some("kilo -s "),
    ..opencode::PROGRAM
};

const CREDENTIALS: &[&str] = &[
    "KILO_API_KEY",
    "KILO_CONFIG_CONTENT",
    "KILO_SERVER_PASSWORD",
    "ANTHROPIC_API_KEY",
    "OPENAI_API_KEY",
    "OPENROUTER_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_GENERATIVE_AI_API_KEY",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_BEARER_TOKEN_BEDROCK",
    "XAI_API_KEY",
    "GROQ_API_KEY",
    "MISTRAL_API_KEY",
    "DEEPSEEK_API_KEY",
];

const TABLE: CommandTable = CommandTable { harness: Harness::Kilo, ..opencode::TABLE };
