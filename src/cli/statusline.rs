//! `streamj statusline`.

use std::ffi::OsString;

use clap::{Args, Command, FromArgMatches};

use super::Global;

/// The name of the command.
const NAME: &str = "statusline";

#[derive(Debug, Args)]
pub(crate) struct StatusLineArgs {
    /// Print this, with values in place of their names in braces
    ///
    /// Names: model, folder, version, context (used, in percent), `context_tokens`, cost (of
    /// the session), time (of the session), today (the cost of all sessions today), block
    /// (the cost in the current window of five hours), `block_left` (the time to its end),
    /// limits. `{{` is a brace; a value that is not known is a dash.
    #[arg(long, value_name = "TEXT")]
    pub(crate) template: Option<String>,
}

/// Parses the arguments of the program if they are for this command, which is run often:
/// the definitions of all commands take longer than everything else it does. `None` for
/// arguments that are not valid; the complete definition describes the error.
pub(super) fn parse(arguments: &[OsString]) -> Option<(StatusLineArgs, Global)> {
    let own = arguments.get(2..).filter(|_| arguments[1] == NAME)?;
    let command = Command::new(NAME).no_binary_name(true).disable_help_flag(true);
    let command = Global::augment_args(StatusLineArgs::augment_args(command));
    let matches = command.try_get_matches_from(own).ok()?;
    let args = StatusLineArgs::from_arg_matches(&matches).ok()?;
    Some((args, Global::of_command(&matches, NAME)?))
}
