//! The documents of `relay pack` and `relay context`.

use serde_json::{Value, json};

use super::add;
use crate::context::pack::Pack;

/// A pack as one JSON document; its text only where it goes nowhere else.
#[must_use]
pub fn packed(pack: &Pack, output: Option<&str>, with_text: bool) -> Value {
    let masked = pack.masked.iter().map(|(path, found)| {
        json!({ "path": path, "line": found.line, "kind": found.kind, "placeholder": found.placeholder })
    });
    let mut document = json!({
        "receipt": pack.receipt.id(),
        "tokens": pack.tokens,
        "bytes": pack.text.len(),
        "files": pack.files,
        "leftOut": pack.left_out,
        "masked": masked.collect::<Vec<_>>(),
    });
    add(&mut document, "output", output);
    add(&mut document, "text", with_text.then_some(pack.text.as_str()));
    document
}

/// The selection as one JSON document, with what was just added to it or taken out.
#[must_use]
pub fn selection(files: &[String], added: &[String], removed: &[String]) -> Value {
    json!({ "files": files, "added": added, "removed": removed })
}
