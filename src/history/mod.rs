//! Whole histories: usage over many files, put into one table.
//!
//! Walks the folders, has every file read on whatever core is free (reading one
//! is the business of [`input`](crate::input) and [`harness`](crate::harness)),
//! counts every request once, groups, prints.

mod account;
mod counts;
mod files;
mod group;
mod merge;
mod owners;
mod plot;
mod progress;
mod table;

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use anyhow::bail;
use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::cli::{By, Global, UsageArgs};
use crate::exit::Exit;
use crate::output::{Output, Shape, plural};
use crate::pipeline;
use crate::prices::{Estimate, Prices};
use account::{Account, Options};
use group::Grouping;
use merge::{Kind, Spend};
use progress::Progress;
use table::Table;

/// What is to be done, as far as it can be decided before anything is read.
pub struct Plan<'a> {
    args: &'a UsageArgs,
    by: By,
    zone: TimeZone,
    since: Option<Timestamp>,
    until: Option<Timestamp>,
    prices: Option<Prices>,
    paths: Vec<PathBuf>,
}

impl<'a> Plan<'a> {
    /// The plan, if a table was asked for.
    ///
    /// # Errors
    ///
    /// The options cannot be understood together, or the prices not be read.
    pub fn of(args: &'a UsageArgs) -> anyhow::Result<Option<Self>> {
        if !args.is_table() {
            return Ok(None);
        }
        let mut paths = args.input.files.clone();
        if args.home {
            let homes = files::homes(|name| std::env::var(name).ok());
            let found: Vec<_> = homes.iter().filter(|folder| folder.is_dir()).cloned().collect();
            if found.is_empty() && paths.is_empty() {
                let names: Vec<_> = homes.iter().map(|home| home.display().to_string()).collect();
                bail!("no sessions here: looked for {}", names.join(", "));
            }
            paths.extend(found);
        }
        if paths.is_empty() {
            if io::stdin().is_terminal() {
                bail!("nothing to read: give a FILE or a folder, --home, or pipe a stream in");
            }
            paths.push(PathBuf::from("-"));
        }
        let zone = if args.utc { TimeZone::UTC } else { TimeZone::try_system()? };
        let time = |moment: &crate::cli::Moment, end| moment.resolve(&zone, Timestamp::now(), end);
        let since = args.since.as_ref().map(|since| time(since, false)).transpose()?;
        let until = args.until.as_ref().map(|until| time(until, true)).transpose()?;
        if since >= until && until.is_some() {
            bail!("--since comes after --until");
        }
        Ok(Some(Self {
            by: args.by.unwrap_or(By::Day),
            since,
            until,
            prices: args.prices()?,
            zone,
            args,
            paths,
        }))
    }

    /// What its records look like.
    #[must_use]
    pub fn shape(&self) -> Shape {
        Shape { columns: self.by.columns(), many: true, dense: true }
    }

    /// Reads everything and prints the table.
    ///
    /// # Errors
    ///
    /// Writing fails.
    pub fn carry_out(&self, global: &Global, out: &mut Output) -> io::Result<Exit> {
        let mut exit = Exit::Done;
        let files = files::find(&self.paths, |path, error| {
            out.notes.begin(&path.to_string_lossy());
            out.notes.error_about_input(&crate::app::plainly(error));
            exit = Exit::Trouble;
        });
        let mut accounts = read(&files, global);
        for account in &accounts {
            exit = exit.or_worse(tell(account, global, out));
        }
        let (sessions, mut spends) = merge::merge(&mut accounts);
        spends.retain(|spend| {
            self.since.is_none_or(|since| spend.at >= since)
                && self.until.is_none_or(|until| spend.at < until)
        });
        let price = |spend: &Spend<'_>| match &self.prices {
            Some(prices) => {
                prices.estimate(spend.model, &spend.tokens, spend.kind == Kind::Request)
            }
            None => Estimate::default(),
        };
        let zone = self.zone.clone();
        let grouping = Grouping { by: self.by, zone, sessions: &sessions, price: &price };
        let (rows, all) = grouping.rows(&spends);
        if let Some(what) = self.args.plot {
            if rows.is_empty() {
                out.notes.remark("nothing was used");
            }
            plot::draw(what, self.by, &rows, &mut out.sink)?;
            return Ok(exit);
        }
        let prices = self.prices.as_ref().map(|prices| prices.date.as_str());
        Table { by: self.by, rows: &rows, all: &all, prices }.print(out)?;
        Ok(exit)
    }
}

/// Reads all files, each on whatever thread is free.
fn read(files: &[PathBuf], global: &Global) -> Vec<Account> {
    let options = Options { harness: global.harness, max_line: global.max_line };
    let mut progress = Progress::new(files.len(), global.quiet);
    let next = AtomicUsize::new(0);
    let (done, accounts) = mpsc::channel();
    let threads = pipeline::threads(global.threads).min(files.len()).max(1);
    let mut all: Vec<Account> = std::thread::scope(|scope| {
        for _ in 0..threads {
            let done = done.clone();
            let next = &next;
            scope.spawn(move || {
                while let Some(path) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if done.send(Account::of(path, options)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(done);
        accounts.iter().inspect(|_| progress.step()).collect()
    });
    progress.end();
    all.sort_by(|one, other| one.path.cmp(&other.path));
    all
}

/// Says what was wrong with a file.
fn tell(account: &Account, global: &Global, out: &mut Output) -> Exit {
    let mut exit = Exit::Done;
    out.notes.begin(&account.path.to_string_lossy());
    if let Some((line, why)) = &account.first_skipped {
        let message = match account.skipped - 1 {
            0 => why.clone(),
            more => format!("{why} ({} skipped)", plural(more, "more line")),
        };
        out.notes.about_input_line(*line, &message);
        if global.strict {
            exit = Exit::No;
        }
    }
    if let Some(error) = &account.error {
        out.notes.error_about_input(&format!("cannot read: {}", crate::app::plainly(error)));
        exit = Exit::Trouble;
    }
    exit
}
