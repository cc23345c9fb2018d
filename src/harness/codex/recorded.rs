//! Events in the record of a run: tagged, with long outputs cut, as the contract
//! asks for.

use crate::harness::{Record, write_tagged};
use crate::json::Json;

/// Length at which the output of a command is cut, in characters.
const MAX_OUTPUT: usize = 64 * 1024;

const TRUNCATED: &str = "...(truncated)";

/// Writes an event and returns whether its output was cut.
pub(super) fn write(record: &Record<'_>, to: &mut Vec<u8>) -> bool {
    write_tagged(to, record);
    let Some(cut) = with_cut_output(to) else { return false };
    *to = cut;
    true
}

fn with_cut_output(event: &[u8]) -> Option<Vec<u8>> {
    let json = Json::new(event);
    let output = json.pointer("/item/aggregated_output")?;
    // Cheap test first: there are at most as many characters as bytes.
    if output.bytes().len() <= MAX_OUTPUT {
        return None;
    }
    let text = output.as_str()?;
    let (end, _) = text.char_indices().nth(MAX_OUTPUT)?;
    let cut = serde_json::to_vec(&format!("{}{TRUNCATED}", &text[..end])).ok()?;
    let start = json.offset_of(output);
    let rest = start + output.bytes().len();
    Some([&json.bytes()[..start], &cut, &json.bytes()[rest..]].concat())
}
