//! Tool calls as models print them, and what only looks like one.

use super::*;
use crate::Operation;

/// The path of each edit with a word for what it does.
fn told(calls: &Calls) -> Vec<(String, &'static str)> {
    let word = |operation: &Operation| match operation {
        Operation::Write { .. } => "write",
        Operation::Patch { .. } => "patch",
        Operation::Delete => "delete",
        Operation::Rename { .. } => "rename",
        Operation::Mode { .. } => "mode",
    };
    calls.edits.iter().map(|edit| (edit.path.clone(), word(&edit.operation))).collect()
}

#[track_caller]
fn check(text: &str, expected: &[(&str, &'static str)]) {
    let calls = read(text, 1).unwrap_or_else(|| panic!("no call: {text}"));
    let expected: Vec<(String, &'static str)> =
        expected.iter().map(|(path, word)| ((*path).to_owned(), *word)).collect();
    assert_eq!((told(&calls), calls.unknown.len()), (expected, 0), "{text}");
}

#[test]
fn json_calls_of_many_tools_are_read() {
    for text in [
        r#"{"file_path": "src/a.ts", "old_string": "a", "new_string": "b"}"#,
        r#"{"name": "Edit", "input": {"file_path": "src/a.ts", "old_string": "a", "new_string": "b"}}"#,
        r#"{"type":"function","function":{"name":"edit","arguments":"{\"path\":\"src/a.ts\",\"old_text\":\"a\",\"new_text\":\"b\"}"}}"#,
        r#"[{"tool": "str_replace_editor", "args": {"command": "str_replace", "path": "src/a.ts", "old_str": "a", "new_str": "b"}}]"#,
        r#"{"tool_calls": [{"name": "replace", "arguments": {"filePath": "src/a.ts", "oldString": "a", "newString": "b"}}]}"#,
        r#"{"edits": [{"path": "src/a.ts", "search": "a", "replace": "b"}]}"#,
        r#"{"path": "src/a.ts", "edits": [{"oldText": "a", "newText": "b"}]}"#,
        r#"{"name":"apply_patch","arguments":{"input":"*** Begin Patch\n*** Update File: src/a.ts\n-a\n+b\n*** End Patch\n"}}"#,
        r#"{"functionCall": {"name": "replace", "args": {"file_path": "src/a.ts", "old_string": "a", "new_string": "b"}}}"#,
        r#"{"path": "src/a.ts", "diff": "@@ -1 +1 @@\n-a\n+b\n"}"#,
        r#"{"name":"shell","arguments":{"command":["apply_patch","*** Begin Patch\n*** Update File: src/a.ts\n-a\n+b\n*** End Patch\n"]}}"#,
        r#"{"cmd":["bash","-lc","apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: src/a.ts\n-a\n+b\n*** End Patch\nEOF\n"]}"#,
    ] {
        check(text, &[("src/a.ts", "patch")]);
    }
    for text in [
        r#"{"name": "write", "arguments": {"path": "src/a.ts", "content": "x\n"}}"#,
        r#"{"command": "create", "path": "src/a.ts", "file_text": "x\n"}"#,
        r#"{"action": "write", "path": "src/a.ts", "content": "x\n"}"#,
        r#"{"files": {"src/a.ts": "x\n"}}"#,
        r#"{"files": [{"path": "src/a.ts", "content": "x\n"}]}"#,
    ] {
        check(text, &[("src/a.ts", "write")]);
    }
    check(
        r#"{"name": "write", "arguments": {"path": "LICENSE-MIT", "content": "x"}}"#,
        &[("LICENSE-MIT", "write")],
    );
    check("<file name=\"src/a.ts\">\nx\n</file>", &[("src/a.ts", "write")]);
    check("<artifact path=\"src/a.ts\">\nx\n</artifact>", &[("src/a.ts", "write")]);
    check(r#"{"name": "delete_file", "arguments": {"path": "src/a.ts"}}"#, &[("src/a.ts", "delete")]);
    check(
        "{\"path\":\"a.py\",\"content\":\"x\"}\n{\"path\":\"b.py\",\"content\":\"y\"}",
        &[("a.py", "write"), ("b.py", "write")],
    );
}

#[test]
fn calls_in_tags_are_read() {
    for text in [
        "<edit path=\"src/a.ts\">\n<old>\n  a\n</old>\n<new>\n  b\n</new>\n</edit>",
        "<invoke name=\"Edit\">\n<parameter name=\"file_path\">src/a.ts</parameter>\n<parameter name=\"old_string\">a</parameter>\n<parameter name=\"new_string\">b</parameter>\n</invoke>",
        "<tool_call>\n{\"name\": \"edit\", \"arguments\": {\"path\": \"src/a.ts\", \"old_string\": \"a\", \"new_string\": \"b\"}}\n</tool_call>",
        "<tool_call>\n<function=edit>\n<parameter=path>src/a.ts</parameter>\n<parameter=old_string>a</parameter>\n<parameter=new_string>b</parameter>\n</function>\n</tool_call>",
        "<function=str_replace_editor>\n<parameter=command>str_replace</parameter>\n<parameter=path>src/a.ts</parameter>\n<parameter=old_str>a</parameter>\n<parameter=new_str>b</parameter>\n</function>",
        "<replace_in_file>\n<path>src/a.ts</path>\n<diff>\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n</diff>\n</replace_in_file>",
        "<function_calls>\n<invoke name=\"str_replace_based_edit_tool\">\n<parameter name=\"command\">str_replace</parameter>\n<parameter name=\"path\">src/a.ts</parameter>\n<parameter name=\"old_str\">a</parameter>\n<parameter name=\"new_str\">b</parameter>\n</invoke>\n</function_calls>",
    ] {
        check(text, &[("src/a.ts", "patch")]);
    }
    for text in [
        "<write_to_file>\n<path>src/a.ts</path>\n<content>\nx\n</content>\n<line_count>1</line_count>\n</write_to_file>",
        "<file path=\"src/a.ts\">\nx\n</file>",
        "<boltAction type=\"file\" filePath=\"src/a.ts\">\nx\n</boltAction>",
        "<file>\n<path>src/a.ts</path>\n<content>x</content>\n</file>",
        "<antArtifact identifier=\"fix\" language=\"ts\" title=\"src/a.ts\">\nx\n</antArtifact>",
    ] {
        check(text, &[("src/a.ts", "write")]);
        let calls = read(text, 1).expect("a call");
        assert_eq!(calls.edits[0].operation, Operation::Write { content: "x\n".to_owned() }, "{text}");
    }
}

/// Pages and models print calls over several lines, also without a fence.
#[test]
fn a_call_between_lines_of_prose_may_begin_with_a_bracket_alone() {
    for call in [
        "{\n  \"path\": \"src/a.ts\",\n  \"old_string\": \"a\",\n  \"new_string\": \"b\"\n}",
        "[\n  {\n    \"name\": \"edit\",\n    \"input\": {\"path\": \"src/a.ts\", \"old_str\": \"a\", \"new_str\": \"b\"}\n  }\n]",
    ] {
        let reply = crate::parse(&format!("First:\n\n{call}\n\nDone.\n"), None);
        assert_eq!((reply.edits.len(), reply.passages.len()), (1, 1), "{call}: {reply:?}");
    }
    let code = crate::parse("It is so:\n\n{\n  call();\n}\n\nDone.\n", None);
    assert!(code.edits.is_empty() && code.reasoning.contains("Done."), "{code:?}");
}

#[test]
fn data_and_pages_are_not_calls() {
    for text in [
        r#"{"name": "relay", "version": "1.0.0", "files": ["dist"]}"#,
        r#"{"compilerOptions": {"strict": true, "paths": {}}}"#,
        r#"[1, 2, 3]"#,
        "<div class=\"a\">\n<p>x</p>\n</div>",
        "<project>\n<name>x</name>\n</project>",
        "plain text",
    ] {
        assert_eq!(read(text, 1), None, "{text}");
    }
}

#[test]
fn calls_that_cannot_be_read_are_named() {
    for text in [
        r#"{"name": "edit_symbol", "arguments": {"symbol": "f", "body": 3}}"#,
        r#"{"path": "a.py", "old_string": "a", "new_string": "b" "#,
        "<apply_diff>\n<path>a.py</path>\n<diff>\nwhatever\n</diff>\n</apply_diff>",
    ] {
        let calls = read(text, 1).expect("a call");
        assert!(calls.edits.is_empty() && !calls.unknown.is_empty(), "{text}: {calls:?}");
    }
    let harmless = read(r#"{"name": "read_file", "arguments": {"path": "src/a.ts"}}"#, 1).expect("a call");
    assert_eq!((harmless.harmless.len(), harmless.unknown.len()), (1, 0));
}

/// Files of data, pages, and blank lines at the end of a file between tags.
#[test]
fn content_between_tags_is_kept_as_it_is() {
    for content in ["[\n  {\"path\": \"/a\", \"value\": 1}\n]\n", "<html>\n<p>x</p>\n</html>\n", "x\n\n"] {
        let calls =
            read(&format!("<lov-write file_path=\"src/a.ts\">\n{content}</lov-write>"), 1).expect("a call");
        let operation = Operation::Write { content: content.to_owned() };
        assert_eq!(calls.edits.first().map(|edit| &edit.operation), Some(&operation), "{content}");
    }
}

#[test]
fn arguments_of_a_call_that_is_not_known_refuse_a_reply() {
    for argument in ["<old_string>\na\n</old_string>", "<parameter=path>a.py</parameter>"] {
        let reply = crate::parse(&format!("Then:\n\n<swap>\n{argument}\n</swap>\n"), None);
        assert!(reply.diagnostics.iter().any(crate::Diagnostic::is_error), "{argument}: {reply:?}");
    }
    let prose = crate::parse("Give it a\n<path> that exists.\n", None);
    assert!(prose.diagnostics.is_empty(), "{prose:?}");
}

#[test]
fn content_that_is_added_to_a_file_is_not_all_of_it() {
    for text in [
        r#"{"name": "append_to_file", "arguments": {"path": "src/a.ts", "content": "x\n"}}"#,
        r#"{"name": "write", "arguments": {"path": "src/a.ts", "content": "x\n", "mode": "append"}}"#,
    ] {
        assert!(read(text, 1).is_none_or(|calls| calls.edits.is_empty()), "{text}");
    }
    let text = r#"{"name": "insert", "arguments": {"path": "src/a.ts", "insert_line": 1, "new_str": "x"}}"#;
    check(text, &[("src/a.ts", "patch")]);
}
