//! The documents of `relay pack` and `relay context`.

use serde::Serialize;
use serde_json::Value;

use super::value;
use crate::context::pack::Pack;

/// A pack as one JSON document; its text only where it goes nowhere else.
#[must_use]
pub fn packed(pack: &Pack, output: Option<&str>, with_text: bool) -> Value {
    let file = |file: &crate::context::pack::Packed| FileJson {
        path: file.path.clone(),
        lines: file.lines,
        tokens: file.tokens,
    };
    let left = |left: &crate::context::pack::LeftOut| LeftOutJson {
        path: left.path.clone(),
        reason: left.reason.clone(),
        tokens: left.tokens,
    };
    value(&PackJson {
        receipt: pack.receipt.id(),
        tokens: pack.tokens,
        bytes: pack.text.len(),
        files: pack.files.iter().map(file).collect(),
        left_out: pack.left_out.iter().map(left).collect(),
        masked: pack
            .masked
            .iter()
            .map(|(path, found)| MaskedJson {
                path,
                line: found.line,
                kind: found.kind,
                placeholder: &found.placeholder,
            })
            .collect(),
        output,
        text: with_text.then_some(pack.text.as_str()),
    })
}

/// The selection as one JSON document, with what was just added to it or taken out.
#[must_use]
pub fn selection(files: &[String], added: &[String], removed: &[String]) -> Value {
    value(&SelectionJson { files, added, removed })
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PackJson<'a> {
    receipt: &'a str,
    tokens: usize,
    bytes: usize,
    files: Vec<FileJson>,
    left_out: Vec<LeftOutJson>,
    masked: Vec<MaskedJson<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
}

#[derive(Serialize)]
struct FileJson {
    path: String,
    lines: usize,
    tokens: usize,
}

#[derive(Serialize)]
struct LeftOutJson {
    path: String,
    reason: String,
    tokens: Option<usize>,
}

#[derive(Serialize)]
struct MaskedJson<'a> {
    path: &'a str,
    line: usize,
    kind: &'static str,
    placeholder: &'a str,
}

#[derive(Serialize)]
struct SelectionJson<'a> {
    files: &'a [String],
    added: &'a [String],
    removed: &'a [String],
}
