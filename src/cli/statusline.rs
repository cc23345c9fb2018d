//! `streamj statusline`.

use clap::Args;

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
