//! What is printed of the stream: `--as`.

use anyhow::{Context, bail};

use crate::cli::{Cli, Command, ErrorArgs, FindingsArgs, Global, ReadCommand};
use crate::read_spec::ReadSpec;

/// What is printed.
pub(crate) enum PrintMode {
    /// The stream itself.
    Raw,
    /// Nothing: the record is written to standard output.
    Nothing,
    /// The output of a reading command.
    Projection {
        command: ReadCommand,
        /// The command as the user wrote it.
        text: String,
    },
}

impl PrintMode {
    /// Parses the value of `--as`; also returns the global options in it.
    pub fn parse(text: &str) -> anyhow::Result<(Self, Option<Global>)> {
        let words = shell_words::split(text).with_context(|| format!("--as {text:?}"))?;
        if words == ["raw"] {
            return Ok((Self::Raw, None));
        }
        anyhow::ensure!(!words.is_empty(), "--as {text:?}: name a reading command, or raw");
        let words = std::iter::once("streamj".to_owned()).chain(words);
        let Cli { command, global } = match Cli::parse_from(words) {
            Ok(cli) => cli,
            Err(error) if !error.use_stderr() => {
                bail!("--as {text:?}: help is in `streamj COMMAND --help`");
            }
            Err(error) => {
                let message = error.render().to_string();
                let first = message.lines().next().unwrap_or_default();
                bail!("--as {text:?}: {}", first.strip_prefix("error: ").unwrap_or(first));
            }
        };
        match command {
            Command::Read(command) => {
                anyhow::ensure!(global.threads.is_none(), "--as {text:?}: --threads is for files");
                Ok((Self::Projection { command, text: text.to_owned() }, Some(global)))
            }
            _ => bail!("--as {text:?}: not a reading command"),
        }
    }

    /// Returns the specification of the reading command; `None` if the stream is
    /// copied.
    pub fn read_spec(&self) -> anyhow::Result<Option<ReadSpec<'_>>> {
        let (command, text) = match self {
            Self::Raw => return Ok(None),
            Self::Nothing => return Ok(Some(ReadSpec::silent())),
            Self::Projection { command, text } => (command, text),
        };
        let prints_schema =
            matches!(command, ReadCommand::Findings(FindingsArgs { print_schema: true, .. }));
        anyhow::ensure!(!prints_schema, "--as {text:?}: reads nothing");
        let sets_status =
            matches!(command, ReadCommand::Error(ErrorArgs { exit_status: true, .. }));
        anyhow::ensure!(!sets_status, "--as {text:?}: instead of -e use --exit-status category");
        let is_table = matches!(command, ReadCommand::Usage(args) if args.is_table());
        anyhow::ensure!(!is_table, "--as {text:?}: a table is made of files, not of a run");
        let spec = ReadSpec::new(command).with_context(|| format!("--as {text:?}"))?;
        let reads_files = spec.input.is_given();
        anyhow::ensure!(!reads_files, "--as {text:?}: reads the command's output, not files");
        Ok(Some(spec))
    }
}
