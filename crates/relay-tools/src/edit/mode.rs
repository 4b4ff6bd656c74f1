//! The forms in which a model may write edits, and which of them a model is asked for.

use relay_agent::tool::Asking;
use serde_json::{Map, Value};

/// A form of edits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Operations on line anchors.
    Hashline,
    /// Old text and new text.
    Replace,
    /// Hunks for one file.
    Patch,
    /// An envelope for several files.
    ApplyPatch,
    /// Keys for a modal editor.
    Vim,
}

impl Mode {
    /// All of them; the first is what a model is asked for unless something else is set.
    pub const ALL: [Self; 5] = [Self::Hashline, Self::Replace, Self::Patch, Self::ApplyPatch, Self::Vim];

    /// The name in the settings.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hashline => "hashline",
            Self::Replace => "replace",
            Self::Patch => "patch",
            Self::ApplyPatch => "apply_patch",
            Self::Vim => "vim",
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.name() == name)
    }

    /// The form for a model: what is set for it or its family (`edit.modelVariants`), then the environment and `edit.mode`,
    /// which front ends resolve together, then hashline.
    pub fn of(asking: Asking<'_>) -> Self {
        let set = |key: &str| (asking.services.settings)(key);
        let variants = set("edit.modelVariants");
        let of_model =
            variants.as_ref().and_then(Value::as_object).and_then(|map| variant(map, asking.model));
        let of_all = || set("edit.mode").as_ref().and_then(Value::as_str).and_then(Self::from_name);
        of_model.or_else(of_all).unwrap_or(Self::Hashline)
    }

    /// The form that arguments are written in, whatever was asked for: models fall back on what they know.
    pub fn written(arguments: &Map<String, Value>) -> Option<Self> {
        if let Some(input) = arguments.get("input").and_then(Value::as_str) {
            let is_envelope = input.lines().any(|line| line.starts_with("*** ") && line.contains(" File: "));
            let is_section = input.lines().any(|line| line.starts_with('§'));
            return Some(if is_envelope && !is_section { Self::ApplyPatch } else { Self::Hashline });
        }
        if let Some(edits) = arguments.get("edits").and_then(Value::as_array) {
            let has = |key: &str| edits.iter().any(|edit| edit.get(key).is_some());
            return Some(if has("op") || has("diff") { Self::Patch } else { Self::Replace });
        }
        arguments.contains_key("file").then_some(Self::Vim)
    }
}

/// The form that is set for a model: the longest key that is in its name decides, so that a model may differ from its family.
fn variant(variants: &Map<String, Value>, model: &str) -> Option<Mode> {
    let model = model.to_ascii_lowercase();
    let fits = |key: &&String| model.contains(&key.to_ascii_lowercase());
    let key = variants.keys().filter(fits).max_by_key(|key| key.len())?;
    variants.get(key)?.as_str().and_then(Mode::from_name)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_longest_name_that_fits_a_model_decides() {
        let variants = json!({ "gpt-5": "apply_patch", "gpt-5-mini": "replace", "claude": "nonsense" });
        let of = |model: &str| variant(variants.as_object().unwrap(), model);
        assert_eq!(of("openai/gpt-5"), Some(Mode::ApplyPatch));
        assert_eq!(of("openai/GPT-5-mini"), Some(Mode::Replace));
        assert_eq!((of("anthropic/claude-opus"), of("x/y")), (None, None));
    }

    #[test]
    fn arguments_show_their_form() {
        for (arguments, mode) in [
            (json!({ "input": "§a\n≔1ab\n" }), Some(Mode::Hashline)),
            (json!({ "input": "*** Begin Patch\n§a\n" }), Some(Mode::Hashline)),
            (json!({ "input": "*** Begin Patch\n*** Update File: a\n" }), Some(Mode::ApplyPatch)),
            (json!({ "path": "a", "edits": [{ "old_text": "", "new_text": "" }] }), Some(Mode::Replace)),
            (json!({ "path": "a", "edits": [{ "op": "delete" }] }), Some(Mode::Patch)),
            (json!({ "file": "a" }), Some(Mode::Vim)),
            (json!({ "path": "a" }), None),
        ] {
            assert_eq!(Mode::written(arguments.as_object().unwrap()), mode, "{arguments}");
        }
    }
}
