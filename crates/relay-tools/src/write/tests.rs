//! What the tool is declared as; what it does is tried end to end.

use relay_agent::tool::Tool;

use super::*;

/// What models read must not change unnoticed.
#[test]
fn the_tool_is_declared_as_it_is_documented() {
    let tool = Write::new();
    let snapshot = format!("{}\n\n{}\n", tool.spec().description, tool.spec().parameters);
    testkit::expect_file(concat!(env!("CARGO_MANIFEST_DIR"), "/src/write/snapshot.txt"), &snapshot);
}

#[test]
fn policy_decides_about_the_file_that_changes() {
    let access =
        |path: &str| match Write::new().access(json!({ "path": path }).as_object().unwrap()).as_slice() {
            [Access::Changes(path)] => path.clone(),
            other => panic!("{other:?}"),
        };
    assert_eq!(access("a/b.txt"), "a/b.txt");
    assert_eq!(access("x/a.tar.gz:d/e.txt"), "x/a.tar.gz");
    assert_eq!(access("data/app.db:users:42"), "data/app.db");
}
