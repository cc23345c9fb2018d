//! The commands that work with the store.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgGroup, Args};

use super::agent::{ClockArgs, Surroundings};
use super::values::{duration, pointer, some_time};
use crate::output::Format;

/// `streamj memories`
#[derive(Debug, Args)]
pub struct MemoriesArgs {
    /// The SQLite file of `findings --db` and `escalate`
    #[arg(long, value_name = "FILE")]
    pub db: PathBuf,
    /// First take 0.1 off the confidence of memories for each full week that they
    /// were not updated after 30 days
    #[arg(long)]
    pub decay: bool,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub format: Format,
    /// Print one member only, strings raw: `/observation`
    #[arg(long, value_name = "POINTER", value_parser = pointer)]
    pub get: Option<String>,
}

/// `streamj escalate`
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("tiers").required(true).args(["tier", "config"])))]
pub struct EscalateArgs {
    /// The SQLite file where runs and decisions are stored
    #[arg(long, value_name = "FILE")]
    pub db: PathBuf,
    /// The command line of a tier, as a shell reads it (repeatable, lowest first)
    #[arg(long, value_name = "COMMAND")]
    pub tier: Vec<String>,
    /// The tiers in a TOML file: `[[tier]]` with command, and name, model, timeout
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// The highest tier that may run [default: `CLAUDEOPS_MAX_TIER`, else all]
    ///
    /// Without it the environment variable `CLAUDEOPS_MAX_TIER` decides, if it is not
    /// empty: a number from 1.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub max_tier: Option<u16>,
    /// Run the first tier only, and write nothing
    ///
    /// The first tier really runs, and may do anything; no other does. Nothing is
    /// stored or deleted, and what would follow is told.
    #[arg(long)]
    pub dry_run: bool,
    /// The time in which actions on a service are counted (0: do not count)
    #[arg(long, value_name = "TIME", default_value = "4h", value_parser = duration)]
    pub cooldown: Duration,
    /// So many actions on a service within that time, and nobody escalates
    ///
    /// Counted are restarts and redeployments in the store, on the services that the
    /// tier reports as not well; if it names none, on any but those it found healthy.
    /// Those of a recording count from when it was stored.
    #[arg(long, value_name = "N", default_value = "2", value_parser = clap::value_parser!(u64).range(1..))]
    pub cooldown_limit: u64,
    /// A file in which an agent without structured output asks for the next tier
    ///
    /// A JSON object; its members, all optional: `services_affected`, `check_results`
    /// (service, `check_type`, status, error), `investigation_findings`,
    /// `remediation_attempted`; or needed, reason, context, `failed_checks`. It is read
    /// when the findings come from markers and it was written while the tier ran, and
    /// deleted when the run is stored; one that cannot be understood becomes FILE.bad.
    #[arg(long, value_name = "FILE")]
    pub handoff: Option<PathBuf>,
    /// Begin again after this time, until a signal comes
    #[arg(long, value_name = "TIME", value_parser = some_time)]
    pub every: Option<Duration>,
    /// The JSON Schema of the agents' answers [default: that of `wrap --schema`]
    #[arg(long, value_name = "FILE")]
    pub schema: Option<PathBuf>,
    /// Keep the record of each run, and its raw stream, in this folder
    #[arg(long, value_name = "DIR")]
    pub record_dir: Option<PathBuf>,
    /// When to end a tier.
    #[command(flatten)]
    pub clocks: ClockArgs,
    /// Do not read a prompt for all tiers from standard input
    #[arg(long)]
    pub no_stdin: bool,
    /// What the commands get.
    #[command(flatten)]
    pub surroundings: Surroundings,
}
