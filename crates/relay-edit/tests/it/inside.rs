//! What is inside a block, and what is between and after blocks.

use relay_edit::{Body, Dialect, Edit, Hunk, Operation, parse};

const SECTION: &str = "<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n";

/// The new text of an edit.
fn new_text(edit: &Edit) -> String {
    match &edit.operation {
        Operation::Write { content } => content.clone(),
        Operation::Patch { hunks, .. } => {
            hunks.iter().flat_map(Hunk::new_lines).map(|line| format!("{line}\n")).collect()
        }
        _ => String::new(),
    }
}

/// A fence around a block is longer than the reply's own in hardly any reply.
#[test]
fn fences_inside_a_block_are_its_content() {
    const TEXT: &str = "# T\n```\nls\n```\n";
    for block in [
        format!("[CREATE_FILE path=\"a.md\"]\n{TEXT}[/CREATE_FILE]\n"),
        format!("a.md\n««« EDIT\n# S\n═══════ REPL\n{TEXT}»»» EDIT END\n"),
        format!("a.md\n<<<<<<< SEARCH\n# S\n=======\n{TEXT}>>>>>>> REPLACE\n"),
    ] {
        let reply = parse(&format!("```\n{block}```\n"), None);
        let [edit] = reply.edits.as_slice() else { panic!("{block}: {:?}", reply.edits) };
        assert_eq!((edit.path.as_str(), new_text(edit).as_str()), ("a.md", TEXT), "{block}");
    }
}

#[test]
fn a_path_holds_for_the_sections_below_it() {
    for between in ["...\n", "</source>\n<source>\n"] {
        let reply = parse(&format!("a.py\n{SECTION}{between}{SECTION}"), None);
        let paths: Vec<&str> = reply.edits.iter().map(|edit| edit.path.as_str()).collect();
        assert_eq!(paths, ["a.py", "a.py"], "{between}");
        assert!(!reply.edits.iter().flat_map(Edit::hunks).any(|hunk| hunk.presumed), "{between}");
    }
}

#[test]
fn a_list_goes_on_after_a_diff() {
    let reply = parse("--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n\n- Run the tests.\n", None);
    let [edit] = reply.edits.as_slice() else { panic!("{:?}", reply.edits) };
    assert_eq!(edit.hunks()[0].old_lines().collect::<Vec<_>>(), ["x = 1"]);
}

#[test]
fn lines_between_two_ends_of_a_patch_are_missed() {
    let patch = "*** Begin Patch\n*** Update File: a.py\n@@\n-x = 1\n+x = 2\n*** End Patch\n";
    assert_eq!(parse(patch, None).diagnostics, []);
    assert_eq!(parse(&format!("{patch}*** End Patch\n"), None).diagnostics, []);
    assert!(!parse(&format!("{patch}y = 3\n*** End Patch\n"), None).diagnostics.is_empty());
}

#[test]
fn a_changed_version_of_code_that_is_at_fault_replaces_it() {
    let code = |text: &str| format!("```python\ndef area(w, h):\n{text}    x = w\n    return x * h\n```\n");
    let pair = |first: &str, second: &str| {
        let reply =
            parse(&format!("The bug is in `a.py`:\n\n{first}\nWith the check in front:\n\n{second}"), None);
        reply.edits.iter().filter(|edit| edit.dialect == Dialect::Instruction).count()
    };
    assert_eq!(pair(&code(""), &code("    check(w)\n")), 1);
    assert_eq!(pair(&code(""), "```python\ncheck(1)\n```\n"), 0);
}

#[test]
fn code_with_a_gap_is_neither_removed_nor_put_in() {
    let reply =
        parse("Remove this from `a.py`:\n\n```python\ndef f():\n    # ... existing code ...\n```\n", None);
    assert_eq!(reply.edits, []);
    let reply = parse("Remove this from `a.py`:\n\n```python\ndef f():\n    pass\n```\n", None);
    assert_eq!(reply.edits.len(), 1);
}

#[test]
fn a_tool_is_named_by_the_marks_around_its_arguments() {
    let call = "<|tool_call_begin|>functions.paint:0<|tool_call_argument_begin|>{\"path\": \"a.py\", \"x\": 1}<|tool_call_end|>\n";
    let reply = parse(call, None);
    let names = reply.passages.iter().filter_map(|passage| match &passage.body {
        Body::UnknownCall(name) => Some(name.as_str()),
        _ => None,
    });
    assert_eq!(names.collect::<Vec<_>>(), ["paint"]);
}
