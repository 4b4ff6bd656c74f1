//! What a model is shown of the tool, one form each.

use relay_agent::tool::{Concurrency, Spec};
use serde_json::{Value, json};

use super::mode::Mode;

/// What the tool declares in this form.
pub fn of(mode: Mode) -> Spec {
    let description = match mode {
        Mode::Hashline => include_str!("text/hashline.md"),
        Mode::Replace => include_str!("text/replace.md"),
        Mode::Patch => include_str!("text/patch.md"),
        Mode::ApplyPatch => include_str!("text/apply_patch.md"),
        Mode::Vim => include_str!("text/vim.md"),
    };
    Spec {
        name: "edit".into(),
        description: description.trim().into(),
        parameters: parameters(mode),
        concurrency: Concurrency::Exclusive,
        hidden: false,
    }
}

/// The grammar of forms that are one text, for models that can be held to it.
pub fn grammar(mode: Mode) -> Option<&'static str> {
    match mode {
        Mode::Hashline => Some(include_str!("text/hashline.lark")),
        Mode::ApplyPatch => Some(include_str!("text/apply_patch.lark")),
        Mode::Replace | Mode::Patch | Mode::Vim => None,
    }
}

fn parameters(mode: Mode) -> Value {
    match mode {
        Mode::Hashline => {
            object(json!({ "input": text("Sections `§PATH` with operations on anchors") }), &["input"])
        }
        Mode::ApplyPatch => object(
            json!({ "input": text("The whole patch, from `*** Begin Patch` to `*** End Patch`") }),
            &["input"],
        ),
        Mode::Replace => {
            let edit = object(
                json!({
                    "old_text": text("Text of the file, exactly as it is"),
                    "new_text": text("What replaces it"),
                    "all": { "type": "boolean", "description": "Replace every occurrence" },
                }),
                &["old_text", "new_text"],
            );
            listed(edit)
        }
        Mode::Patch => {
            let edit = object(
                json!({
                    "op": { "type": "string", "enum": ["create", "update", "delete"] },
                    "diff": text("For update: hunks that begin with `@@`; for create: the whole content"),
                    "rename": text("The new path of the file"),
                }),
                &["op"],
            );
            listed(edit)
        }
        Mode::Vim => {
            let step = object(
                json!({
                    "kbd": { "type": "array", "items": { "type": "string" }, "description": "Keys, as vim names them: `dw`, `<Esc>`, `:w<CR>`" },
                    "insert": text("Text to type, word for word, where the keys leave insert mode open"),
                }),
                &["kbd"],
            );
            let steps = json!({ "type": "array", "items": step, "description": "What to do; without it the file is shown" });
            object(json!({ "file": text("The file"), "steps": steps }), &["file"])
        }
    }
}

/// A file and a list of edits.
fn listed(edit: Value) -> Value {
    let edits = json!({ "type": "array", "minItems": 1, "items": edit });
    object(json!({ "path": text("The file"), "edits": edits }), &["path", "edits"])
}

fn text(description: &str) -> Value {
    json!({ "type": "string", "description": description })
}

fn object(properties: Value, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}
