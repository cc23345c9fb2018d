//! The document the agent is asked for, and whether it gave it.

use std::path::{Path, PathBuf};

use anyhow::Context;

use super::completion::SchemaFile;
use crate::findings::response;
use crate::run::{Run, Verdict};
use crate::schema::Schema;

/// Names a schema's file where the user names none.
const VARIABLE: &str = "CLAUDEOPS_SCHEMA_PATH";

/// The name of a file for the schema that is shipped.
const SHIPPED: &str = "agent-response.json";

/// What the agent is asked for.
pub struct Asked {
    schema: Schema,
    path: PathBuf,
}

impl Asked {
    /// The schema in `given`, or in the file that the environment names, or the
    /// shipped one, which is put into `folder` unless the run is a dry one.
    pub fn new(given: Option<&Path>, folder: &Path, dry: bool) -> anyhow::Result<Self> {
        let variable = || std::env::var_os(VARIABLE).filter(|value| !value.is_empty());
        let named = given.map(Path::to_owned).or_else(|| variable().map(PathBuf::from));
        if let Some(path) = named {
            let schema = Schema::open(&path).context("--schema")?;
            return Ok(Self { schema, path: std::path::absolute(path).context("--schema")? });
        }
        let path = folder.join(SHIPPED);
        if !dry {
            std::fs::write(&path, response::SCHEMA).with_context(|| path.display().to_string())?;
        }
        Ok(Self { schema: Schema::new(response::SCHEMA.to_owned())?, path })
    }

    /// What the command line needs of it.
    pub fn file(&self) -> SchemaFile<'_> {
        SchemaFile { text: self.schema.text(), path: &self.path }
    }

    /// What is wrong with the run's document. That a run which failed has none is
    /// told already.
    pub fn violations(&self, run: &Run, verdict: &Verdict) -> Vec<String> {
        match run.structured.document() {
            Some(document) => {
                self.schema.violations(document).iter().map(ToString::to_string).collect()
            }
            None if verdict.error.is_some() => Vec::new(),
            None => vec![format!("no structured output: {}", run.structured.instead())],
        }
    }
}
