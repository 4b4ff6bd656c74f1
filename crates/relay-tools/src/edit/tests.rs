//! What each form is declared as.

mod codex;
mod corpus;

use relay_agent::tool::Tool;

use super::*;

/// What models read must not change unnoticed.
#[test]
fn the_forms_are_declared_as_they_are_documented() {
    let required = |mode: Mode| spec::of(mode).parameters["required"].clone();
    assert_eq!(required(Mode::Hashline), serde_json::json!(["input"]));
    assert_eq!(required(Mode::ApplyPatch), serde_json::json!(["input"]));
    assert_eq!(required(Mode::Replace), serde_json::json!(["path", "edits"]));
    assert_eq!(required(Mode::Patch), serde_json::json!(["path", "edits"]));
    assert_eq!(required(Mode::Vim), serde_json::json!(["file"]));
    let snapshot: String = Mode::ALL
        .map(|mode| {
            let spec = spec::of(mode);
            format!("## {}\n\n{}\n\n{}\n\n", mode.name(), spec.description, spec.parameters)
        })
        .concat();
    testkit::expect_file(concat!(env!("CARGO_MANIFEST_DIR"), "/src/edit/snapshot.txt"), &snapshot);
    assert_eq!(Edit::new().spec().name, "edit");
}

#[test]
fn every_path_that_a_call_changes_is_declared() {
    let paths = |arguments: Value| named_paths(arguments.as_object().unwrap());
    let patch =
        "*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n-x\n+y\n*** Delete File: c\n*** End Patch";
    assert_eq!(paths(serde_json::json!({ "input": patch })), ["a", "b", "c"]);
    assert_eq!(paths(serde_json::json!({ "input": "§x\n»EOF\n1\n§y\n»EOF\n2\n" })), ["x", "y"]);
    let rename = serde_json::json!({ "path": "p", "edits": [{ "op": "update", "rename": "q" }] });
    assert_eq!(paths(rename), ["p", "q"]);
    assert_eq!(paths(serde_json::json!({ "file": "v" })), ["v"]);
}
