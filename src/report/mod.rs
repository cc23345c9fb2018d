//! `report`: runs as one document, in HTML or Markdown.

mod html;
mod markdown;
mod transcript;

pub(crate) use html::{HtmlRun, write_element};
pub(crate) use markdown::{MarkdownRun, index as markdown_index};
