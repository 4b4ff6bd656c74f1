//! What codex's own tests ask of its patches, and where Relay is stricter.

use std::collections::BTreeMap;

use relay_diagnostics::Diagnostic;
use relay_edit::{Snapshot, plan};

use super::super::wanted::envelope;

type Files = BTreeMap<String, String>;

fn files(list: &[(&str, &str)]) -> Files {
    list.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
}

/// The files after a patch, or why it is refused.
pub fn apply(before: &Files, patch: &str) -> Result<Files, String> {
    let (edits, findings) = envelope(patch);
    let words = |findings: &[Diagnostic]| {
        let errors: Vec<&str> =
            findings.iter().filter(|found| found.is_error()).map(|found| found.message.as_str()).collect();
        errors.join("; ")
    };
    if findings.iter().any(Diagnostic::is_error) {
        return Err(words(&findings));
    }
    let snapshot = before.iter().map(|(path, text)| (path.clone(), text.clone().into_bytes())).collect();
    let plan = plan(&edits, &Snapshot { files: snapshot, ..Snapshot::default() });
    if plan.diagnostics.iter().any(Diagnostic::is_error) {
        return Err(words(&plan.diagnostics));
    }
    let mut after = before.clone();
    for change in plan.changes {
        match change.after {
            Some(bytes) => drop(after.insert(change.path, String::from_utf8(bytes).unwrap())),
            None => drop(after.remove(&change.path)),
        }
    }
    Ok(after)
}

#[track_caller]
fn check(before: &[(&str, &str)], patch: &str, after: &[(&str, &str)]) {
    assert_eq!(apply(&files(before), patch), Ok(files(after)), "{patch}");
}

#[track_caller]
fn check_refused(before: &[(&str, &str)], patch: &str, message: &str) {
    let error = apply(&files(before), patch).expect_err(patch);
    assert!(error.contains(message), "{patch}\n{error}");
}

#[test]
fn files_are_added_changed_moved_and_deleted() {
    check(
        &[],
        "*** Begin Patch\n*** Add File: bar.md\n+This is a new file\n*** End Patch",
        &[("bar.md", "This is a new file\n")],
    );
    check(
        &[("modify.txt", "line1\nline2\n"), ("delete.txt", "obsolete\n")],
        "*** Begin Patch\n*** Add File: nested/new.txt\n+created\n*** Delete File: delete.txt\n*** Update File: modify.txt\n@@\n-line2\n+changed\n*** End Patch",
        &[("modify.txt", "line1\nchanged\n"), ("nested/new.txt", "created\n")],
    );
    check(
        &[("old/name.txt", "old content\n")],
        "*** Begin Patch\n*** Update File: old/name.txt\n*** Move to: renamed/dir/name.txt\n@@\n-old content\n+new content\n*** End Patch",
        &[("renamed/dir/name.txt", "new content\n")],
    );
    check(
        &[("f", "line1\nline2\nline3\n")],
        "*** Begin Patch\n*** Update File: f\n@@\n line1\n-line2\n line3\n*** End Patch",
        &[("f", "line1\nline3\n")],
    );
    // An existing file is overwritten, with a warning.
    check(
        &[("f", "old content\n")],
        "*** Begin Patch\n*** Add File: f\n+new content\n*** End Patch",
        &[("f", "new content\n")],
    );
}

#[test]
fn hunks_are_placed_by_their_lines() {
    let four = [("f", "foo\nbar\nbaz\nqux\n")];
    check(
        &four,
        "*** Begin Patch\n*** Update File: f\n@@\n foo\n-bar\n+BAR\n@@\n baz\n-qux\n+QUX\n*** End Patch",
        &[("f", "foo\nBAR\nbaz\nQUX\n")],
    );
    let six = [("f", "a\nb\nc\nd\ne\nf\n")];
    check(
        &six,
        "*** Begin Patch\n*** Update File: f\n@@\n a\n-b\n+B\n@@\n d\n-e\n+E\n f\n+g\n*** End of File\n*** End Patch",
        &[("f", "a\nB\nc\nd\nE\nf\ng\n")],
    );
    check(
        &[("f", "class A:\n    def f(self):\n        pass\n\nclass B:\n    def f(self):\n        pass\n")],
        "*** Begin Patch\n*** Update File: f\n@@ class B:\n     def f(self):\n-        pass\n+        return 1\n*** End Patch",
        &[(
            "f",
            "class A:\n    def f(self):\n        pass\n\nclass B:\n    def f(self):\n        return 1\n",
        )],
    );
    // Characters that only look different.
    check(
        &[("f", "import asyncio  # local import \u{2013} avoids top\u{2011}level dep\n")],
        "*** Begin Patch\n*** Update File: f\n@@\n-import asyncio  # local import - avoids top-level dep\n+import asyncio  # HELLO\n*** End Patch",
        &[("f", "import asyncio  # HELLO\n")],
    );
    check(
        &[("f", "line1\nnaïve café\n")],
        "*** Begin Patch\n*** Update File: f\n@@\n line1\n-naïve café\n+naïve café ✅\n*** End Patch",
        &[("f", "line1\nnaïve café ✅\n")],
    );
    check(
        &[("f", "first\nsecond\n")],
        "*** Begin Patch\n*** Update File: f\n@@\n first\n-second\n+second updated\n*** End of File\n*** End Patch",
        &[("f", "first\nsecond updated\n")],
    );
}

/// Line endings stay those of the file, also where they are mixed.
#[test]
fn line_endings_stay() {
    check(
        &[("f", "one\r\ntwo\r\nthree\r\n")],
        "*** Begin Patch\n*** Update File: f\n@@\n-one\n+uno\n@@\n two\n+\n+between\n three\n*** End Patch",
        &[("f", "uno\r\ntwo\r\n\r\nbetween\r\nthree\r\n")],
    );
    check(
        &[("f", "one\r\ntwo\nthree\r\nfour\n")],
        "*** Begin Patch\n*** Update File: f\n@@\n one\n two\n-three\n+THREE\n four\n*** End Patch",
        &[("f", "one\r\ntwo\nTHREE\r\nfour\n")],
    );
    check(
        &[("f", "a\nb\n")],
        "*** Begin Patch\n*** Update File: f\n@@\n-a\n-b\n+b\n+b\n+a\n*** End Patch",
        &[("f", "b\nb\na\n")],
    );
}

/// Lines without any old ones go to the end of the file.
#[test]
fn pure_additions_are_appended() {
    check(
        &[("f", "line1\nline2\n")],
        "*** Begin Patch\n*** Update File: f\n@@\n+added line 1\n+added line 2\n*** End Patch",
        &[("f", "line1\nline2\nadded line 1\nadded line 2\n")],
    );
}

#[test]
fn several_chunks_and_files_change_together() {
    check(
        &[("multi", "line1\nline2\nline3\nline4\n"), ("old/other", "x\n")],
        "*** Begin Patch\n*** Update File: multi\n@@\n-line2\n+changed2\n@@\n-line4\n+changed4\n*** End Patch",
        &[("multi", "line1\nchanged2\nline3\nchanged4\n"), ("old/other", "x\n")],
    );
    check(
        &[("keep", "k\n"), ("obsolete", "o\n")],
        "*** Begin Patch\n*** Delete File: obsolete\n*** End Patch",
        &[("keep", "k\n")],
    );
}

#[test]
fn blanks_around_markers_do_not_matter() {
    check(
        &[("f", "one\n")],
        "  *** Begin Patch\n*** Update File: f\n@@\n-one\n+two\n*** End Patch  \n",
        &[("f", "two\n")],
    );
    check(
        &[("f", "old\n")],
        "*** Begin Patch\n*** Update File: f   \n@@\n-old\n+new\n*** End Patch",
        &[("f", "new\n")],
    );
}

#[test]
fn what_is_not_a_patch_is_refused() {
    check_refused(&[], "*** Begin Patch\n*** End Patch", "No files were modified.");
    check_refused(&[], "hello", "The first line of the patch must be '*** Begin Patch'");
    check_refused(
        &[],
        "*** Begin Patch\n*** Add File: a\n+x",
        "The last line of the patch must be '*** End Patch'",
    );
    check_refused(
        &[("f", "line1\nline2\n")],
        "*** Begin Patch\n*** Update File: f\n@@\n-missing\n+changed\n*** End Patch",
        "f",
    );
    check_refused(&[], "*** Begin Patch\n*** Delete File: missing.txt\n*** End Patch", "missing.txt");
    check_refused(
        &[],
        "*** Begin Patch\n*** Update File: missing.txt\n@@\n-old\n+new\n*** End Patch",
        "missing.txt",
    );
    check_refused(
        &[("foo.txt", "x\n")],
        "*** Begin Patch\n*** Update File: foo.txt\n*** End Patch",
        "no changed line",
    );
    check_refused(&[("foo", "x\n")], "*** Begin Patch\n*** Frobnicate File: foo\n*** End Patch", "");
}

/// Codex leaves what it did before a failure, moves files onto others, and adds a missing last newline.
#[test]
fn relay_is_stricter() {
    let half = "*** Begin Patch\n*** Add File: created.txt\n+hello\n*** Update File: missing.txt\n@@\n-old\n+new\n*** End Patch";
    check_refused(&[], half, "missing.txt");
    let onto = "*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n-from\n+new\n*** End Patch";
    check_refused(&[("a", "from\n"), ("b", "existing\n")], onto, "b");
    check(
        &[("f", "no newline at end")],
        "*** Begin Patch\n*** Update File: f\n@@\n-no newline at end\n+first\n+second\n*** End Patch",
        &[("f", "first\nsecond")],
    );
}
