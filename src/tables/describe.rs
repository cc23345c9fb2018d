//! The tables, described for people and for engines.

use serde_json::{Value, json};

use super::schema::{Column, TableName, VERSION};

/// Returns the tables and their columns as JSON, for programs that must know them before
/// there is a file.
pub(crate) fn json_schema() -> Value {
    let column = |column: &Column| {
        let Column { name, kind, is_required, doc } = column;
        json!({"name": name, "type": kind.name(), "nullable": !is_required, "description": text(doc)})
    };
    let table = |table: TableName| {
        let columns: Vec<_> = table.columns().map(column).collect();
        json!({"name": table.name(), "description": text(table.doc()), "columns": columns})
    };
    let (about, common) = TableName::common_columns();
    let common: Vec<_> = common.iter().map(|column| column.name).collect();
    let common = json!({"description": text(about), "columns": common});
    json!({"version": VERSION, "common": common, "tables": TableName::ALL.map(table)})
}

/// Joins the lines of a description.
fn text(doc: &str) -> String {
    doc.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::*;

    /// Marks the start of the reference in `docs/tables.md`, which ends the page.
    const START: &str = "<!-- generated -->\n\n";

    /// Returns the reference of `docs/tables.md`.
    pub(crate) fn markdown() -> String {
        let mut page = String::new();
        let (about, common) = TableName::common_columns();
        section(&mut page, "All tables", about, common);
        for table in TableName::ALL {
            let title = format!("`{}`", table.name());
            section(&mut page, &title, table.doc(), table.own_columns());
        }
        page
    }

    fn section(page: &mut String, title: &str, about: &str, columns: &[Column]) {
        let about = text(about);
        // Writing to a string cannot fail.
        let _ = write!(page, "### {title}\n\n{about}\n\n| column | type | |\n|---|---|---|\n");
        for Column { name, kind, is_required, doc } in columns {
            let null = if *is_required { "" } else { ", null" };
            let _ = writeln!(page, "| `{name}` | {}{null} | {} |", kind.name(), text(doc));
        }
        page.push('\n');
    }

    /// `UPDATE_GENERATED=1 cargo test generated` rewrites the reference.
    #[test]
    fn generated_reference_of_tables_is_current() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/tables.md");
        let page = std::fs::read_to_string(path).unwrap();
        let (about, kept) = page.split_once(START).unwrap();
        let current = markdown();
        if std::env::var_os("UPDATE_GENERATED").is_some() {
            std::fs::write(path, [about, START, &current].concat()).unwrap();
        } else {
            assert_eq!(kept, current, "run `UPDATE_GENERATED=1 cargo test generated`");
        }
    }
}
