//! Completes a command line by a table, for CLIs whose options do not depend on each
//! other.

use std::ffi::OsString;

use super::arguments::{Argument, Grammar, has, value};
use super::{AgentCommand, CommandError, Completion, CompletionRequest, refuse, refuse_full};
use crate::harness::Harness;

/// How the command line of a CLI is completed.
pub(in crate::harness) struct CommandTable {
    pub(in crate::harness) harness: Harness,
    pub(in crate::harness) grammar: Grammar,
    /// The commands that run an agent; empty if the program itself does.
    pub(in crate::harness) runs: &'static [&'static str],
    /// Other commands, which are left alone. Not needed if `runs` is not empty.
    pub(in crate::harness) others: &'static [&'static str],
    /// What makes it print events.
    pub(in crate::harness) added: &'static [AddedOption],
    /// Options whose value is the prompt.
    pub(in crate::harness) prompts: &'static [&'static str],
    /// The names of the option for the model; the first is used.
    pub(in crate::harness) models: &'static [&'static str],
    /// Where a context is passed.
    pub(in crate::harness) context: ContextPlace,
    /// The option that takes the text of a JSON Schema.
    pub(in crate::harness) schema: Option<&'static str>,
    /// Whether it reads its prompt from standard input if there is no other.
    pub(in crate::harness) reads_prompt: bool,
}

/// Words that are added unless one of the options is there.
pub(in crate::harness) struct AddedOption {
    pub(in crate::harness) options: &'static [&'static str],
    pub(in crate::harness) words: &'static [&'static str],
}

/// Where the context of an agent is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::harness) enum ContextPlace {
    /// With this option, which appends to the system prompt.
    Option(&'static str),
    /// Before the prompt.
    Prompt,
}

impl CommandTable {
    /// Completes a command line.
    pub(in crate::harness) fn complete(
        &self,
        argv: &[OsString],
        request: &CompletionRequest<'_>,
    ) -> Result<AgentCommand, CommandError> {
        refuse_full(request)?;
        let mut command = AgentCommand::new(self.harness, argv.to_vec());
        let arguments = self.grammar.parse(&argv[1..]);
        let operands: Vec<_> = arguments.iter().filter_map(operand).collect();
        let Some(start) = self.start(&operands) else {
            return match request.context {
                Some(_) => refuse(format!("this command of {} takes no context", self.harness)),
                None => Ok(command),
            };
        };
        command.model = value(&arguments, self.models).map(str::to_owned);
        let prompt = operands.get(usize::from(start > 1));
        let has_prompt = prompt.is_some() || has(&arguments, self.prompts);
        command.reads_prompt = self.reads_prompt && !has_prompt;
        if request.completion == Completion::None {
            return Ok(command);
        }
        if let Some(context) = request.context {
            self.add_context(&mut command, context, start, &arguments, prompt);
        }
        let mut missing: Vec<OsString> = Vec::new();
        for option in self.added.iter().filter(|option| !has(&arguments, option.options)) {
            missing.extend(option.words.iter().map(OsString::from));
        }
        let schema = self.schema.filter(|option| !has(&arguments, &[option]));
        if let Some((option, schema)) = schema.zip(request.schema) {
            missing.extend([option, schema.text].map(OsString::from));
        }
        let model = request.model.filter(|_| command.model.is_none());
        if let Some((option, model)) = self.models.first().zip(model) {
            missing.extend([*option, model].map(OsString::from));
            command.model = Some(model.to_owned());
        }
        command.argv.splice(start..start, missing);
        Ok(command)
    }

    /// Returns where options are added: behind the program, or behind the command that
    /// runs an agent; `None` for another command.
    fn start(&self, operands: &[(usize, &str)]) -> Option<usize> {
        match operands.first() {
            // Operands are counted without the program's name.
            Some((at, word)) if self.runs.contains(word) => Some(at + 2),
            Some((_, word)) if self.others.contains(word) => None,
            _ => self.runs.is_empty().then_some(1),
        }
    }

    fn add_context(
        &self,
        command: &mut AgentCommand,
        context: &str,
        start: usize,
        arguments: &[(usize, Argument<'_>)],
        prompt: Option<&(usize, &str)>,
    ) {
        // The index of an option's value: behind `=`, or the next argument.
        let value_of = |names: &[&str], argv: &[OsString]| {
            arguments.iter().rev().find_map(|(at, argument)| match argument {
                Argument::Option(name, Some(_)) if names.contains(name) => {
                    let is_separate = argv[at + 1].to_str() == Some(name);
                    Some(at + 1 + usize::from(is_separate))
                }
                _ => None,
            })
        };
        match self.context {
            ContextPlace::Option(name) => match value_of(&[name], &command.argv) {
                Some(at) => {
                    command.argv[at].push("\n\n");
                    command.argv[at].push(context);
                }
                None => {
                    command.argv.splice(start..start, [name, context].map(OsString::from));
                }
            },
            ContextPlace::Prompt => {
                let given = value_of(self.prompts, &command.argv);
                match given.or(prompt.map(|(at, _)| at + 1)) {
                    Some(at) => prepend(&mut command.argv[at], context),
                    None => command.prompt = Some(context.to_owned()),
                }
            }
        }
    }
}

/// Puts a context before a prompt, which may follow an option's name and `=`.
fn prepend(argument: &mut OsString, context: &str) {
    let text = argument.to_str().unwrap_or_default();
    let option = text.split_once('=').filter(|_| text.starts_with("--")).map(|(name, _)| name);
    let mut extended = OsString::new();
    let rest = match option {
        Some(name) => {
            extended.push(format!("{name}="));
            OsString::from(&text[name.len() + 1..])
        }
        None => argument.clone(),
    };
    extended.push(context);
    extended.push("\n\n");
    extended.push(rest);
    *argument = extended;
}

fn operand<'a>((at, argument): &(usize, Argument<'a>)) -> Option<(usize, &'a str)> {
    match argument {
        Argument::Operand(text) => Some((*at, *text)),
        Argument::Option(..) => None,
    }
}
