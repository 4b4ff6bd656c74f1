//! Pictures that programs of pi's family store apart from their sessions.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::Imported;

/// How a reference to one begins.
const PREFIX: &str = "blob:sha256:";

impl Imported {
    /// Puts pictures that are stored apart into the session, where `find` has them under their digests, and returns how
    /// many are missing. Storing the session moves them to Relay's own store.
    pub fn bring_pictures(&mut self, find: &dyn Fn(&str) -> Option<Vec<u8>>) -> usize {
        let mut missing = 0;
        for entry in &mut self.document.entries {
            if !entry.line().contains(PREFIX) {
                continue;
            }
            let changed = entry.patched(|fields| {
                fields.values_mut().for_each(|value| missing += bring(value, find));
            });
            if let Ok(changed) = changed {
                *entry = changed;
            }
        }
        missing
    }
}

/// Replaces references below a value; how many lead nowhere. Entries are read with a limit on their depth.
fn bring(value: &mut Value, find: &dyn Fn(&str) -> Option<Vec<u8>>) -> usize {
    match value {
        Value::Object(fields) => {
            let is_picture = fields.get("type").is_some_and(|kind| kind == "image");
            let mut missing = 0;
            for (key, field) in fields.iter_mut() {
                missing += match field {
                    Value::String(text) if is_picture && key == "data" => replace(text, find),
                    other => bring(other, find),
                };
            }
            missing
        }
        Value::Array(items) => items.iter_mut().map(|item| bring(item, find)).sum(),
        _ => 0,
    }
}

fn replace(text: &mut String, find: &dyn Fn(&str) -> Option<Vec<u8>>) -> usize {
    let Some(digest) = text.strip_prefix(PREFIX) else { return 0 };
    // The digest becomes a file's name, so it must be one.
    let is_digest = digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit());
    match is_digest.then(|| find(digest)).flatten() {
        Some(bytes) => {
            *text = STANDARD.encode(bytes);
            0
        }
        None => 1,
    }
}
