//! What stands below an operation or inside a command: new lines as they are, and what is none of them.

use relay_edit::anchors::LineHash;
use relay_edit::{Code, Options, Plan, codes, parse, plan, plan_with};

use crate::support::{files, parse_in_pieces};

const FILE: &str = "use std;\n\nfn a() {\n    one();\n    two();\n}\n\nfn b() {\n    three();\n}\n";

/// Replaces `@4` by the anchor of line 4, and so on; the longest numbers first.
fn fill(reply: &str, file: &str) -> String {
    let lines: Vec<&str> = file.lines().collect();
    (1..=lines.len()).rev().fold(reply.to_owned(), |reply, number| {
        let anchor = format!("{number}{}", LineHash::of(lines[number - 1].as_bytes()));
        reply.replace(&format!("@{number}"), &anchor)
    })
}

/// What the operations of one section make of the file.
fn planned(operations: &str) -> Plan {
    let reply = parse_in_pieces(&fill(&format!("```\n§a.rs\n{operations}```\n"), FILE));
    let mut plan = plan(&reply.edits, &files(&[("a.rs", FILE)]));
    plan.diagnostics.splice(0..0, reply.diagnostics);
    plan
}

#[track_caller]
fn check(operations: &str, after: &str) -> Plan {
    let plan = planned(operations);
    let found = plan.changes.first().and_then(|change| change.after.as_deref()).unwrap_or_default();
    assert_eq!(String::from_utf8_lossy(found), after, "{operations} {:#?}", plan.diagnostics);
    plan
}

#[track_caller]
fn check_refused(operations: &str, code: Code, message: &str) {
    let plan = planned(operations);
    let is_told = |finding: &relay_edit::Diagnostic| {
        finding.is_error()
            && finding.code == code
            && finding.message.contains(message)
            && finding.hint.is_some()
    };
    assert!(
        plan.changes.is_empty() && plan.diagnostics.iter().any(is_told),
        "{operations} {:#?}",
        plan.diagnostics
    );
}

/// New text beside an anchor would be lost, and the line of a range would be deleted instead.
#[test]
fn only_its_own_line_may_be_copied_beside_an_anchor() {
    let after = FILE.replace("    one();\n", "    1();\n");
    check("≔@4|    one();\n    1();\n", &after);
    check("≔@4|one();\n    1();\n", &after);
    check("≔@4|\n    1();\n", &after);
    check("≔*@4\n    1();\n", &after);
    check_refused("≔@4|    1();\n", codes::BAD_ANCHOR, "is beside the anchor of line 4");
    check_refused("»@4|    1();\n    2();\n", codes::BAD_ANCHOR, "`1();` is beside the anchor of line 4");
    check_refused("≔@4|one();..@5|three();\n", codes::BAD_ANCHOR, "is beside the anchor of line 5");
}

#[test]
fn a_line_copied_beside_an_anchor_may_contain_dots() {
    let file = "for i in 0..9 {\n    go(..i);\n} .\n\n";
    for (range, after) in [
        ("@1|for i in 0..9 {", "new\n    go(..i);\n} .\n\n"),
        ("@1|for i in 0..9 {..@2|    go(..i);", "new\n} .\n\n"),
        ("@3|} ...@4|", "for i in 0..9 {\n    go(..i);\nnew\n"),
    ] {
        let reply = parse(&fill(&format!("```\n§a.rs\n≔{range}\nnew\n```\n"), file), None);
        let plan = plan(&reply.edits, &files(&[("a.rs", file)]));
        let found = plan.changes.first().and_then(|change| change.after.as_deref());
        assert_eq!(found, Some(after.as_bytes()), "{range} {:#?}", reply.diagnostics);
    }
}

#[test]
fn an_operation_with_a_lost_sign_is_not_a_new_line() {
    for sign in ["+", ":=", ">>", "= ", "replace ", ""] {
        check_refused(
            &format!("≔@4\n    1();\n{sign}@5..@5\n    2();\n"),
            codes::BAD_ANCHOR,
            "line 5: unrecognized op. Use «ANCHOR..., »ANCHOR..., ≔A..B...",
        );
    }
    // No line of the file has such an anchor.
    check("≔@4\n- 99ab\n", &FILE.replace("    one();\n", "- 99ab\n"));
}

#[test]
fn a_diff_is_not_taken_for_new_lines() {
    check_refused("≔@4\n+    1();\n", codes::AMBIGUOUS, "the signs of a diff");
    check_refused("≔@4..@5\n-    one();\n+    1();\n    two();\n", codes::AMBIGUOUS, "the signs of a diff");
    check("≔@4\n- one\n- two\n", &FILE.replace("    one();\n", "- one\n- two\n"));
    check("≔@4\n+ 1\nx\n", &FILE.replace("    one();\n", "+ 1\nx\n"));
    let command = "[EDIT_FILE path=\"a.rs\" start_line=\"4\" end_line=\"4\"]\n+    1();\n[/EDIT_FILE]\n";
    let plan = plan(&parse(command, None).edits, &files(&[("a.rs", FILE)]));
    assert_eq!(plan.diagnostics[0].code, codes::AMBIGUOUS);
}

#[test]
fn numbers_before_new_lines_are_not_part_of_them() {
    check_refused("≔@4..@5\n4|    1();\n5|    2();\n", codes::AMBIGUOUS, "have numbers before them");
    check("≔@4\n4|    1();\n9|    2();\n", &FILE.replace("    one();\n", "4|    1();\n9|    2();\n"));
}

#[test]
fn new_lines_that_repeat_their_neighbours_are_left_out_whatever_the_operation() {
    let after = FILE.replace("    one();\n", "    one();\n    1();\n");
    for operations in
        ["»@4\n    one();\n    1();\n", "«@5\n    1();\n    two();\n", "»@4\n    1();\n    two();\n}\n"]
    {
        let plan = check(operations, &after);
        assert_eq!(plan.diagnostics[0].code, codes::DUPLICATE_ABSORBED, "{operations}");
    }
    // Nothing else is left, so the copy is meant.
    check("»@4\n    one();\n", &FILE.replace("    one();\n", "    one();\n    one();\n"));
}

#[test]
fn a_bracket_is_repeated_where_the_others_close_all_that_is_open() {
    let plan = check("≔@5\n    2();\n}\n", &FILE.replace("two", "2"));
    assert_eq!(plan.diagnostics[0].code, codes::DUPLICATE_ABSORBED);
    check("»@5\n    2();\n}\n", &FILE.replace("    two();\n", "    two();\n    2();\n"));
    // It ends what the new lines begin, or what another operation does.
    check("»@5\nif x {\n}\n", &FILE.replace("    two();\n", "    two();\nif x {\n}\n"));
    check(
        "«@4\nif x {\n»@5\n    2();\n}\n",
        &FILE.replace("    one();\n    two();\n", "if x {\n    one();\n    two();\n    2();\n}\n"),
    );
}

/// The author named one of two blocks that read alike; which of them is older, nobody can say.
#[test]
fn lines_that_got_a_twin_meanwhile_are_not_guessed() {
    let view = "head\n\nx\ny\nz\n\ntail\n";
    let options =
        Options { views: [("a".to_owned(), view.as_bytes().to_vec())].into(), ..Options::default() };
    for operations in ["≔@4\nY\n", "»@4\nnew\n", "≔@3..@5\nnew\n"] {
        let edits = parse(&fill(&format!("```\n§a\n{operations}```\n"), view), None).edits;
        let plan = |now: &str| plan_with(&edits, &files(&[("a", now)]), &options);
        let twins = plan("head\n\nx\ny\nz\n\nx\ny\nz\n\ntail\n");
        assert!(twins.changes.is_empty(), "{operations}");
        assert_eq!(twins.diagnostics[0].code, codes::MERGE_CONFLICT, "{operations}");
        // Elsewhere twins do no harm.
        assert!(!plan("head\nhead\n\nx\ny\nz\n\ntail\n").changes.is_empty(), "{operations}");
    }
}

#[test]
fn each_conflicting_operation_is_reported_separately() {
    let options =
        Options { views: [("a.rs".to_owned(), FILE.as_bytes().to_vec())].into(), ..Options::default() };
    let reply = fill("```\n§a.rs\n≔@9\n    3();\n≔@4\n    1();\n```\n", FILE);
    let now = FILE.replace("one", "uno");
    let plan = plan_with(&parse(&reply, None).edits, &files(&[("a.rs", &now)]), &options);
    let told: Vec<(Code, Option<usize>)> =
        plan.diagnostics.iter().map(|finding| (finding.code, finding.line)).collect();
    assert_eq!(told, [(codes::MERGE_CONFLICT, Some(5))]);
}

/// Anchors that fit nothing are answered with those of now, not with those of what was read.
#[test]
fn who_names_lines_anew_is_shown_those_of_now() {
    let options =
        Options { views: [("a.rs".to_owned(), FILE.as_bytes().to_vec())].into(), ..Options::default() };
    let now = format!("// new\n{}", FILE.replace("one", "uno"));
    let plan =
        plan_with(&parse("```\n§a.rs\n≔5zy\nx\n```\n", None).edits, &files(&[("a.rs", &now)]), &options);
    let hint = plan.diagnostics[0].hint.clone().unwrap_or_default();
    assert!(hint.contains("|    uno();"), "{hint}");
}

#[test]
fn operations_that_change_nothing_say_so() {
    let plan = planned("≔@4\n    one();\n");
    assert!(plan.changes.is_empty());
    assert_eq!(plan.diagnostics[0].message, "Edits to a.rs resulted in no changes being made.");
    assert!(!plan.diagnostics[0].is_error());
}

#[test]
fn words_around_a_path_are_not_part_of_a_new_name() {
    for header in ["§`b.rs`", "§\"b.rs\"", "§'b.rs'", "§**b.rs**", "§ b.rs"] {
        let reply = parse(&format!("```\n{header}\n»BOF\nx\n```\n"), None);
        assert_eq!(reply.edits.first().map(|edit| edit.path.as_str()), Some("b.rs"), "{header}");
    }
    for header in ["§b.rs (new file)", "§b.rs:", "§b.rs#L3", "§File: b.rs", "§b.rs:12"] {
        let reply = parse(&format!("```\n{header}\n»BOF\nx\n```\n"), None);
        let plan = plan(&reply.edits, &files(&[("a.rs", FILE)]));
        assert!(plan.changes.is_empty(), "{header}");
        assert_eq!(plan.diagnostics[0].code, codes::MISSING_FILE, "{header}");
    }
    // Quotes say that all of it is the name.
    for header in ["§`my notes.txt`", "§\"my notes.txt\"", "§'my notes.txt'"] {
        let plan = plan(&parse(&format!("```\n{header}\n»BOF\nx\n```\n"), None).edits, &files(&[]));
        assert_eq!(plan.changes.first().map(|change| change.path.as_str()), Some("my notes.txt"), "{header}");
    }
    let named =
        plan(&parse("```\n§my notes.txt\n»BOF\nx\n```\n", None).edits, &files(&[("my notes.txt", "y\n")]));
    assert_eq!(named.changes[0].after.as_deref(), Some(&b"x\ny\n"[..]));
}

#[test]
fn a_remark_right_below_new_code_is_not_part_of_it() {
    let remark = "This renames the function as you asked.\n";
    let refused = |path: &str, rest: &str| {
        let reply = parse_in_pieces(&format!("§{path}\n»BOF\nfn c() {{}}\n{rest}"));
        reply.diagnostics.iter().any(relay_edit::Diagnostic::is_error)
    };
    assert!(refused("a.rs", remark) && refused("a.rs", &format!("\n{remark}")));
    assert!(!refused("a.txt", remark) && !refused("a.rs", "// This renames the function as you asked.\n"));
}

#[test]
fn a_fence_around_the_lines_of_a_command_is_not_part_of_them() {
    let create = |path: &str, body: &str| {
        let reply = parse_in_pieces(&format!("[CREATE_FILE path=\"{path}\"]\n{body}[/CREATE_FILE]\n"));
        let after = plan(&reply.edits, &files(&[])).changes.pop().and_then(|change| change.after);
        let told = reply.diagnostics.iter().any(|finding| finding.code == codes::FENCE_TAKEN_OFF);
        (String::from_utf8_lossy(&after.unwrap_or_default()).into_owned(), told)
    };
    assert_eq!(create("a.py", "```python\nx = 1\n\ny = 2\n```\n"), ("x = 1\n\ny = 2\n".to_owned(), true));
    assert_eq!(create("a.py", "x = 1\n"), ("x = 1\n".to_owned(), false));
    assert_eq!(create("bin/run", "```sh\nls\n```\n"), ("ls\n".to_owned(), true));
    let document = "```sh\nls\n```\n";
    for path in ["a.md", "README", "notes.txt"] {
        assert_eq!(create(path, document), (document.to_owned(), false), "{path}");
    }
    let reply =
        "[EDIT_FILE path=\"a.rs\" start_line=\"4\" end_line=\"4\"]\n```rust\n    1();\n```\n[/EDIT_FILE]\n";
    let plan = plan(&parse(reply, None).edits, &files(&[("a.rs", FILE)]));
    let after = plan.changes.first().and_then(|change| change.after.as_deref());
    assert_eq!(after, Some(FILE.replace("one", "1").as_bytes()), "{:#?}", plan.diagnostics);
}

#[test]
fn dots_around_words_stand_for_lines_left_out() {
    check_refused("≔@4..@5\n    ... existing code ...\n    2();\n", codes::ELISION, "... existing code ...");
    check_refused(
        "≔@4..@5\n    1();\n    …rest of the function…\n",
        codes::ELISION,
        "…rest of the function…",
    );
    check("≔@4\n    ...rest,\n", &FILE.replace("    one();\n", "    ...rest,\n"));
    // Documents show such lines, but not in place of several of their own.
    for (range, is_refused) in [("@1..@3", true), ("@1", false)] {
        let reply = parse(&fill(&format!("```\n§a.md\n≔{range}\n... existing code ...\n```\n"), FILE), None);
        let plan = plan(&reply.edits, &files(&[("a.md", FILE)]));
        assert_eq!(plan.changes.is_empty(), is_refused, "{range} {:#?}", plan.diagnostics);
    }
}

/// Blank lines set a section off from the next one; above an operation or the end they are meant.
#[test]
fn blank_lines_above_the_next_section_are_not_part_of_the_file() {
    let reply = |blanks: &str| format!("§a.rs\n»EOF\nx\n{blanks}§b.rs\n»EOF\ny\n\n");
    for (open, close) in [("```\n", "```\n"), ("*** Begin Patch\n", "*** End Patch\n")] {
        for blanks in ["", "\n", "\n\n"] {
            let parsed = parse_in_pieces(&format!("{open}{}{close}", reply(blanks)));
            let plan = plan(&parsed.edits, &files(&[("a.rs", "a\n"), ("b.rs", "b\n")]));
            let after: Vec<_> = plan.changes.iter().filter_map(|change| change.after.as_deref()).collect();
            assert_eq!(after, [&b"a\nx\n"[..], b"b\ny\n\n"], "{blanks:?}");
        }
    }
    check("»BOF\nx\n\n»EOF\ny\n", &format!("x\n\n{FILE}y\n"));
}
