//! Replies whose form can be misread: where a diff ends, what a fence encloses, and what a path line is.

use relay_edit::{Diagnostic, codes, parse, plan};

use crate::support::{check, check_fails, files, parse_ok, plan_reply, search_replace, unified};

/// The codes of the errors in a reply.
fn errors(reply: &str) -> Vec<relay_edit::Code> {
    let parsed = parse(reply, None);
    parsed.diagnostics.iter().filter(|finding| finding.is_error()).map(|finding| finding.code).collect()
}

#[test]
fn comments_that_look_like_headers_are_lines_of_a_counted_hunk() {
    let before = "local a\n-- one remark\nreturn a\n";
    let after = "local a\n++ another\nreturn a\n";
    let hunk = "@@ -1,3 +1,3 @@\n local a\n--- one remark\n+++ another\n return a\n";
    check(before, &unified(hunk), after);
    check(before, &format!("--- a/a.txt\n+++ b/a.txt\n{hunk}"), after);
    check(before, &format!("```diff\n--- a/a.txt\n+++ b/a.txt\n{hunk}```\n"), after);
    // Two real files, and counts that are too large.
    let two = "--- a/a.txt\n+++ b/a.txt\n@@ -1,9 +1,9 @@\n-a\n+b\n--- a/c.txt\n+++ b/c.txt\n@@ -1,1 +1,1 @@\n-c\n+d\n";
    let plan = plan_reply(&[("a.txt", "a\n"), ("c.txt", "c\n")], two);
    assert_eq!(plan.changes.len(), 2);
}

#[test]
fn a_diff_that_was_cut_off_is_refused() {
    let head = "--- a/a.txt\n+++ b/a.txt\n@@ -1,4 +1,4 @@\n a\n-b\n+B\n";
    assert_eq!(errors(head), [codes::UNCLOSED_BLOCK]);
    assert_eq!(errors(&format!("{head} c")), [codes::UNCLOSED_BLOCK]);
    assert_eq!(errors(&format!("diff --git a/a.txt b/a.txt\n{head} c")), [codes::UNCLOSED_BLOCK]);
    assert_eq!(errors(&format!("{head} c\n d")), []);
    // These counts are just wrong: the text goes on behind the hunk, or others are wrong as well.
    assert_eq!(errors(&format!("{head} c\n")), []);
    assert_eq!(errors(&format!("{head} c\n\nThat is all.\n")), []);
    assert_eq!(errors(&format!("```diff\n{head}```\n")), []);
    assert_eq!(errors(&format!("{head}@@ -9,4 +9,4 @@\n x\n-y\n+Y\n z")), []);
}

/// A document that shows a section, in a fence as long as the document's own.
fn quoting(path: &str) -> String {
    let section = "src/a.ts\n<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE\n";
    format!("```md // {{{path}}}\nUse it so:\n\n```\n{section}```\n\nMore.\n```\n")
}

#[test]
fn edits_a_document_quotes_are_not_edits() {
    let before = files(&[("README.md", "x\n"), ("src/a.ts", "old\n")]);
    for reply in [quoting("README.md"), quoting("README.md").replace("src/a.ts\n<<", "src/a.ts\n\n<<")] {
        let parsed = parse(&reply, None);
        let refused = parsed.diagnostics.iter().any(Diagnostic::is_error);
        let planned = plan(&parsed.edits, &before);
        assert!(refused || planned.changes.iter().all(|change| change.path == "README.md"), "{parsed:#?}");
    }
    // The same after a block that is plainly over.
    let both = "```ts // {b.ts}\nx\n```\n\nsrc/a.ts\n<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE\n\n```sh\nmake\n```\n";
    assert_eq!(parse_ok(both).edits.len(), 2);
}

#[test]
fn blank_lines_between_markers_and_text_are_ignored() {
    let before = "one\n    two\nthree\n";
    let after = "one\n    TWO\nthree\n";
    check(before, &search_replace("\n    two\n", "    TWO\n"), after);
    check(before, &search_replace("    two\n\n", "\n    TWO\n\n"), "one\n\n    TWO\nthree\n");
    check(before, &search_replace("\n\n    two\n\n", "\n\n    TWO\n\n"), after);
}

#[test]
fn adding_an_existing_file_is_reported() {
    let patch = "*** Begin Patch\n*** Add File: a.txt\n+new\n*** End Patch\n";
    let plan = plan_reply(&[("a.txt", "old\n")], patch);
    assert_eq!(plan.changes[0].after.as_deref(), Some(&b"new\n"[..]));
    assert_eq!(plan.diagnostics.iter().map(|finding| finding.code).collect::<Vec<_>>(), [codes::OVERWRITES]);
    assert!(plan_reply(&[], patch).diagnostics.is_empty());
    assert!(plan_reply(&[("a.txt", "new\n")], patch).diagnostics.is_empty());
}

/// Where other tools find the file of a section.
#[test]
fn the_path_of_a_section_may_stand_in_many_places() {
    let section = "<<<<<<< SEARCH\none\n=======\ntwo\n>>>>>>> REPLACE\n";
    for reply in [
        format!("a.txt\n{section}"),
        format!("a.txt\n```\n{section}```\n"),
        format!("```python\na.txt\n{section}```\n"),
        format!("```python\na.txt\n```\n```python\n{section}```\n"),
        format!("# a.txt\n```python\n{section}```\n"),
        format!("## File: a.txt\n\n```python\n{section}```\n"),
    ] {
        check("zero\none\n", &reply, "zero\ntwo\n");
    }
}

#[test]
fn sections_may_be_parted_by_dots() {
    let reply = "```text\na.txt\n<<<<<<< SEARCH\none\n=======\n1\n>>>>>>> REPLACE\n\n...\n\n<<<<<<< SEARCH\nthree\n=======\n3\n>>>>>>> REPLACE\n```\n";
    check("one\ntwo\nthree\n", reply, "1\ntwo\n3\n");
}

#[test]
fn two_dividers_are_refused() {
    assert_eq!(
        errors("a.txt\n<<<<<<< SEARCH\na\n=======\n=======\nb\n>>>>>>> REPLACE\n"),
        [codes::BAD_MARKERS]
    );
    check_fails(&[("a.txt", "a\n")], &search_replace("nowhere at all\n", "x\n"), codes::NOT_FOUND);
}

/// What is written between the markers of a conflict, or as a diff inside a list, is an edit that nobody reads; the others of
/// the reply must not land as if they were all of it.
#[test]
fn edits_in_other_clothes_refuse_the_reply() {
    let other = "b.txt\n<<<<<<< SEARCH\none\n=======\ntwo\n>>>>>>> REPLACE\n";
    let conflict = "<<<<<<< HEAD\none\n=======\ntwo\n>>>>>>> new\n";
    for lost in [
        format!("a.txt\n{conflict}"),
        format!("a.txt\n```\n{conflict}```\n"),
        "1. Like this:\n\n   --- a/a.txt\n   +++ b/a.txt\n   @@ -1,1 +1,1 @@\n   -one\n   +two\n".to_owned(),
    ] {
        let reply = relay_edit::parse(&format!("{lost}\n{other}"), None);
        assert!(reply.diagnostics.iter().any(|finding| finding.code == codes::BAD_MARKERS), "{lost}");
    }
}

#[test]
fn emphasis_around_a_path_is_not_part_of_it() {
    for head in ["```text // {**a.txt**}", "```text // **a.txt**"] {
        let plan = plan_reply(&[("a.txt", "old\n")], &format!("{head}\nnew\n```\n"));
        assert_eq!(plan.changes[0].path, "a.txt", "{head}");
    }
}

#[test]
fn a_sentence_does_not_name_a_new_file() {
    let section = "<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE\n";
    let block = "««« EDIT\n═══════ REPL\nx\n»»» EDIT END\n";
    for sentence in [
        "Create the file src/new.py with this content:",
        "See docs/guide.md and src/new.py",
        "Option A/B:",
        "either/or then",
    ] {
        for section in [section, block] {
            assert_eq!(errors(&format!("{sentence}\n{section}")), [codes::MISSING_PATH], "{sentence}");
        }
    }
    for (line, path) in [
        ("`my dir/a b.txt`", "my dir/a b.txt"),
        ("src/new.py", "src/new.py"),
        ("New file: src/new.py", "src/new.py"),
    ] {
        let plan = plan_reply(&[], &format!("{line}\n{section}"));
        assert_eq!(plan.changes[0].path, path);
    }
    // Old lines that stand there prove the name.
    let section = "my dir/a b.txt\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n";
    assert_eq!(plan_reply(&[("my dir/a b.txt", "a\n")], section).changes.len(), 1);
}

#[test]
fn an_edit_in_a_fence_below_its_file_is_not_a_file() {
    let hashline = "src/a.py\n```\n§src/a.py\n»BOF\nONE\n```\n";
    let parsed = parse(hashline, None);
    assert!(parsed.edits.iter().all(|edit| edit.dialect == relay_edit::Dialect::Hashline), "{parsed:#?}");
    let command = "[EDIT_FILE path=\"a.py\" start_line=\"1\" end_line=\"1\"]\nx\n[/EDIT_FILE]\n";
    assert_eq!(errors(&format!("```txt // {{a.py}}\n{command}```\n")), [codes::BAD_MARKERS]);
}
