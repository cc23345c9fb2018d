//! The document the agent is asked for, and whether it gave it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::completion::SchemaFile;
use super::stderr::OurStderr;
use crate::findings::response;
use crate::harness::Harness;
use crate::run::{Run, Verdict};
use crate::schema::{Schema, Violation, Violations};

/// Names a schema's file where the user names none.
const VARIABLE: &str = "CLAUDEOPS_SCHEMA_PATH";

/// The name of a file for a schema that has none.
const SHIPPED: &str = "agent-response.json";

/// What the agent is asked for.
pub struct Asked {
    schema: Schema,
    path: PathBuf,
}

impl Asked {
    /// The schema in `given`, or in the file that the environment names, or the
    /// shipped one as `harness` takes it, which is put into `folder` unless the run
    /// is a dry one.
    pub fn new(
        given: Option<&Path>,
        harness: Option<Harness>,
        folder: &Path,
        dry: bool,
    ) -> anyhow::Result<Self> {
        let variable = || std::env::var_os(VARIABLE).filter(|value| !value.is_empty());
        let named = given.map(Path::to_owned).or_else(|| variable().map(PathBuf::from));
        if let Some(path) = named {
            let schema = Schema::open(&path).context("--schema")?;
            let file = std::fs::metadata(&path).ok().filter(std::fs::Metadata::is_file);
            // A pipe is read once; and nobody but us reads a byte-order mark.
            if file.is_some_and(|file| file.len() == schema.text().len() as u64) {
                return Ok(Self { schema, path: std::path::absolute(path).context("--schema")? });
            }
            return Self::kept(schema, folder, dry);
        }
        let shipped = match harness {
            Some(Harness::Codex) => Schema::new(&response::strict_schema())?,
            _ => Schema::new(response::SCHEMA)?,
        };
        Self::kept(shipped, folder, dry)
    }

    /// A schema in a file of ours.
    fn kept(schema: Schema, folder: &Path, dry: bool) -> anyhow::Result<Self> {
        let path = folder.join(SHIPPED);
        if !dry {
            std::fs::write(&path, schema.text()).with_context(|| path.display().to_string())?;
        }
        Ok(Self { schema, path })
    }

    /// Whether a command is asked for a document at all.
    pub fn is_asked(argv: &[OsString]) -> bool {
        let names = ["--json-schema", "--output-schema"];
        let is = |word: &str| names.contains(&word.split('=').next().unwrap_or(word));
        argv.iter().any(|word| word.to_str().is_some_and(is))
    }

    /// What the command line needs of it.
    pub fn file(&self) -> SchemaFile<'_> {
        SchemaFile { text: self.schema.text(), path: &self.path }
    }

    /// What is wrong with the run's document; it is told and becomes a warning of the
    /// run. Who shows the document has told already that there is none.
    pub fn violated_by(
        &self,
        run: &mut Run,
        verdict: &Verdict,
        shows_document: bool,
        stderr: &OurStderr,
    ) -> Violations {
        let violations = self.violations(run, verdict);
        run.warn_of(&violations);
        if run.structured.document().is_some() || !shows_document {
            stderr.notes(false).violations(&violations);
        }
        violations
    }

    /// What is wrong with the run's document. That a run which failed has none is
    /// told already.
    fn violations(&self, run: &Run, verdict: &Verdict) -> Violations {
        match run.structured.document() {
            Some(document) => self.schema.violations(document),
            None if verdict.error.is_some() => Violations::default(),
            None => {
                let instead = run.structured.instead();
                Violation::whole(format!("no structured output: {instead}")).into()
            }
        }
    }
}
