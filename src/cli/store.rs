//! Commands that use the store.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgGroup, Args, ValueHint};

use super::agent::{ClockArgs, Surroundings};
use super::options::JsonFlag;
use super::values::{duration, pointer, positive_duration, row_formats};
use crate::output::Format;

#[derive(Debug, Args)]
pub(crate) struct MemoriesArgs {
    /// The SQLite file of `findings --db` and `escalate`
    #[arg(long, value_name = "FILE")]
    pub(crate) db: PathBuf,
    /// First reduce the confidence of memories by 0.1 for each full week without an update,
    /// after 30 days
    #[arg(long)]
    pub(crate) decay: bool,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "human", value_parser = row_formats())]
    format: Format,
    #[command(flatten)]
    json: JsonFlag,
    /// Print one member only, strings without quotes: `/observation`
    #[arg(long, value_name = "POINTER", value_parser = pointer)]
    pub(crate) get: Option<String>,
}

impl MemoriesArgs {
    /// Returns the output format.
    pub fn format(&self) -> Format {
        self.json.format().unwrap_or(self.format)
    }
}

#[derive(Debug, Args)]
#[command(group(ArgGroup::new("tiers").required(true).args(["tier", "config"])))]
pub(crate) struct EscalateArgs {
    /// The SQLite file where runs and decisions are stored
    #[arg(long, value_name = "FILE")]
    pub(crate) db: PathBuf,
    /// The command line of a tier, quoted as for a shell (repeatable, lowest first)
    #[arg(long, value_name = "COMMAND")]
    pub(crate) tier: Vec<String>,
    /// A TOML file with the tiers: `[[tier]]` with command, and name, model, timeout
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// The highest tier that may run [default: `CLAUDEOPS_MAX_TIER`, else all]
    ///
    /// The environment variable is a number from 1; it is ignored if it is empty.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) max_tier: Option<u16>,
    /// Run the first tier only, and write nothing
    ///
    /// The first tier really runs; no other tier does. Nothing is stored or deleted. Prints
    /// what would follow.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// The time over which actions on a service are counted (0: do not count)
    #[arg(long, value_name = "TIME", default_value = "4h", value_parser = duration)]
    pub(crate) cooldown: Duration,
    /// Do not escalate after this many actions on a service within that time
    ///
    /// Counts restarts and redeployments in the store, of the services that the tier
    /// reports as not healthy; if it names none, of all services except those it found
    /// healthy. Actions of a recording count from when it was stored.
    #[arg(long, value_name = "N", default_value = "2", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) cooldown_limit: u64,
    /// A file in which an agent without structured output requests the next tier
    ///
    /// Contains a JSON object with these members, all optional: `services_affected`,
    /// `check_results` (service, `check_type`, status, error), `investigation_findings`,
    /// `remediation_attempted`; or needed, reason, context, `failed_checks`. It is read if
    /// the findings come from markers and it was written while the tier ran, and deleted
    /// when the run is stored. A file that cannot be parsed is renamed to FILE.bad.
    #[arg(long, value_name = "FILE")]
    pub(crate) handoff: Option<PathBuf>,
    /// Start again after this time, until a signal comes
    #[arg(long, value_name = "TIME", value_parser = positive_duration)]
    pub(crate) every: Option<Duration>,
    /// The JSON Schema of the agents' answers [default: that of `wrap --schema`]
    #[arg(long, value_name = "FILE")]
    pub(crate) schema: Option<PathBuf>,
    /// Show each tier as it runs: a reading command with its options
    ///
    /// Decisions are then printed to standard error, unless --decisions names a file.
    #[arg(long = "as", value_name = "COMMAND")]
    pub(crate) show: Option<String>,
    /// Write the decisions to this file (-: standard output, the default without --as)
    #[arg(long, value_name = "FILE")]
    pub(crate) decisions: Option<PathBuf>,
    /// Write the record and the raw stream of each run to this directory
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) record_dir: Option<PathBuf>,
    /// Show all tiers in a browser as they run
    ///
    /// Prints the address of the page on standard error, as `serve` does on standard
    /// output, with PORT or a free one. The page also shows the store, and ends with the
    /// command.
    #[cfg(feature = "serve")]
    #[arg(long, value_name = "PORT", num_args = 0..=1, require_equals = true, default_missing_value = "0")]
    pub(crate) serve: Option<u16>,
    #[command(flatten)]
    pub(crate) clocks: ClockArgs,
    /// Do not read a prompt for all tiers from standard input
    #[arg(long)]
    pub(crate) no_stdin: bool,
    #[command(flatten)]
    pub(crate) surroundings: Surroundings,
}
