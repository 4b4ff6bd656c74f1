//! The fenced blocks: headers, markers, fences inside contents, deletion, renaming.

use relay_edit::{Diagnostic, Operation, codes};

use crate::support::{parse_in_pieces, parse_ok};

/// Checks the only edit's path and whole content.
#[track_caller]
fn check(reply: &str, path: &str, content: &str) {
    parse_in_pieces(reply);
    let reply = parse_ok(reply);
    let [edit] = reply.edits.as_slice() else { panic!("{:#?}", reply.edits) };
    assert_eq!(edit.path, path);
    assert_eq!(edit.operation, Operation::Write { content: content.to_owned() });
}

/// Checks that a reply has a finding at a line.
#[track_caller]
fn check_finding(reply: &str, code: relay_edit::Code, line: usize) -> Diagnostic {
    let reply = parse_in_pieces(reply);
    let finding = reply.diagnostics.iter().find(|finding| finding.code == code);
    let finding = finding.unwrap_or_else(|| panic!("no {code} in {:#?}", reply.diagnostics));
    assert_eq!(finding.line, Some(line), "{finding:#?}");
    assert!(finding.hint.is_some(), "{finding:#?}");
    finding.clone()
}

#[test]
fn a_block_holds_the_whole_file() {
    check(
        "Why.\n\n```ts // {src/a.ts}\nconst a = 1;\n\nconst b = 2;\n```\n",
        "src/a.ts",
        "const a = 1;\n\nconst b = 2;\n",
    );
    check("```ts // {src/a.ts} replace\n  indented\n```", "src/a.ts", "  indented\n");
    check("```// {src/a.ts}\nx\n```\n", "src/a.ts", "x\n");
    check("``` // {src/a.ts}\nx\n```\n", "src/a.ts", "x\n");
    check("~~~py # {a.py}\nx\n~~~\n", "a.py", "x\n");
    check("```ts // \"my file.ts\"\nx\n```\n", "my file.ts", "x\n");
    check("```ts // {a.ts}\n```\n", "a.ts", "");
    check("```ts // {a.ts}\n\n```\n", "a.ts", "\n");
}

#[test]
fn windows_line_endings_in_a_reply_are_read() {
    check("```ts // {a.ts}\r\nx\r\ny\r\n```\r\n", "a.ts", "x\ny\n");
}

#[test]
fn markers_and_adjacent_blank_lines_are_not_content() {
    check("```ts // {a.ts}\n// START\n\nx\n\n// END\n```\n", "a.ts", "x\n");
    check("```ts // {a.ts}\n// START\nx\n// END\n```\n", "a.ts", "x\n");
    check("```ts // {a.ts}\n// START\n\nx\n```\n", "a.ts", "x\n");
    check("```ts // {a.ts}\nx\n\n// END\n```\n", "a.ts", "x\n");
    check("```py # {a.py}\n# START\n\nx\n\n# END\n```\n", "a.py", "x\n");
    check("```ts // {a.ts}\n// START\n\n\nx\n\n\n// END\n```\n", "a.ts", "\nx\n\n");
}

#[test]
fn a_missing_end_marker_does_not_swallow_the_next_block() {
    let reply = parse_in_pieces(
        "```ts // {a.ts}\n// START\nx\n```\n\nText.\n\n```ts // {b.ts}\n// START\ny\n// END\n```\n",
    );
    let contents: Vec<_> =
        reply.edits.iter().map(|edit| (edit.path.as_str(), edit.operation.clone())).collect();
    let write = |text: &str| Operation::Write { content: text.to_owned() };
    assert_eq!(contents, [("a.ts", write("x\n")), ("b.ts", write("y\n"))]);
    assert_eq!(reply.reasoning, "Text.");
}

#[test]
fn longer_fences_hold_shorter_ones() {
    check("````md // {a.md}\n```bash\nls\n```\n````\n", "a.md", "```bash\nls\n```\n");
    check("~~~~md // {a.md}\n~~~\nls\n~~~\n~~~~~\n", "a.md", "~~~\nls\n~~~\n");
    check("```md // {a.md}\n~~~\nls\n~~~\n```\n", "a.md", "~~~\nls\n~~~\n");
}

#[test]
fn fences_of_the_same_length_are_counted() {
    check("```md // {a.md}\n# A\n```bash\nls\n```\nend\n```\n", "a.md", "# A\n```bash\nls\n```\nend\n");
    check("```md // {a.md}\n// START\n```\nls\n```\n// END\n```\n", "a.md", "```\nls\n```\n");
    check(
        "```py // {a.py}\ndef f():\n    \"\"\"\n    ```\n    f()\n    ```\n    \"\"\"\n```\n",
        "a.py",
        "def f():\n    \"\"\"\n    ```\n    f()\n    ```\n    \"\"\"\n",
    );
}

#[test]
fn an_end_that_could_be_elsewhere_is_refused() {
    let reply = "```md // {a.md}\n# Title\n```\ncode\n```\nmore\n```\n";
    let finding = check_finding(reply, codes::AMBIGUOUS_FENCE, 1);
    assert!(finding.hint.expect("a hint").contains("````"));
    assert_eq!(finding.path.as_deref(), Some("a.md"));
    check_finding("```ts // {a.ts}\nx\n```ts // {b.ts}\ny\n```\n", codes::AMBIGUOUS_FENCE, 1);
    // Text directly below the fence, and a bare fence after it, speak for content that went on.
    check_finding("```ts // {a.ts}\nconst p = `\n```\ncode\n```\n`;\n```\n", codes::AMBIGUOUS_FENCE, 1);
}

#[test]
fn plain_code_after_a_block_is_not_ambiguous() {
    let reply = parse_ok("```ts // {a.ts}\nx\n```\n\nRun it:\n\n```\nnpm start\n```\n");
    assert_eq!(reply.edits.len(), 1);
    assert!(reply.reasoning.contains("npm start"), "{}", reply.reasoning);
    parse_ok("```md // {a.md}\nx\n```\n\n```\nprojectId: p\nuuid: u\n```\n");
}

#[test]
fn indented_blocks_are_read() {
    check("- first:\n\n  ```ts // {a.ts}\n  x\n    y\n  ```\n", "a.ts", "x\n  y\n");
}

#[test]
fn code_without_a_path_is_prose() {
    let reply = parse_in_pieces("Look:\n\n```ts\nconst a = 1;\n```\n");
    assert!(reply.edits.is_empty());
    assert_eq!(reply.reasoning, "Look:\n\n```ts\nconst a = 1;\n```");
    let passages = parse_in_pieces("```js // example\nx\n```\n").passages;
    assert_eq!(passages[0].snippet().map(|snippet| snippet.text.as_str()), Some("x\n"));
}

#[test]
fn a_reply_wrapped_in_a_fence_is_read() {
    check("```markdown\nWhy.\n\n```ts // {a.ts}\nx\n```\n```\n", "a.ts", "x\n");
}

#[test]
fn bad_headers_are_reported() {
    let finding = check_finding("Text\n\n```ts // {a.ts} new-unifed\nx\n```\n", codes::UNKNOWN_STRATEGY, 3);
    assert!(finding.hint.expect("a hint").contains("`new-unified`"));
    assert_eq!(finding.path.as_deref(), Some("a.ts"));
    check_finding("```ts // {a.ts\nx\n```\n", codes::BAD_HEADER, 1);
}

#[test]
fn a_reply_that_was_cut_off_is_reported() {
    let finding = check_finding("Text\n```ts // {a.ts}\nx\n", codes::UNCLOSED_FENCE, 2);
    assert_eq!(finding.path.as_deref(), Some("a.ts"));
    check_finding("```ts // {a.ts}\n// START\nx\n", codes::UNCLOSED_FENCE, 1);
    check_finding("Text\n```ts\nx\n", codes::UNCLOSED_FENCE, 2);
}

#[test]
fn the_delete_marker_deletes() {
    for marker in [
        "//TODO: delete this file",
        "// TODO: delete this file",
        "# todo delete this file",
        "/* TODO: Delete this file. */",
        "// START\n\n//TODO: delete this file\n\n// END",
    ] {
        let reply = parse_ok(&format!("```ts // {{a.ts}}\n{marker}\n```\n"));
        assert_eq!(reply.edits[0].operation, Operation::Delete, "{marker}");
    }
    check("```ts // {a.ts}\n//TODO: delete this file\nx\n```\n", "a.ts", "//TODO: delete this file\nx\n");
}

#[test]
fn a_rename_block_renames() {
    let reply = parse_ok("```json // rename-file\n{\n  \"from\": \"a.ts\",\n  \"to\": \"b.ts\"\n}\n```\n");
    assert_eq!(reply.edits[0].path, "a.ts");
    assert_eq!(reply.edits[0].operation, Operation::Rename { to: "b.ts".to_owned() });
    check_finding("```json // rename-file\n{\n  \"from\": \"a.ts\",\n}\n```\n", codes::BAD_RENAME, 4);
    check_finding("```json // rename-file\n{\"from\": \"a.ts\"}\n```\n", codes::BAD_RENAME, 2);
}

#[test]
fn a_patch_without_a_strategy_is_read_as_one_with_a_warning() {
    let finding = check_finding("```diff // {a.ts}\n@@ ... @@\n-a\n+b\n```\n", codes::ASSUMED_STRATEGY, 1);
    assert!(!finding.is_error());
    check_finding(
        "```ts // {a.ts}\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n```\n",
        codes::ASSUMED_STRATEGY,
        1,
    );
    check("```diff // {a.patch}\n@@ ... @@\n-a\n+b\n```\n", "a.patch", "@@ ... @@\n-a\n+b\n");
}

#[test]
fn a_diff_that_names_another_file_is_a_warning() {
    let finding = check_finding(
        "```diff // {a.ts} new-unified\n--- a/b.ts\n+++ b/b.ts\n@@\n-a\n+b\n```\n",
        codes::PATH_MISMATCH,
        1,
    );
    assert!(!finding.is_error());
    check_finding("```diff // {a.ts} new-unified\nno diff at all\n```\n", codes::BAD_DIFF, 1);
    check_finding("```ts // {a.ts} multi-search-replace\nx\n```\n", codes::BAD_MARKERS, 1);
    check_finding("```ts // {a.ts} multi-search-replace\n<<<<<<< SEARCH\nx\n```\n", codes::UNCLOSED_FENCE, 1);
}

#[test]
fn the_null_device_in_a_diff_deletes() {
    let reply = parse_ok("```diff // {a.ts} new-unified\n--- a/a.ts\n+++ /dev/null\n@@\n-a\n```\n");
    // What it removes must stand in the file before the file goes.
    let [patch, delete] = reply.edits.as_slice() else { panic!("{reply:#?}") };
    let Operation::Patch { hunks, .. } = &patch.operation else { panic!("{reply:#?}") };
    assert_eq!(hunks[0].old_lines().collect::<Vec<_>>(), ["a"]);
    assert_eq!(delete.operation, Operation::Delete);
    let reply = parse_ok("```diff // {a.ts} new-unified\n--- a/a.ts\n+++ /dev/null\n```\n");
    assert_eq!(reply.edits[0].operation, Operation::Delete);
}

#[test]
fn sections_may_hold_fences() {
    let reply = parse_ok(
        "```md // {a.md} multi-search-replace\n<<<<<<< SEARCH\n```\nold\n```\n=======\n```\nnew\n```\n>>>>>>> REPLACE\n```\n",
    );
    let Operation::Patch { hunks, .. } = &reply.edits[0].operation else { panic!("{reply:#?}") };
    assert_eq!(hunks[0].new_lines().collect::<Vec<_>>(), ["```", "new", "```"]);
}
