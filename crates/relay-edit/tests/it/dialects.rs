//! The other dialects: how each is found in a reply, what it says, and what is refused.

use relay_edit::{Code, Dialect, EditStatus, Operation, Plan, codes, parse, plan};

use crate::support::{files, parse_in_pieces};

/// Applies a reply and checks the files that changed; all edits must come from one dialect.
#[track_caller]
pub(crate) fn check(
    dialect: Dialect,
    before: &[(&str, &str)],
    reply: &str,
    after: &[(&str, Option<&str>)],
) -> Plan {
    let parsed = parse_in_pieces(reply);
    let errors: Vec<_> = parsed.diagnostics.iter().filter(|finding| finding.is_error()).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    assert!(parsed.edits.iter().all(|edit| edit.dialect == dialect), "{:#?}", parsed.edits);
    assert_eq!(parse(reply, Some(dialect)).edits, parsed.edits, "when forced");
    let plan = plan(&parsed.edits, &files(before));
    let errors: Vec<_> = plan.diagnostics.iter().filter(|finding| finding.is_error()).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    let found: Vec<(&str, Option<String>)> = plan
        .changes
        .iter()
        .map(|change| {
            (
                change.path.as_str(),
                change.after.as_ref().map(|bytes| String::from_utf8_lossy(bytes).into_owned()),
            )
        })
        .collect();
    let expected: Vec<(&str, Option<String>)> =
        after.iter().map(|(path, text)| (*path, text.map(str::to_owned))).collect();
    assert_eq!(found, expected, "{reply}");
    plan
}

/// Checks that a reply has an error at a line, in parsing or in planning.
#[track_caller]
pub(crate) fn check_error(before: &[(&str, &str)], reply: &str, code: Code, line: usize) -> String {
    let parsed = parse_in_pieces(reply);
    let plan = plan(&parsed.edits, &files(before));
    let findings: Vec<_> = parsed.diagnostics.iter().chain(&plan.diagnostics).collect();
    let finding = findings.iter().find(|finding| finding.code == code && finding.is_error());
    let finding = finding.unwrap_or_else(|| panic!("no {code} in {findings:#?}"));
    assert_eq!(finding.line, Some(line), "{finding:#?}");
    format!("{} | {}", finding.message, finding.hint.as_deref().expect("a hint"))
}

const A: &[(&str, &str)] = &[("src/a.rs", "fn a() {\n    one();\n    two();\n}\n")];
const DONE: &[(&str, Option<&str>)] = &[("src/a.rs", Some("fn a() {\n    one();\n    2();\n}\n"))];

#[test]
fn unified_diffs_bare_fenced_and_between_prose() {
    let body = "@@ -1,4 +1,4 @@\n fn a() {\n     one();\n-    two();\n+    2();\n }\n";
    for header in [
        "--- a/src/a.rs\n+++ b/src/a.rs\n",
        "--- src/a.rs\n+++ src/a.rs\n",
        "diff --git a/src/a.rs b/src/a.rs\nindex 1..2 100644\n--- a/src/a.rs\n+++ b/src/a.rs\n",
    ] {
        for (open, close) in [
            ("", ""),
            ("```diff\n", "```\n"),
            ("Text first.\n\n", "\nText after.\n\n- a list\n"),
            ("~~~\n", "~~~\n"),
        ] {
            check(Dialect::Unified, A, &format!("{open}{header}{body}{close}"), DONE);
        }
    }
    check(Dialect::Unified, A, "src/a.rs\n```diff\n@@\n-    two();\n+    2();\n```\n", DONE);
}

#[test]
fn counts_that_are_wrong_lose_nothing() {
    // The header announces fewer lines than there are.
    check(
        Dialect::Unified,
        A,
        "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1,2 +1,2 @@\n fn a() {\n     one();\n-    two();\n+    2();\n }\n",
        DONE,
    );
    check(
        Dialect::Unified,
        A,
        "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1,40 +1,40 @@\n fn a() {\n     one();\n-    two();\n+    2();\n }\n",
        DONE,
    );
    // A hunk that prose seems to have swallowed is told, never dropped.
    check_error(
        A,
        "--- a/src/a.rs\n+++ b/src/a.rs\n@@\n-    two();\n+    2();\n\nSome prose.\n@@\n-    one();\n+    1();\n",
        codes::BAD_DIFF,
        8,
    );
}

#[test]
fn a_diff_ends_where_its_counts_say_so() {
    let diff = "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1,4 +1,4 @@\n fn a() {\n     one();\n-    two();\n+    2();\n }\n";
    let parsed = |behind: &str| {
        let parsed = parse_in_pieces(&format!("{diff}{behind}"));
        assert!(
            !parsed.diagnostics.iter().any(relay_edit::Diagnostic::is_error),
            "{:#?}",
            parsed.diagnostics
        );
        let plan = plan(&parsed.edits, &files(&[A, &[("b.rs", "b\n")]].concat()));
        let found = plan.changes.iter().find(|change| change.path == "src/a.rs").expect("changed");
        assert_eq!(found.after.as_deref(), DONE[0].1.map(str::as_bytes), "{behind}");
        (plan.changes.len(), parsed)
    };
    assert_eq!(parsed("That is all.\n").0, 1);
    assert!(
        parsed("```yaml\nprojectId: p\nuuid: 2c744c39-4961-4235-ba65-701bc1f60fe2\n```\n")
            .1
            .control
            .is_some()
    );
    for other in [
        "b.rs\n<<<<<<< SEARCH\nb\n=======\nc\n>>>>>>> REPLACE\n",
        "*** Begin Patch\n*** Update File: b.rs\n-b\n+c\n*** End Patch\n",
        "[CREATE_FILE path=\"c.rs\"]\nc\n[/CREATE_FILE]\n",
        "```rs // {c.rs}\nc\n```\n",
    ] {
        assert_eq!(parsed(other).0, 2, "{other}");
    }
    // A line that goes on with the diff is no prose, and a count that was wrong before says nothing.
    check_error(A, &format!("{diff}three();\n+four();\n"), codes::BAD_DIFF, 10);
    let miscounted = diff.replace("-1,4 +1,4", "-1,3 +1,3");
    check(Dialect::Unified, A, &miscounted.replace("\n }\n", "\n}\n"), DONE);
}

#[test]
fn diffs_create_delete_and_rename() {
    check(
        Dialect::Unified,
        A,
        "--- /dev/null\n+++ b/n.rs\n@@ -0,0 +1,2 @@\n+a\n+b\n",
        &[("n.rs", Some("a\nb\n"))],
    );
    check(
        Dialect::Unified,
        &[("d.rs", "a\n")],
        "--- a/d.rs\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n",
        &[("d.rs", None)],
    );
    check(
        Dialect::Unified,
        &[("d.rs", "a\n")],
        "diff --git a/d.rs b/d.rs\ndeleted file mode 100644\n",
        &[("d.rs", None)],
    );
    let rename = "diff --git a/o.rs b/n.rs\nsimilarity index 90%\nrename from o.rs\nrename to n.rs\n--- a/o.rs\n+++ b/n.rs\n@@\n-a\n+b\n";
    check(Dialect::Unified, &[("o.rs", "a\n")], rename, &[("n.rs", Some("b\n")), ("o.rs", None)]);
    // What shall be deleted must be what is there.
    check_error(
        &[("d.rs", "other\n")],
        "--- a/d.rs\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n",
        codes::NOT_FOUND,
        3,
    );
}

#[test]
fn diffs_of_other_things_are_refused() {
    check_error(
        &[],
        "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+target\n",
        codes::UNSUPPORTED,
        1,
    );
    check_error(&[], "diff --git a/l b/l\nindex 1..2 160000\nnew mode 160000\n", codes::UNSUPPORTED, 1);
    check_error(&[("x", "a\n")], "--- a/x\n+++ b/y\n@@\n-a\n+b\n", codes::PATH_MISMATCH, 1);
}

#[test]
fn several_files_in_one_diff() {
    let reply = "```diff\n--- a/a\n+++ b/a\n@@\n-1\n+2\n--- a/b\n+++ b/b\n@@\n-1\n+3\n```\n";
    check(Dialect::Unified, &[("a", "1\n"), ("b", "1\n")], reply, &[("a", Some("2\n")), ("b", Some("3\n"))]);
}

#[test]
fn search_replace_with_its_path_in_every_place() {
    let section = "<<<<<<< SEARCH\n    two();\n=======\n    2();\n>>>>>>> REPLACE\n";
    for reply in [
        format!("src/a.rs\n{section}"),
        format!("src/a.rs\n```rust\n{section}```\n"),
        format!("```rust\nsrc/a.rs\n{section}```\n"),
        format!("Here:\n\n**src/a.rs**\n\n```\n{section}```\n"),
        format!("```rust src/a.rs\n{section}```\n"),
        "src/a.rs\n------- SEARCH\n    two();\n=======\n    2();\n+++++++ REPLACE\n".to_owned(),
        "src/a.rs\n<<<<<<< SEARCH\n:start_line:3\n-------\n    two();\n=======\n    2();\n>>>>>>> REPLACE\n"
            .to_owned(),
    ] {
        check(Dialect::SearchReplace, A, &reply, DONE);
    }
    check_error(A, section, codes::MISSING_PATH, 1);
}

#[test]
fn a_section_without_a_path_means_the_file_before_it() {
    let reply = "src/a.rs\n<<<<<<< SEARCH\n    one();\n=======\n    1();\n>>>>>>> REPLACE\n\n<<<<<<< SEARCH\n    two();\n=======\n    2();\n>>>>>>> REPLACE\n";
    check(Dialect::SearchReplace, A, reply, &[("src/a.rs", Some("fn a() {\n    1();\n    2();\n}\n"))]);
}

#[test]
fn envelopes_do_everything_in_one() {
    let reply = "*** Begin Patch\n*** Add File: n.rs\n+new\n+\n*** Update File: src/a.rs\n@@ fn a() {\n-    two();\n+    2();\n*** Delete File: d.rs\n*** Update File: o.rs\n*** Move to: m.rs\n@@\n-x\n+y\n*** End Patch\n";
    let before = [A, &[("d.rs", "d\n"), ("o.rs", "x\n")]].concat();
    let after = [("d.rs", None), ("m.rs", Some("y\n")), ("n.rs", Some("new\n\n")), ("o.rs", None), DONE[0]];
    check(Dialect::ApplyPatch, &before, reply, &after);
    check(Dialect::ApplyPatch, &before, &format!("```\n{reply}```\n"), &after);
    check(Dialect::ApplyPatch, &before, &format!("apply_patch <<'EOF'\n{reply}EOF\n"), &after);
    check(Dialect::ApplyPatch, &before, &reply.replace("*** Begin Patch", "  *** Begin Patch  "), &after);
    check_error(
        A,
        "*** Begin Patch\n*** Update File: src/a.rs\n@@\n-    two();\n+    2();\n",
        codes::UNCLOSED_BLOCK,
        1,
    );
}

#[test]
fn a_scope_line_breaks_a_tie() {
    let before = &[(
        "a.py",
        "class A:\n    def f(self):\n        return 1\n\nclass B:\n    def f(self):\n        return 1\n",
    )];
    let reply = "*** Begin Patch\n*** Update File: a.py\n@@ class B:\n     def f(self):\n-        return 1\n+        return 2\n*** End Patch\n";
    let plan = check(
        Dialect::ApplyPatch,
        before,
        reply,
        &[(
            "a.py",
            Some(
                "class A:\n    def f(self):\n        return 1\n\nclass B:\n    def f(self):\n        return 2\n",
            ),
        )],
    );
    assert!(plan.outcomes[0].placement.contains("the line named above it"), "{}", plan.outcomes[0].placement);
    check_error(before, &reply.replace("@@ class B:", "@@"), codes::AMBIGUOUS, 4);
}

#[test]
fn scope_lines_are_nested_and_may_be_cut_short() {
    let before = &[(
        "a.py",
        "class A:\n    def f(self):\n        return 1\n\nclass B(A):\n    def f(self):\n        return 1\n",
    )];
    let after =
        "class A:\n    def f(self):\n        return 1\n\nclass B(A):\n    def f(self):\n        return 2\n";
    let reply = "*** Begin Patch\n*** Update File: a.py\n@@ class B\n@@ def f(self):\n-        return 1\n+        return 2\n*** End Patch\n";
    check(Dialect::ApplyPatch, before, reply, &[("a.py", Some(after))]);
    check_error(before, &reply.replace("@@ class B\n", ""), codes::AMBIGUOUS, 4);
}

#[test]
fn unknown_lines_of_an_envelope_are_refused() {
    check_error(A, "*** Begin Patch\n*** Frobnicate File: src/a.rs\n*** End Patch\n", codes::BAD_DIFF, 2);
    check_error(A, "*** Begin Patch\n*** Add File: n.rs\n+a\nb\n*** End Patch\n", codes::BAD_DIFF, 4);
}

#[test]
fn the_end_of_the_file_breaks_a_tie() {
    let reply = "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** End of File\n*** End Patch\n";
    check(Dialect::ApplyPatch, &[("a", "x\nb\nx\n")], reply, &[("a", Some("x\nb\ny\n"))]);
}

#[test]
fn edit_repl_blocks() {
    let block = "««« EDIT\n    one();\n    two();\n═══════ REPL\n    one();\n    2();\n»»» EDIT END\n";
    for reply in [
        format!("src/a.rs\n{block}"),
        format!("Text\n\n```\nsrc/a.rs\n{block}```\n"),
        format!("src/a.rs\n```\n{block}```\n"),
    ] {
        check(Dialect::EditRepl, A, &reply, DONE);
    }
    check(
        Dialect::EditRepl,
        &[],
        "n/x.py\n««« EDIT\n═══════ REPL\nprint()\n»»» EDIT END\n",
        &[("n/x.py", Some("print()\n"))],
    );
    check(
        Dialect::EditRepl,
        &[("name", "a\nb\n")],
        "name\n««« EDIT\na\nb\n═══════ REPL\na\n»»» EDIT END\n",
        &[("name", Some("a\n"))],
    );
    check_error(A, block, codes::MISSING_PATH, 1);
    check_error(A, &format!("# src/a.rs\n{block}"), codes::MISSING_PATH, 2);
    check_error(A, "src/a.rs\n««« EDIT\n    two();\n", codes::BAD_MARKERS, 2);
    check_error(A, "src/a.rs\n««« EDIT\n    two();\n»»» EDIT END\n", codes::BAD_MARKERS, 4);
    check_error(&[("b", "a\0b\n")], "b\n««« EDIT\na\n═══════ REPL\nc\n»»» EDIT END\n", codes::BINARY, 2);
}

#[test]
fn whole_files_under_a_path_line_or_in_the_info_string() {
    let text = "fn a() {}\n";
    for reply in [
        format!("src/a.rs\n```rust\n{text}```\n"),
        format!("### `src/a.rs`\n\n```rust\n{text}```\n"),
        format!("```rust src/a.rs\n{text}```\n"),
        format!("```src/a.rs\n{text}```\n"),
        format!("```rust:src/a.rs\n{text}```\n"),
        format!("```rust title=\"src/a.rs\"\n{text}```\n"),
    ] {
        check(Dialect::WholeFile, A, &reply, &[("src/a.rs", Some(text))]);
    }
}

#[test]
fn a_section_with_its_path_in_a_tag() {
    let section = "<<<<<<< SEARCH\nfn one() {}\n=======\nfn two() {}\n>>>>>>> REPLACE\n";
    for tag in ["<file path=\"a.rs\">", "<edit file='a.rs'>", "<path>a.rs</path>"] {
        let reply = format!("{tag}\n{section}</file>\n");
        check(
            Dialect::SearchReplace,
            &[("a.rs", "fn one() {}\n")],
            &reply,
            &[("a.rs", Some("fn two() {}\n"))],
        );
    }
    check_error(A, &format!("<a href=\"a.rs\">\n{section}"), codes::MISSING_PATH, 2);
}

#[test]
fn a_section_copied_from_a_page_is_not_the_file() {
    let section =
        "&lt;&lt;&lt;&lt;&lt;&lt;&lt; SEARCH\na\n=======\nb\n&gt;&gt;&gt;&gt;&gt;&gt;&gt; REPLACE\n";
    check_error(A, &format!("src/a.rs\n```\n{section}```\n"), codes::BAD_MARKERS, 2);
}

#[test]
fn code_that_only_illustrates_an_edit_is_not_the_file() {
    let reply = "### src/a.rs\n\n```rust\n    two();\n```\n\nbecomes\n\n```rust // {src/a.rs} multi-search-replace\n<<<<<<< SEARCH\n    two();\n=======\n    2();\n>>>>>>> REPLACE\n```\n";
    let parsed = parse_in_pieces(reply);
    assert_eq!(parsed.edits.len(), 1);
    let shown = parsed.passages[0].snippet().expect("code that is only shown");
    assert_eq!((shown.path.as_deref(), shown.text.as_str()), (Some("src/a.rs"), "    two();\n"));
}

#[test]
fn one_reply_may_mix_dialects() {
    let reply = "```rust // {n.rs}\nnew\n```\n\nsrc/a.rs\n<<<<<<< SEARCH\n    two();\n=======\n    2();\n>>>>>>> REPLACE\n\n*** Begin Patch\n*** Delete File: d.rs\n*** End Patch\n";
    let parsed = parse_in_pieces(reply);
    let dialects: Vec<Dialect> = parsed.edits.iter().map(|edit| edit.dialect).collect();
    assert_eq!(dialects, [Dialect::Fenced, Dialect::SearchReplace, Dialect::ApplyPatch]);
    let forced = parse(reply, Some(Dialect::ApplyPatch));
    assert_eq!(forced.edits.len(), 1);
    assert_eq!(forced.edits[0].operation, Operation::Delete);
}

#[test]
fn commands_create_edit_and_delete() {
    check(
        Dialect::Commands,
        &[],
        "Text\n[CREATE_FILE path=\"a.cs\"]\nx\n\n\n[/CREATE_FILE]\n",
        &[("a.cs", Some("x\n"))],
    );
    check(Dialect::Commands, &[("a.cs", "x\n")], "[DELETE_FILE path=\"a.cs\"]\n", &[("a.cs", None)]);
    let edit = "[EDIT_FILE path=\"src/a.rs\" start_line=\"3\" end_line=\"3\"]\n    2();\n[/EDIT_FILE]\n";
    let plan = check(Dialect::Commands, A, edit, DONE);
    assert_eq!(plan.outcomes[0].placement, "lines-unverified");
    assert!(plan.outcomes[0].needs_review);
    assert_eq!(plan.diagnostics[0].code, codes::LINES_UNVERIFIED);
    check(
        Dialect::Commands,
        A,
        "[EDIT_FILE path=\"src/a.rs\" start_line=\"2\" end_line=\"3\"]\n[/EDIT_FILE]\n",
        &[("src/a.rs", Some("fn a() {\n}\n"))],
    );
    check_error(A, &edit.replace("\"3\"", "\"9\""), codes::BAD_ANCHOR, 1);
    check_error(
        A,
        "[EDIT_FILE path=\"src/a.rs\" start_line=\"x\" end_line=\"3\"]\n[/EDIT_FILE]\n",
        codes::BAD_ANCHOR,
        1,
    );
    check_error(A, "[CREATE_FILE path=\"a\"]\nx\n", codes::UNCLOSED_BLOCK, 1);
    check_error(A, "[DELETE_FILE]\n", codes::MISSING_PATH, 1);
}

#[test]
fn other_commands_are_named_and_never_run() {
    let reply = "[RUN_COMMAND]\nrm -rf /\n[/RUN_COMMAND]\n[MESSAGE]\nhello\n[/MESSAGE]\n\
        [RUN_COMMAND] ls\n[DELETE_FILE path=\"a\"]\n[/RUN_COMMAND]\n[READ_FILE path=\"a\"] please\n\
        [DONE]all[/DONE]\n[DONE] said in prose\n[DELETE_FILE](docs/commands.md)\n";
    let parsed = parse_in_pieces(reply);
    assert!(parsed.edits.is_empty());
    let named: Vec<&str> = parsed.diagnostics.iter().map(|finding| &finding.message[2..6]).collect();
    assert_eq!(named, ["RUN_", "MESS", "RUN_", "READ", "DONE"]);
    assert!(parsed.diagnostics.iter().all(|finding| finding.code == codes::NOT_RUN && !finding.is_error()));
}

#[test]
fn commands_that_cannot_be_read_are_refused() {
    let good = "[CREATE_FILE path=\"good\"]\ng\n[/CREATE_FILE]\n";
    for (bad, code) in [
        ("[DELETE_FILE path=\"a.txt\"] [DELETE_FILE path=\"b.txt\"]\n", codes::BAD_MARKERS),
        ("[DELETE_FILE] a.txt\n", codes::MISSING_PATH),
        ("[CREATE_FILE path=\"z\"] trailing\nq\n[/CREATE_FILE]\n", codes::BAD_MARKERS),
        ("[CREATE_FILE path=\"z\"\nq\n[/CREATE_FILE]\n", codes::BAD_MARKERS),
        ("[CREATE_FILE: path=\"z\"]\nq\n[/CREATE_FILE]\n", codes::MISSING_PATH),
        ("[CREATE_FILE path=z]\nq\n[/CREATE_FILE]\n", codes::BAD_MARKERS),
        ("[/CREATE_FILE]\n", codes::BAD_MARKERS),
        ("[EDIT_FILE path=\"z\"] x\n", codes::UNCLOSED_BLOCK),
        ("[RUN_COMMAND] ls\n", codes::UNCLOSED_BLOCK),
    ] {
        check_error(A, &format!("{good}{bad}"), code, 4);
    }
    // What stands on one line is as good.
    let reply =
        format!("{good}[CREATE_FILE path=\"z\"]q[/CREATE_FILE]\n[DELETE_FILE path=\"y\"][/DELETE_FILE]\n");
    let after = [("good", Some("g\n")), ("y", None), ("z", Some("q\n"))];
    check(Dialect::Commands, &[("y", "y\n")], &reply, &after);
    let apart = "[DELETE_FILE path=\"y\"]\n[/DELETE_FILE]\n";
    check(Dialect::Commands, &[("y", "y\n")], apart, &[("y", None)]);
    // Words after a command without a body are a remark.
    check(Dialect::Commands, &[("y", "y\n")], "[DELETE_FILE path=\"y\"] # old\n", &[("y", None)]);
}

#[test]
fn unchanged_edits_are_unchanged_in_every_dialect() {
    for reply in [
        "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -3 +3 @@\n-    zwei();\n+    two();\n",
        "src/a.rs\n<<<<<<< SEARCH\n    one();\n=======\n    one();\n    two();\n>>>>>>> REPLACE\n",
        "*** Begin Patch\n*** Update File: src/a.rs\n@@\n     one();\n+    two();\n*** End Patch\n",
        "src/a.rs\n««« EDIT\n    one();\n    zwei();\n═══════ REPL\n    one();\n    two();\n»»» EDIT END\n",
    ] {
        let plan = plan(&parse_in_pieces(reply).edits, &files(A));
        assert!(plan.changes.is_empty(), "{reply}");
        assert_eq!(plan.outcomes[0].status, EditStatus::Unchanged, "{reply} {:#?}", plan.diagnostics);
    }
}

#[test]
fn tags_stand_in_place_of_fences() {
    let section = "<<<<<<< SEARCH\n    two();\n=======\n    2();\n>>>>>>> REPLACE\n";
    for tag in ["source", "code", "pre", "codeblock", "sourcecode"] {
        for language in ["", "rust", "c++"] {
            let sections = [
                format!("src/a.rs\n<{tag}>{language}\n{section}</{tag}>\n"),
                format!("<{tag}>{language}\nsrc/a.rs\n{section}</{tag}>\n"),
            ];
            for reply in sections {
                let parsed = parse_in_pieces(&reply);
                assert!(parsed.diagnostics.is_empty(), "{reply} {:#?}", parsed.diagnostics);
                let plan = plan(&parsed.edits, &files(A));
                let after = plan.changes.first().and_then(|change| change.after.as_deref());
                assert_eq!(after, DONE[0].1.map(str::as_bytes), "{reply}");
            }
        }
    }
    let one = "<<<<<<< SEARCH\n    one();\n=======\n    1();\n>>>>>>> REPLACE\n";
    let both = Some("fn a() {\n    1();\n    2();\n}\n");
    for reply in [
        format!("src/a.rs\n<source>\n{section}{one}</source>\n"),
        format!("src/a.rs\n<source>\n{section}</source>\n\n<source>\n{one}</source>\n"),
    ] {
        let plan = plan(&parse_in_pieces(&reply).edits, &files(A));
        let after = plan.changes.first().and_then(|change| change.after.as_deref());
        assert_eq!(after, both.map(str::as_bytes), "{reply} {:#?}", plan.diagnostics);
    }
    // A whole file, with what would be fences otherwise.
    let text = "# Use\n\n```\ncargo run\n```\n";
    let reply = format!("Now:\n\ndocs/use.md\n<source>markdown\n{text}</source>\n\nDone.\n");
    check(Dialect::WholeFile, &[], &reply, &[("docs/use.md", Some(text))]);
    check_error(&[], "a.rs\n<source>\nfn a() {}\n", codes::UNCLOSED_BLOCK, 2);
    assert!(parse_in_pieces("See the page:\n\n<pre>\na\n</pre>\n").edits.is_empty());
}
