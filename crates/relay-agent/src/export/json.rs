//! A session as one JSON document: every entry with all its fields, pictures included.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use relay_diagnostics::display::escaped_json;
use serde_json::{Map, Value, json};

use super::picture::BLOB;
use super::tally::ModelTally;
use super::tree::Tree;
use super::{FindBlob, Transcript};

/// The version of the document's form.
const VERSION: u64 = 1;

pub(super) fn document(transcript: &Transcript<'_>) -> String {
    let tree = Tree::new(transcript.entries, transcript.leaf);
    let tally = transcript.tally();
    let leaf =
        tree.active().last().and_then(|at| transcript.entries.get(at)).map(|entry| entry.id().to_owned());
    let entries: Vec<Value> = transcript
        .entries
        .iter()
        .map(|entry| match entry.object() {
            Ok(object) => resolve(object, transcript.blobs),
            Err(_) => json!({ "id": entry.id(), "unreadable": entry.line() }),
        })
        .collect();
    let document = json!({
        "exportVersion": VERSION,
        "name": transcript.name(),
        "session": transcript.header.object(),
        "leafId": leaf,
        "usage": {
            "prompts": tally.prompts, "answers": tally.answers,
            "toolCalls": tally.calls, "failedToolCalls": tally.failures,
            "total": used(&tally.total()),
            "models": tally.models.iter().map(|model| {
                json!({ "model": model.model, "usage": used(model) })
            }).collect::<Vec<_>>(),
        },
        "entries": entries,
    });
    let text = serde_json::to_string_pretty(&document).unwrap_or_default();
    format!("{}\n", escaped_json(&text))
}

fn used(model: &ModelTally) -> Value {
    json!({
        "answers": model.answers, "input": model.input, "output": model.output,
        "cacheRead": model.cache_read, "cacheWrite": model.cache_write, "cost": model.cost,
    })
}

/// The entry with the bytes of its stored pictures in place of their names.
fn resolve(object: Map<String, Value>, blobs: FindBlob<'_>) -> Value {
    // Entries are read with a limit on their depth, so this goes no deeper than that.
    fn walk(value: &mut Value, blobs: FindBlob<'_>) {
        match value {
            Value::String(text) => {
                if let Some(bytes) = text.strip_prefix(BLOB).and_then(blobs) {
                    *text = STANDARD.encode(bytes);
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| walk(item, blobs)),
            Value::Object(fields) => fields.values_mut().for_each(|field| walk(field, blobs)),
            _ => {}
        }
    }
    let mut value = Value::Object(object);
    walk(&mut value, blobs);
    value
}
