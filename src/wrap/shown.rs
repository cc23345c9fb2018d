//! What is printed of the stream: `--as`.

use anyhow::{Context, bail};

use crate::cli::{Cli, Command, FindingsArgs, Global, ReadCommand};
use crate::projection::Plan;

/// What is printed.
pub enum Shown {
    /// The stream as it is.
    Raw,
    /// A projection of it.
    Projection {
        /// The command.
        command: ReadCommand,
        /// As the user wrote it.
        line: String,
    },
}

impl Shown {
    /// What a user writes behind `--as`, and the general options among it.
    pub fn of(line: &str) -> anyhow::Result<(Self, Option<Global>)> {
        let words = shell_words::split(line).with_context(|| format!("--as {line:?}"))?;
        if words == ["raw"] {
            return Ok((Self::Raw, None));
        }
        anyhow::ensure!(!words.is_empty(), "--as {line:?}: name a reading command, or raw");
        let words = std::iter::once("streamj".to_owned()).chain(words);
        let Cli { command, global } = match Cli::parse_from(words) {
            Ok(cli) => cli,
            Err(error) if !error.use_stderr() => {
                bail!("--as {line:?}: help is in `streamj COMMAND --help`");
            }
            Err(error) => {
                let text = error.render().to_string();
                let first = text.lines().next().unwrap_or_default();
                bail!("--as {line:?}: {}", first.strip_prefix("error: ").unwrap_or(first));
            }
        };
        match command {
            Command::Read(command) => {
                Ok((Self::Projection { command, line: line.to_owned() }, Some(global)))
            }
            _ => bail!("--as {line:?}: not a reading command"),
        }
    }

    /// How it is carried out; None if the stream is copied.
    pub fn plan(&self) -> anyhow::Result<Option<Plan<'_>>> {
        let Self::Projection { command, line } = self else {
            return Ok(None);
        };
        let prints_schema =
            matches!(command, ReadCommand::Findings(FindingsArgs { print_schema: true, .. }));
        anyhow::ensure!(!prints_schema, "--as {line:?}: reads nothing");
        let is_table = matches!(command, ReadCommand::Usage(args) if args.is_table());
        anyhow::ensure!(!is_table, "--as {line:?}: a table is made of files, not of a run");
        let plan = Plan::of(command).with_context(|| format!("--as {line:?}"))?;
        let reads_files = !plan.files.is_empty();
        anyhow::ensure!(!reads_files, "--as {line:?}: reads the command's output, not files");
        Ok(Some(plan))
    }
}
