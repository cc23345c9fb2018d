//! The page of `report` and `serve`: its data, and the document that shows them.
//!
//! A run becomes a list of [changes](change), each of which creates or completes an item
//! of the page: a text, a tool call, a note. `report` writes them into a document, `serve`
//! sends them as they come, and the script of the page applies both in the same way.
//!
//! Everything an agent wrote is hostile. The data are JSON in which no byte sequence ends
//! a script element ([`script_data`]), the script creates elements of a fixed list and
//! text nodes only, and a [policy](document) forbids all other scripts, strings as HTML,
//! and requests.

mod calls;
mod change;
mod diff;
mod document;
mod fold;
mod header;
mod json;
mod markdown;
mod overview;
mod script_data;
mod written_text;

pub(crate) use change::{ChangeSink, ItemContent, NoteLevel, PageChange};
pub(crate) use diff::DiffTag;
pub(crate) use document::{PageDocument, PageMode};
pub(crate) use fold::{Granularity, PageFold};
pub(crate) use header::RunHeader;
pub(crate) use json::write_change;
pub(crate) use overview::SessionsOverview;
pub(crate) use script_data::ScriptData;
