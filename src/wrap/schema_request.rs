//! The document that the agent is asked for, and its validation.

use std::path::{Path, PathBuf};

use anyhow::Context;

use super::stderr::SharedStderr;
use crate::findings::{response, response_schema};
use crate::harness::Harness;
use crate::harness::command::{SchemaFile, SchemaForm};
use crate::output::private::TemporaryFolder;
use crate::run::{Run, Verdict};
use crate::schema::{Schema, SchemaViolation, SchemaViolations};

/// Names the schema file if the user does not.
const VARIABLE: &str = "CLAUDEOPS_SCHEMA_PATH";

/// The name of the file for a schema that has none.
const FILE_NAME: &str = "agent-response.json";

/// The schema of the requested document.
pub(super) struct SchemaRequest {
    schema: Schema,
    path: PathBuf,
    /// Whether it is the shipped one.
    is_shipped: bool,
}

impl SchemaRequest {
    /// Opens the schema in `given`, or in the file that the environment names, or the
    /// shipped one in the form that `harness` accepts. The latter is written to
    /// `folder`, except in a dry run.
    pub(super) fn new(
        given: Option<&Path>,
        harness: Harness,
        folder: &TemporaryFolder,
        is_dry: bool,
    ) -> anyhow::Result<Self> {
        let variable = || std::env::var_os(VARIABLE).filter(|value| !value.is_empty());
        let named = given.map(Path::to_owned).or_else(|| variable().map(PathBuf::from));
        if let Some(path) = named {
            let schema = Schema::open(&path).context("--schema")?;
            let file = std::fs::metadata(&path).ok().filter(std::fs::Metadata::is_file);
            // A pipe can be read once, and a byte-order mark confuses the CLIs; in both
            // cases they get a copy.
            if file.is_some_and(|file| file.len() == schema.text().len() as u64) {
                let path = std::path::absolute(path).context("--schema")?;
                return Ok(Self { schema, path, is_shipped: false });
            }
            return Self::copied(schema, folder, is_dry);
        }
        let shipped = match harness.adapter().program.schema_form {
            SchemaForm::Strict => Schema::new(&response_schema::strict_schema())?,
            SchemaForm::Plain => Schema::new(response_schema::SCHEMA)?,
        };
        Ok(Self { is_shipped: true, ..Self::copied(shipped, folder, is_dry)? })
    }

    /// Writes the schema to a file of its own.
    fn copied(schema: Schema, folder: &TemporaryFolder, is_dry: bool) -> anyhow::Result<Self> {
        let path = folder.path().join(FILE_NAME);
        if !is_dry {
            folder.create().context("cannot make a temporary folder")?;
            std::fs::write(&path, schema.text()).with_context(|| path.display().to_string())?;
        }
        Ok(Self { schema, path, is_shipped: false })
    }

    /// Returns the schema for the command line.
    pub(super) fn file(&self) -> SchemaFile<'_> {
        SchemaFile { text: self.schema.text(), path: &self.path }
    }

    /// Validates the run's document, reports violations and adds them to the run's
    /// warnings. If the projection `shows_document` it has already reported a missing
    /// one.
    pub(super) fn validate(
        &self,
        run: &mut Run,
        verdict: &Verdict,
        shows_document: bool,
        stderr: &SharedStderr,
    ) -> SchemaViolations {
        let violations = self.violations(run, verdict);
        let is_reported = run.structured.document().is_none() && shows_document;
        let mut diagnostics = stderr.diagnostics(false);
        for message in violations.messages() {
            if !is_reported {
                diagnostics.error(&format!("structured: {message}"));
            }
            run.warn_about_document(message);
        }
        violations
    }

    /// Returns the first violation of the run's document that is not only an unknown level
    /// of an event: those are corrected when it is read.
    pub(super) fn uncorrected_violation(&self, run: &Run) -> Option<String> {
        let document = run.structured.document()?;
        let corrected = response::with_known_levels(document);
        let violations = self.validate_document(corrected.as_deref().unwrap_or(document));
        violations.first.first().map(ToString::to_string)
    }

    /// Validates a document. The shipped schema allows what `findings` reads in addition.
    fn validate_document(&self, document: &[u8]) -> SchemaViolations {
        let reduced = self.is_shipped.then(|| response::without_actions(document)).flatten();
        self.schema.validate(reduced.as_deref().unwrap_or(document))
    }

    /// Returns the violations. A missing document of a run that failed is not one.
    fn violations(&self, run: &Run, verdict: &Verdict) -> SchemaViolations {
        match run.structured.document() {
            Some(document) => self.validate_document(document),
            None if verdict.error.is_some() => SchemaViolations::default(),
            None => {
                let reason = run.structured.describe_missing();
                SchemaViolation::whole(format!("no structured output: {reason}")).into()
            }
        }
    }
}
