//! `streamj serve`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::options::Files;

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Also show the sessions of the CLIs on this machine
    ///
    /// This is the default if no FILE or folder is given.
    #[arg(long)]
    pub(crate) home: bool,
    /// Listen on this port of 127.0.0.1; 0 takes a free one
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) port: u16,
    /// Read the token from this file, which is created unless it exists
    ///
    /// The address of the page stays the same when the server is started again. The
    /// default is a new token.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) token_file: Option<PathBuf>,
    /// Open the page in a browser
    #[arg(long)]
    pub(crate) open: bool,
    /// Also show the findings, memories and tiers in this store
    #[cfg(feature = "store")]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) db: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) input: Files,
}
