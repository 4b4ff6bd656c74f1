//! The text that teaches a model how to write replies Relay can land.
//!
//! Its examples are parsed and applied by this crate's own tests, so the prompt can never teach something the
//! parser does not read.

use crate::Dialect;
use crate::anchors::anchored;

/// The project id shown when none is known yet.
const UNKNOWN_PROJECT: &str = "my-project";
/// The uuid of the example; the text says not to copy it.
const EXAMPLE_UUID: &str = "4f9c2c1e-6c1b-4e0a-9a53-0d3f6b7e8a21";

/// The system prompt for a dialect, ready to be copied into a model's instructions.
///
/// ```
/// use relay_edit::{Dialect, system_prompt};
///
/// assert!(system_prompt(Dialect::Fenced, Some("shop")).contains("projectId: shop"));
/// ```
#[must_use]
pub fn system_prompt(dialect: Dialect, project_id: Option<&str>) -> String {
    let text = match dialect {
        Dialect::Fenced => include_str!("prompt/fenced.md"),
        Dialect::Unified => include_str!("prompt/unified.md"),
        // Relay never asks models for the forms that it only reads.
        Dialect::SearchReplace
        | Dialect::Announced
        | Dialect::ToolCall
        | Dialect::Instruction
        | Dialect::Shell => include_str!("prompt/search_replace.md"),
        Dialect::ApplyPatch => include_str!("prompt/apply_patch.md"),
        Dialect::EditRepl => include_str!("prompt/edit_repl.md"),
        Dialect::Hashline => include_str!("prompt/hashline.md"),
        Dialect::Commands => include_str!("prompt/commands.md"),
        Dialect::WholeFile => include_str!("prompt/whole_file.md"),
    };
    let project = project_id.unwrap_or(UNKNOWN_PROJECT);
    let text = if dialect == Dialect::Hashline { with_anchors(text) } else { text.to_owned() };
    text.replace("@PROJECT@", &yaml_scalar(project)).replace("@UUID@", EXAMPLE_UUID)
}

/// Whether a text holds these instructions. Their examples are written like a reply, with the project's own id, and are
/// none: who watches for replies must not take them.
#[must_use]
pub fn holds_instructions(text: &str) -> bool {
    text.contains(EXAMPLE_UUID) || text.contains(HEADING)
}

/// How the instructions begin, in every dialect.
const HEADING: &str = "# How to send code changes\n";

/// The file of the example.
const EXAMPLE: &str = "export function total(a: number, b: number): number {\n  return a + b;\n}\n";

/// Fills in the anchors of the example.
fn with_anchors(text: &str) -> String {
    let shown = anchored(EXAMPLE.as_bytes(), 1, 3);
    let second = shown.lines().nth(1).and_then(|line| line.split('|').next()).unwrap_or_default();
    text.replace("@LINES@", shown.trim_end().replace('\n', "\n    ").as_str()).replace("@A2@", second)
}

/// The id as YAML reads it back: quoted where it would not be a plain text.
fn yaml_scalar(id: &str) -> String {
    let starts_plain = id.chars().next().is_some_and(|first| first.is_alphabetic() || first == '_');
    let is_plain =
        starts_plain && id.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/'));
    let is_word = matches!(
        id.to_ascii_lowercase().as_str(),
        "true" | "false" | "null" | "yes" | "no" | "on" | "off" | "y" | "n"
    );
    if is_plain && !is_word {
        id.to_owned()
    } else {
        format!("\"{}\"", id.replace('\\', "\\\\").replace('"', "\\\""))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EditStatus, Operation, Snapshot, parse, plan};

    fn snapshot() -> Snapshot {
        let files = [
            (
                "src/config.ts",
                "export const config = {\n  host: \"localhost\",\n  port: 3000,\n  timeoutMs: 500,\n};\n",
            ),
            ("src/utils.ts", "export function total(a: number, b: number): number {\n  return a + b;\n}\n"),
            ("src/old-helper.ts", "export {};\n"),
            ("src/helpers.ts", "export const help = 1;\n"),
        ];
        Snapshot {
            files: files.map(|(path, content)| (path.to_owned(), content.as_bytes().to_vec())).into(),
            ..Default::default()
        }
    }

    #[test]
    fn the_examples_of_the_prompt_parse_and_apply() {
        let prompt = system_prompt(Dialect::Fenced, Some("my-shop"));
        // The schematic of a header is the only fence that is not an example.
        let schematic = "```text\n```language // {path/to/file} strategy\n```\n";
        let reply = parse(&prompt.replacen(schematic, "", 1), None);
        let errors: Vec<_> = reply.diagnostics.iter().filter(|finding| finding.is_error()).collect();
        assert!(errors.is_empty(), "{errors:#?}");
        assert_eq!(reply.edits.len(), 6);
        let control = reply.control.expect("a control block");
        assert_eq!(control.project_id.as_deref(), Some("my-shop"));
        assert_eq!(control.change_summary.len(), 6);
        let plan = plan(&reply.edits, &snapshot());
        assert!(plan.outcomes.iter().all(|outcome| outcome.status == EditStatus::Applied), "{plan:#?}");
        assert_eq!(plan.changes.len(), 7);
        let kinds = |wanted: fn(&Operation) -> bool| {
            reply.edits.iter().filter(|edit| wanted(&edit.operation)).count()
        };
        assert_eq!(kinds(|operation| matches!(operation, Operation::Write { .. })), 2);
        assert_eq!(kinds(|operation| matches!(operation, Operation::Patch { .. })), 2);
    }

    #[test]
    fn every_dialect_has_a_prompt_whose_examples_apply() {
        for dialect in Dialect::ALL.iter().copied().filter(|dialect| *dialect != Dialect::Fenced) {
            let reply = parse(&system_prompt(dialect, None), None);
            let errors: Vec<_> = reply.diagnostics.iter().filter(|finding| finding.is_error()).collect();
            assert!(errors.is_empty(), "{}: {errors:#?}", dialect.name());
            assert!(
                !reply.edits.is_empty() && reply.edits.iter().all(|edit| edit.dialect == dialect),
                "{}: {:#?}",
                dialect.name(),
                reply.edits
            );
            let plan = plan(&reply.edits, &snapshot());
            assert!(
                plan.outcomes.iter().all(|outcome| outcome.status == EditStatus::Applied),
                "{}: {plan:#?}",
                dialect.name()
            );
        }
    }

    #[test]
    fn a_project_id_is_quoted_where_yaml_needs_it() {
        assert!(system_prompt(Dialect::Fenced, Some("a: b")).contains("projectId: \"a: b\""));
        assert!(system_prompt(Dialect::Fenced, Some("no")).contains("projectId: \"no\""));
        assert!(system_prompt(Dialect::Fenced, None).contains("projectId: my-project"));
    }
}
