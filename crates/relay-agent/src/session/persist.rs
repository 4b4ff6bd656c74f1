//! What becomes of an entry before it is written: very long texts are cut, pictures move to the blob store, and fields
//! that only matter while an answer streams are dropped.
//!
//! An entry in memory says what its line says, so a session goes on after a restart with exactly what it had before.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use relay_store::{Blobs, StoreError};
use serde_json::{Map, Value};

/// The longest text of an entry.
pub(crate) const TEXT_LIMIT_CHARS: usize = 500_000;
/// What a text that was cut ends with.
pub(crate) const CUT_NOTICE: &str = "[Session persistence truncated large content]";
/// Pictures of at least this length in base64 become blobs.
const BLOB_CHARS: usize = 1_024;
/// What a reference to a blob begins with.
pub(crate) const BLOB_PREFIX: &str = "blob:sha256:";

/// Fields that are never written.
const TRANSIENT: [&str; 2] = ["partialJson", "jsonlEvents"];
/// Fields that a provider checks: a part of one is worse than none.
const SIGNATURES: [&str; 6] = [
    "thinkingSignature",
    "textSignature",
    "thoughtSignature",
    "signature",
    "encrypted_content",
    "reasoning_signature",
];

/// Prepares the fields of an entry; whether anything was changed.
pub(super) fn prepare(object: &mut Map<String, Value>, blobs: Option<&Blobs>) -> Result<bool, StoreError> {
    prepare_object(object, blobs)
}

fn prepare_object(object: &mut Map<String, Value>, blobs: Option<&Blobs>) -> Result<bool, StoreError> {
    let mut is_changed = false;
    for key in TRANSIENT {
        is_changed |= object.shift_remove(key).is_some();
    }
    if let Some(blobs) = blobs {
        is_changed |= move_picture(object, blobs)?;
    }
    let is_redacted = object.get("type").is_some_and(|kind| kind == "redactedThinking");
    let mut is_content_cut = false;
    for (key, value) in object.iter_mut() {
        let is_whole = SIGNATURES.contains(&key.as_str()) || (is_redacted && key == "data");
        let is_cut = match value {
            Value::String(text) => cut(text, is_whole),
            Value::Array(items) => prepare_items(items, blobs)?,
            Value::Object(inner) => prepare_object(inner, blobs)?,
            _ => false,
        };
        is_content_cut |= is_cut && key == "content";
        is_changed |= is_cut;
    }
    if is_content_cut && object.contains_key("lineCount") {
        let lines = object.get("content").and_then(Value::as_str).map(|text| text.split('\n').count());
        if let Some(lines) = lines {
            object.insert("lineCount".to_owned(), lines.into());
        }
    }
    Ok(is_changed)
}

fn prepare_items(items: &mut [Value], blobs: Option<&Blobs>) -> Result<bool, StoreError> {
    let mut is_changed = false;
    for item in items {
        is_changed |= match item {
            Value::String(text) => cut(text, false),
            Value::Array(items) => prepare_items(items, blobs)?,
            Value::Object(object) => prepare_object(object, blobs)?,
            _ => false,
        };
    }
    Ok(is_changed)
}

/// Cuts a text that is too long, or empties it if a part of it is worth nothing; whether it did.
fn cut(text: &mut String, is_whole: bool) -> bool {
    // Most texts are short enough even if every byte were a character.
    if text.len() <= TEXT_LIMIT_CHARS || text.chars().count() <= TEXT_LIMIT_CHARS {
        return false;
    }
    if is_whole {
        text.clear();
        return true;
    }
    let kept = TEXT_LIMIT_CHARS - CUT_NOTICE.len() - 2;
    let end = text.char_indices().nth(kept).map_or(text.len(), |(at, _)| at);
    text.truncate(end);
    text.push_str("\n\n");
    text.push_str(CUT_NOTICE);
    true
}

/// Moves the bytes of a picture into the blob store; whether it did.
fn move_picture(object: &mut Map<String, Value>, blobs: &Blobs) -> Result<bool, StoreError> {
    let is_picture = object.get("type").is_some_and(|kind| kind == "image");
    let mut moved = Vec::new();
    for (key, value) in object.iter() {
        let Some(text) = value.as_str().filter(|text| text.len() >= BLOB_CHARS) else { continue };
        let bytes = match key.as_str() {
            "data" if is_picture => STANDARD.decode(text).ok(),
            // A data URL stays text, so that it comes back with its media type.
            "image_url" if text.starts_with("data:") => Some(text.as_bytes().to_vec()),
            _ => None,
        };
        if let Some(bytes) = bytes {
            moved.push((key.clone(), format!("{BLOB_PREFIX}{}", blobs.put(&bytes)?)));
        }
    }
    let is_changed = !moved.is_empty();
    object.extend(moved.into_iter().map(|(key, reference)| (key, reference.into())));
    Ok(is_changed)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn prepared(value: Value) -> (Value, bool) {
        let mut object = value.as_object().cloned().unwrap();
        let is_changed = prepare(&mut object, None).unwrap();
        (Value::Object(object), is_changed)
    }

    #[test]
    fn long_texts_are_cut_and_signatures_emptied() {
        let long = "é".repeat(TEXT_LIMIT_CHARS + 1);
        let (value, is_changed) = prepared(json!({
            "message": { "content": [{ "type": "text", "text": long, "textSignature": long }] },
            "fine": "é".repeat(TEXT_LIMIT_CHARS),
        }));
        assert!(is_changed);
        let block = &value["message"]["content"][0];
        let text = block["text"].as_str().unwrap();
        assert_eq!(text.chars().count(), TEXT_LIMIT_CHARS);
        assert!(text.ends_with(&format!("é\n\n{CUT_NOTICE}")));
        assert_eq!(block["textSignature"], "");
        assert_eq!(value["fine"].as_str().unwrap().chars().count(), TEXT_LIMIT_CHARS);
    }

    #[test]
    fn lines_are_counted_again_and_transient_fields_dropped() {
        let long = "line\n".repeat(TEXT_LIMIT_CHARS / 4);
        let (value, _) = prepared(json!({ "files": [{ "content": long, "lineCount": 7 }] }));
        let file = &value["files"][0];
        let lines = file["content"].as_str().unwrap().split('\n').count();
        assert_eq!(file["lineCount"], lines);
        let (value, is_changed) = prepared(json!({ "content": "a\nb", "lineCount": 7, "partialJson": "{" }));
        assert_eq!((value, is_changed), (json!({ "content": "a\nb", "lineCount": 7 }), true));
        assert!(!prepared(json!({ "content": "a" })).1);
    }

    #[test]
    fn pictures_become_blobs() {
        let home = tempfile::tempdir().unwrap();
        let blobs = relay_store::Store::at(home.path()).sessions().blobs();
        let small = STANDARD.encode([7; 9]);
        let large = STANDARD.encode([7; 900]);
        let url = format!("data:image/png;base64,{large}");
        let mut object = json!({ "content": [
            { "type": "image", "data": small, "mimeType": "image/png" },
            { "type": "image", "data": large, "mimeType": "image/png" },
            { "type": "text", "data": large },
            { "image_url": url },
        ] })
        .as_object()
        .cloned()
        .unwrap();
        assert!(prepare(&mut object, Some(&blobs)).unwrap());
        let content = &object["content"];
        assert_eq!(
            (content[0]["data"].as_str(), content[2]["data"].as_str()),
            (Some(&*small), Some(&*large))
        );
        let blob = |value: &Value| {
            blobs.get(value.as_str().unwrap().strip_prefix(BLOB_PREFIX).unwrap()).unwrap().unwrap()
        };
        assert_eq!(blob(&content[1]["data"]), [7; 900]);
        assert_eq!(blob(&content[3]["image_url"]), url.as_bytes());
    }
}
