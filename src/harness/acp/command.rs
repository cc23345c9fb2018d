//! There is no command line of its own: a client starts an agent, holds its standard input
//! open and answers its requests. A command is left alone.

use crate::harness::Harness;
use crate::harness::command::{AgentCommand, AgentProgram, SchemaForm, refuse, refuse_full};

pub(super) const PROGRAM: AgentProgram = AgentProgram {
    title: "ACP agent",
    names: &[],
    events_command: "",
    complete: |argv, request| {
        refuse_full(request)?;
        match request.context {
            Some(_) => refuse("an agent that speaks ACP takes no context"),
            None => Ok(AgentCommand::new(Harness::Acp, argv.to_vec())),
        }
    },
    credentials: &[],
    schema_option: None,
    schema_form: SchemaForm::Plain,
    auth_source: None,
    leak_words: &[],
    deprecation_prefix: None,
    explain_exit: None,
    resume: None,
};
