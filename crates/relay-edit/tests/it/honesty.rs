//! What must not be claimed: a second application that lands elsewhere, a deletion of lines nobody named, text that
//! stands for other text, and places that nothing vouches for.

use relay_edit::anchors::LineHash;
use relay_edit::{EditStatus, Options, Plan, codes, parse, plan_with};

use crate::support::{check, check_fails, files, parse_ok, plan_reply, search_replace, unified};

const TWICE: &str = "def a():\n    x = 1\n    return x\n\ndef b():\n    x = 1\n    return x\n";

/// Applies a reply, and again to what came of it: the second time nothing may change.
#[track_caller]
fn check_twice(before: &str, reply: &str, after: &str) {
    check(before, reply, after);
    let again = check(after, reply, after);
    assert!(again.outcomes.iter().all(|outcome| outcome.status == EditStatus::Unchanged), "{again:#?}");
}

fn apply_patch(body: &str) -> String {
    format!("*** Begin Patch\n*** Update File: a.txt\n{body}*** End Patch\n")
}

#[test]
fn a_line_number_shows_that_a_hunk_was_applied() {
    let after = TWICE.replacen("x = 1", "x = 2", 1);
    check_twice(TWICE, &unified("@@ -2,2 +2,2 @@ def a():\n-    x = 1\n+    x = 2\n     return x\n"), &after);
    check_twice(TWICE, &unified("@@ -2,2 +2,2 @@\n-    x = 1\n+    x = 2\n     return x\n"), &after);
    let sections = search_replace(":start_line:2\n-------\n    x = 1\n", "    x = 2\n");
    check_twice(TWICE, &sections, &after);
}

#[test]
fn lines_moved_by_the_hunks_before_are_known_as_applied() {
    let block = "start\n  run\nend\n";
    let diff = "@@ -1,1 +1,4 @@\n head\n+begin\n+  walk\n+stop\n@@ -6,2 +9,2 @@\n-  run\n+  fly\n end\n";
    let before = format!("head\n{block}{block}{block}");
    let after = format!("head\nbegin\n  walk\nstop\n{block}start\n  fly\nend\n{block}");
    check_twice(&before, &unified(diff), &after);
}

#[test]
fn an_insertion_is_made_once_where_its_number_or_scope_says() {
    let after = TWICE.replacen("x = 1\n", "x = 1\n    y = 1\n", 1);
    check_twice(TWICE, &unified("@@ -2,1 +2,2 @@\n     x = 1\n+    y = 1\n"), &after);
    check_twice(TWICE, &apply_patch("@@ def a():\n     x = 1\n+    y = 1\n"), &after);
    // The old lines still stand at that number, because the new ones begin with a blank line too.
    let diff = "@@ -2,2 +2,4 @@\n }\n+\n+new\n \n";
    check_twice("a {\n}\n\nb {\n}\n\nc\n", &unified(diff), "a {\n}\n\nnew\n\nb {\n}\n\nc\n");
}

#[test]
fn a_scope_shows_that_a_hunk_was_applied() {
    let after = TWICE.replacen("x = 1", "x = 2", 1);
    check_twice(TWICE, &apply_patch("@@ def a():\n-    x = 1\n+    x = 2\n     return x\n"), &after);
}

#[test]
fn the_end_of_the_file_shows_that_a_hunk_was_applied() {
    let before = "x\nend\nx\nend\n";
    let patch = apply_patch("@@\n-x\n+y\n end\n*** End of File\n");
    check_twice(before, &patch, "x\nend\ny\nend\n");
}

const CLASSES: &str = "class A:\n    n = 1\n\nclass B:\n    pass\n\nclass C:\n    n = 1\n";

#[test]
fn a_scope_ends_where_its_block_ends() {
    let files = [("a.txt", CLASSES)];
    check_fails(&files, &apply_patch("@@ class B:\n-    n = 1\n+    n = 2\n"), codes::AMBIGUOUS);
    check(
        CLASSES,
        &apply_patch("@@ class C:\n-    n = 1\n+    n = 2\n"),
        &CLASSES.replace("C:\n    n = 1", "C:\n    n = 2"),
    );
    // The only place there is stands in another block.
    let moved = CLASSES.replace("A:\n    n = 1", "A:\n    m = 1");
    check_fails(
        &[("a.txt", &moved)],
        &apply_patch("@@ class B:\n-    n = 1\n+    n = 2\n"),
        codes::AMBIGUOUS,
    );
}

#[test]
fn a_scope_with_two_places_is_ambiguous() {
    let before = "class A:\n    n = 1\n    m = 1\n    n = 1\n";
    check_fails(
        &[("a.txt", before)],
        &apply_patch("@@ class A:\n-    n = 1\n+    n = 2\n"),
        codes::AMBIGUOUS,
    );
}

#[test]
fn a_scope_against_a_line_number_is_ambiguous() {
    let diff = "@@ -2,1 +2,1 @@ class C:\n-    n = 1\n+    n = 2\n";
    check_fails(&[("a.txt", CLASSES)], &unified(diff), codes::AMBIGUOUS);
}

#[test]
fn a_deleting_diff_names_every_line() {
    let diff = "--- a/a.txt\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n";
    for reply in [diff.to_owned(), unified(diff)] {
        let plan = plan_reply(&[("a.txt", "a\nb\n")], &reply);
        assert_eq!(plan.changes[0].after, None);
        let finding = check_fails(&[("a.txt", "a\nb\nc\nd\n")], &reply, codes::BAD_DIFF);
        assert!(finding.message.contains("does not name 2 of its lines"), "{finding:#?}");
    }
    let context = diff.replace("-b", " b");
    check_fails(&[("a.txt", "a\nb\n")], &context, codes::BAD_DIFF);
    let plan = plan_reply(&[("a.txt", "a\nb\n")], "diff --git a/a.txt b/a.txt\ndeleted file mode 100644\n");
    assert_eq!(plan.changes[0].after, None);
}

#[test]
fn brackets_alone_do_not_name_a_place() {
    let before = "a {\n}\nb {\n  x\n  }\n";
    check_fails(&[("a.txt", before)], &unified("@@\n-}\n"), codes::NO_ANCHOR);
    check_fails(&[("a.txt", before)], &search_replace("}\n", "}\nc\n"), codes::NO_ANCHOR);
    check(before, &unified("@@ -2,1 +1,0 @@\n-}\n"), "a {\nb {\n  x\n  }\n");
}

/// Elisions as models write them, each opposite lines that would be lost.
const ELISIONS: &[&str] = &[
    "/* ... */",
    "{/* ... */}",
    "<!-- ... -->",
    "// [...]",
    "// ...",
    "// unchanged code",
    "# existing code",
    "// (rest of function stays the same)",
];

#[test]
fn placeholders_for_omitted_lines_are_never_written() {
    for elision in ELISIONS {
        for path in ["a.ts", "a.html"] {
            let on = |reply: String| reply.replace("{a.txt}", &format!("{{{path}}}"));
            let before = [(path, "one\ntwo\nthree\n")];
            let patch = on(search_replace("one\ntwo\nthree\n", &format!("one\n{elision}\nfour\n")));
            check_fails(&before, &patch, codes::ELISION);
            let whole = format!("```ts // {{{path}}}\nfour\n{elision}\n```\n");
            check_fails(&before, &whole, codes::ELISION);
            // The file holds the line itself, so it is text like any other.
            let known = format!("one\n{elision}\ntwo\n");
            let plan = plan_reply(&[(path, &known)], &whole);
            assert_eq!(plan.outcomes[0].status, EditStatus::Applied, "{elision} {plan:#?}");
        }
        check("one\ntwo\n", &search_replace("two\n", &format!("{elision}\n")), &format!("one\n{elision}\n"));
    }
}

#[test]
fn comments_that_only_sound_like_it_are_written() {
    for comment in [
        "// existing users keep their code",
        "# the same function",
        "# existing file",
        "// file",
        "// see [...] above",
    ] {
        let reply = search_replace("two\n", &format!("{comment}\nthree\n")).replace("{a.txt}", "{a.ts}");
        let plan = plan_reply(&[("a.ts", "one\ntwo\n")], &reply);
        assert_eq!(plan.outcomes[0].status, EditStatus::Applied, "{comment} {plan:#?}");
    }
}

/// Replaces the lines from the second to `last` by anchors; `view` says whether it is known what the author saw.
fn replace_range(last: usize, view: bool) -> Plan {
    let file = "one\ntwo\nthree\nfour\n";
    let anchor = |number: usize| {
        let text = file.lines().nth(number - 1).expect("a line");
        format!("{number}{}", LineHash::of(text.as_bytes()))
    };
    let reply = format!("§a.txt\n≔{}..{}\nnew\n", anchor(2), anchor(last));
    let seen = view.then(|| ("a.txt".to_owned(), file.as_bytes().to_vec()));
    let options = Options { views: seen.into_iter().collect(), ..Options::default() };
    plan_with(&parse_ok(&reply).edits, &files(&[("a.txt", file)]), &options)
}

#[test]
fn the_ends_of_a_range_do_not_vouch_for_its_inside() {
    let plan = replace_range(4, false);
    assert!(plan.outcomes[0].needs_review);
    assert_eq!(plan.diagnostics[0].code, codes::LINES_UNVERIFIED);
    for (last, view) in [(3, false), (4, true)] {
        let plan = replace_range(last, view);
        assert!(!plan.outcomes[0].needs_review && plan.diagnostics.is_empty(), "{plan:#?}");
    }
}

#[test]
fn giving_up_is_recognised_anywhere() {
    let section = "a.txt\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n";
    let diff = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\n+b\n";
    for before in [section, diff, &search_replace("a\n", "b\n"), "Some prose.\n"] {
        let reply = parse(&format!("{before}*** Abort\n"), None);
        assert!(
            reply.diagnostics.iter().any(|finding| finding.code == codes::ABORTED),
            "{before} {reply:#?}"
        );
    }
    let shown = parse(&format!("```text\n*** Abort\n```\n{section}"), None);
    assert!(shown.diagnostics.iter().all(|finding| finding.code != codes::ABORTED), "{shown:#?}");
}

/// Found on docstrings of Python: the line below a heading was taken for a mark of the section, and stood there twice.
#[test]
fn dashes_are_text_where_the_file_has_them() {
    let before = "Returns\n-------\nbool\n";
    check(before, &search_replace("-------\nbool\n", "-------\nint\n"), "Returns\n-------\nint\n");
    check(before, &search_replace("-------\nbool\n", "int\n"), "Returns\nint\n");
    let plan = check("a\nbool\n", &search_replace("-------\nbool\n", "int\n"), "a\nint\n");
    assert_eq!(plan.outcomes[0].placement, "exact without the dashes above it");
}

/// Found on workflows: the old lines had lost their indentation and the new ones had not, which then was doubled.
#[test]
fn new_lines_that_are_as_deep_as_the_file_are_not_moved_deeper() {
    let before = "with:\n    command: test\n    args: none\n";
    let section = search_replace("command: test\nargs: none\n", "    args: none\n    command: check\n");
    check_fails(&[("a.txt", before)], &section, codes::INDENTATION);
    let moved = search_replace("command: test\nargs: none\n", "command: check\nargs: none\n");
    check(before, &moved, "with:\n    command: check\n    args: none\n");
}

/// Found on text copied from a page: its spaces are others than a file's.
#[test]
fn spaces_of_a_page_are_indentation_in_old_lines_and_refused_in_new_ones() {
    let before = "def f():\n    a = 1\n    b = 2\n";
    let old = "\u{a0}\u{a0}\u{a0}\u{a0}a = 1\n";
    check(before, &search_replace(old, "    a = 3\n"), "def f():\n    a = 3\n    b = 2\n");
    let section = search_replace(old, "\u{a0}\u{a0}\u{a0}\u{a0}a = 3\n");
    check_fails(&[("a.txt", before)], &section, codes::INDENTATION);
}

/// Found with numbers before the old lines only: what is left of a deletion stands in the file before it, too.
#[test]
fn a_deletion_with_line_numbers_is_not_taken_for_done() {
    let section = search_replace("1 | one\n2 | two\n3 | three\n", "two\nthree\n");
    check("one\ntwo\nthree\nfour\n", &section, "two\nthree\nfour\n");
    check_twice("one\ntwo\nthree\nfour\n", &section, "two\nthree\nfour\n");
    let ruled = search_replace("-------\none\ntwo\n", "two\n");
    check("one\ntwo\nthree\n", &ruled, "two\nthree\n");
}

#[test]
fn a_first_line_without_its_indentation_says_nothing_about_the_others() {
    let before = "impl A {\n    /// Says so.\n    fn a() {\n        one();\n    }\n}\n";
    let section = search_replace(
        "/// Says so.\n    fn a() {\n        one();\n",
        "/// Says so.\n    fn a() {\n        one();\n        two();\n",
    );
    let after = before.replace("one();\n", "one();\n        two();\n");
    check(before, &section, &after);
    check_twice(before, &section, &after);
    check(
        before,
        &search_replace("  /// Says so.\n    fn a() {\n", "  /// Says so.\n    pub fn a() {\n"),
        &before.replace("fn", "pub fn"),
    );
    let stripped = unified("@@ ... @@\n     fn a() {\n-one();\n+        two();\n     }\n");
    check(before, &stripped, &before.replace("one", "two"));
    let both = unified("@@ ... @@\n     fn a() {\n-one();\n+two();\n     }\n");
    check_fails(&[("a.txt", before)], &both, codes::NOT_FOUND);
    // Where that line goes, the one in its place may have lost as much.
    let gone = search_replace("/// Says so.\n    fn a() {\n", "/// Says more.\n    fn a() {\n");
    let plan = plan_reply(&[("a.txt", before)], &gone);
    let found = plan.changes.first().and_then(|change| change.after.clone());
    assert!(found.is_none_or(|found| found == before.replace("so.", "more.").into_bytes()));
}
