//! What counts as already applied, and what does not: a hunk that fits nowhere must not be lost because its new line is an
//! ordinary one.

use relay_edit::{EditStatus, Options, Strictness, codes, plan_with};

use crate::noise::{self, FORMS, literal, whole};
use crate::support::{check, check_fails, files, parse_in_pieces, search_replace, unified};

const FILE: &str =
    "def a():\n    return None\n\n\ndef b():\n    y = 2\n    return y\n\n\nclass C:\n    pass\n";

/// The reply is refused as not found, however strictly it is taken.
#[track_caller]
fn check_lost(reply: &str) {
    for strictness in Strictness::ALL {
        let options = Options { strictness: *strictness, ..Options::default() };
        let planned = plan_with(&parse_in_pieces(reply).edits, &files(&[("a.txt", FILE)]), &options);
        assert!(planned.outcomes.iter().any(|outcome| outcome.status == EditStatus::Failed), "{reply}");
        assert!(planned.changes.is_empty(), "{reply}");
        let found = planned.diagnostics.iter().any(|finding| finding.code == codes::NOT_FOUND);
        assert!(found, "{reply} {:#?}", planned.diagnostics);
    }
}

#[test]
fn a_hunk_that_fits_nowhere_is_not_done_by_an_ordinary_line() {
    for reply in [
        "a.txt\n<<<<<<< SEARCH\n    foo()\n=======\n    pass\n>>>>>>> REPLACE\n",
        "--- a/a.txt\n+++ b/a.txt\n@@ -2,1 +2,1 @@\n-    foo()\n+    pass\n",
        "*** Begin Patch\n*** Update File: a.txt\n@@ def a():\n-    foo()\n+    pass\n*** End Patch\n",
        "*** Begin Patch\n*** Update File: a.txt\n@@ def a():\n-    y = 1\n+    y = 2\n*** End Patch\n",
        "a.txt\n««« EDIT\n    foo()\n═══════ REPL\n    pass\n»»» EDIT END\n",
        "```text // {a.txt} multi-search-replace\n<<<<<<< SEARCH\n    return 1\n=======\n    return y\n>>>>>>> REPLACE\n```\n",
    ] {
        check_lost(reply);
    }
}

#[test]
fn lines_written_by_another_hunk_prove_nothing() {
    let sections = |sections: &[(&str, &str)]| -> String {
        let section =
            |(old, new): &(&str, &str)| format!("<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n");
        sections.iter().map(section).collect()
    };
    for second in [("    q = 9", "    y = 3"), ("    y = 9", "    y = 3")] {
        let sections = sections(&[("    y = 2", "    y = 3"), second]);
        check_lost(&format!("a.txt\n{sections}"));
        check_lost(&format!("```text // {{a.txt}} multi-search-replace\n{sections}```\n"));
    }
    let diff = |old: &str, new: &str| format!("--- a/a.txt\n+++ b/a.txt\n@@\n-    {old}\n+    {new}\n\n");
    check_lost(&format!("{}Then:\n\n{}", diff("y = 2", "y = 3"), diff("y = 9", "y = 3")));
    // The same one twice is one change, and so is one that another one holds.
    let after = FILE.replace("y = 2", "why()");
    for sections in [
        sections(&[("    y = 2", "    why()"), ("    y = 2", "    why()")]),
        sections(&[
            ("def b():\n    y = 2", "def b():\n    why()"),
            ("    y = 2\n    return y", "    why()\n    return y"),
        ]),
    ] {
        check(FILE, &format!("a.txt\n{sections}"), &after);
        check(FILE, &format!("```text // {{a.txt}} multi-search-replace\n{sections}```\n"), &after);
    }
}

#[test]
fn new_lines_without_old_ones_are_not_done_by_an_ordinary_line() {
    let envelope =
        |lines: &str| format!("*** Begin Patch\n*** Update File: a.txt\n@@\n{lines}*** End Patch\n");
    check_fails(&[("a.txt", FILE)], &envelope("+    return y\n"), codes::NO_ANCHOR);
    let last = envelope("+    pass\n");
    assert_eq!(check(FILE, &last, FILE).outcomes[0].status, EditStatus::Unchanged);
    check(FILE, &unified("@@ -6,0 +7 @@\n+    return y\n"), FILE);
}

#[test]
fn a_landed_edit_is_unchanged_when_repeated() {
    let after = FILE.replace("y = 2", "y = 3");
    for reply in [search_replace("    y = 2\n", "    y = 3\n"), unified("@@\n-    y = 2\n+    y = 3\n")] {
        check(FILE, &reply, &after);
        assert_eq!(check(&after, &reply, &after).outcomes[0].status, EditStatus::Unchanged, "{reply}");
    }
    // True edits in every form that quotes old lines.
    let forms = FORMS.iter().filter(|form| !literal(form) && !whole(form));
    let cases = forms.flat_map(|form| (0..60).filter_map(|seed| noise::clean(form, seed)));
    let (mut again, mut refused) = (0, 0);
    for case in cases {
        match case.is_recognised() {
            Some(true) => again += 1,
            Some(false) => refused += 1,
            None => {}
        }
    }
    // Where most lines that went still stand elsewhere, it is in doubt.
    assert!(again > 700 && refused < 20, "{again} unchanged, {refused} refused");
}

/// Old lines that are wanted to the letter and are gone are missing, whatever else is there.
#[test]
fn nothing_is_applied_already_to_the_letter() {
    let section = "<<<<<<< SEARCH\n    y = 1\n=======\n    y = 2\n>>>>>>> REPLACE\n";
    let second = "<<<<<<< SEARCH\n    y = 2\n=======\n    y = 3\n>>>>>>> REPLACE\n";
    for (reply, is_done) in [
        (format!("a.txt\n{section}"), true),
        (format!("```text // {{a.txt}} multi-search-replace\n{section}```\n"), true),
        ("a.txt\n««« EDIT\n    y = 1\n═══════ REPL\n    y = 2\n»»» EDIT END\n".to_owned(), true),
        (unified("@@\n-    y = 1\n+    y = 2\n"), true),
        // The reply itself has taken the old line away.
        (format!("a.txt\n{second}{second}"), false),
        (format!("```text // {{a.txt}} multi-search-replace\n{second}{second}```\n"), false),
    ] {
        let planned = |strictness| {
            let options = Options { strictness, ..Options::default() };
            plan_with(&parse_in_pieces(&reply).edits, &files(&[("a.txt", FILE)]), &options)
        };
        let exact = planned(Strictness::Exact);
        assert!(exact.changes.is_empty(), "{reply}");
        assert!(exact.diagnostics.iter().any(|finding| finding.code == codes::NOT_FOUND), "{reply}");
        let whitespace = planned(Strictness::Whitespace);
        assert_eq!((whitespace.changes.is_empty(), whitespace.diagnostics.len()), (is_done, 0), "{reply}");
    }
}

/// One more of several equal lines is there before and after the change.
#[test]
fn one_more_equal_line_is_not_done_because_there_are_some() {
    let cells = "| a |\n".repeat(4);
    let diff = |context: usize| {
        let above = " | a |\n".repeat(context);
        format!("--- a/a.txt\n+++ b/a.txt\n@@ -1,{context} +1,{} @@\n{above}+| a |\n", context + 1)
    };
    for context in 1..4 {
        check_fails(&[("a.txt", &cells)], &diff(context), codes::AMBIGUOUS);
    }
    check(&cells, &diff(4), &"| a |\n".repeat(5));
}

/// A section that changes nothing does not refuse the others, even where its lines are in the file twice.
#[test]
fn a_section_that_changes_nothing_may_fit_anywhere() {
    let file = "start()\ncheck(value)\nstop()\nstart()\ncheck(value)\nend()\n";
    let same = "<<<<<<< SEARCH\ncheck(value)\n=======\ncheck(value)\n>>>>>>> REPLACE\n";
    let other = "<<<<<<< SEARCH\nend()\n=======\nfinish()\n>>>>>>> REPLACE\n";
    check(file, &format!("a.txt\n{same}{other}"), &file.replace("end()", "finish()"));
}
