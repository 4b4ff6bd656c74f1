//! Replies that end too early: what came to its end may land if a part is asked for, and nothing else ever.

use relay_edit::{Code, Diagnostic, Options, codes, parse, plan_with};

use crate::support::files;

/// Forty lines.
fn forty() -> String {
    (1..=40).map(|number| format!("line {number}\n")).collect()
}

/// The files that change when only a part of a reply is asked for, and the errors.
fn part_of(reply: &str) -> (Vec<(String, Option<String>)>, Vec<Diagnostic>) {
    let before = files(&[("a.txt", &forty()), ("b.txt", "hello\nworld\n")]);
    let reply = parse(reply, None);
    let plan = plan_with(&reply.edits, &before, &Options { partial: true, ..Options::default() });
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    let changes = plan.changes.into_iter().map(|change| (change.path, change.after.map(text))).collect();
    let findings = reply.diagnostics.into_iter().chain(plan.diagnostics);
    (changes, findings.filter(Diagnostic::is_error).collect())
}

/// Checks that of a reply only this lands, and that one finding says why, and for which file.
#[track_caller]
fn check_part(reply: &str, landed: &[(&str, &str)], code: Code, path: &str) {
    let (changes, errors) = part_of(reply);
    let changes: Vec<(&str, &str)> =
        changes.iter().map(|(path, text)| (path.as_str(), text.as_deref().unwrap_or("(gone)"))).collect();
    assert_eq!(changes, landed, "{reply}\n{errors:#?}");
    let told: Vec<(Code, Option<&str>)> =
        errors.iter().map(|error| (error.code, error.path.as_deref())).collect();
    assert_eq!(told, [(code, Some(path))], "{reply}\n{errors:#?}");
}

const FIRST: &str = "--- a/a.txt\n+++ b/a.txt\n@@ -9,3 +9,3 @@\n line 9\n-line 10\n+LINE 10\n line 11\n";

#[test]
fn the_last_hunk_of_a_diff_that_is_cut_off_is_left_out() {
    let ten = forty().replace("line 10\n", "LINE 10\n");
    for cut in [
        "@@ -19,3 +19,3 @@\n line 19\n-line 20\n+LINE 2",
        "@@ -19,3 +19,3 @@\n line 19\n-line 20\n+LINE 20\n",
        "@@ -19,3 +19,3 @@\n line 19\n-line 20\n",
        "@@ -19,3 +19,3 @@\n line 19",
        "@@ -19,3 +19,3 @@\n",
        "@@ -19,3 +19,3 @@",
    ] {
        check_part(&format!("{FIRST}{cut}"), &[("a.txt", &ten)], codes::UNCLOSED_BLOCK, "a.txt");
        let fenced = format!("```diff\n{FIRST}{cut}");
        check_part(&fenced, &[("a.txt", &ten)], codes::UNCLOSED_FENCE, "a.txt");
        let only = format!("--- a/a.txt\n+++ b/a.txt\n{cut}");
        check_part(&only, &[], codes::UNCLOSED_BLOCK, "a.txt");
    }
    // In a fence that is never closed, nothing but its counts shows that a hunk is whole.
    let fenced = |hunk: &str| format!("```diff\n{FIRST}{hunk}");
    let twenty = ten.replace("line 20\n", "LINE 20\n");
    let (changes, errors) = part_of(&fenced("@@ -20 +20 @@\n-line 20\n+LINE 20\n"));
    assert_eq!(changes, [("a.txt".to_owned(), Some(twenty))]);
    assert_eq!(errors.iter().map(|error| error.code).collect::<Vec<_>>(), [codes::UNCLOSED_FENCE]);
    for open in ["@@ ... @@\n-line 20\n+LINE 20\n", "@@ -20 +20 @@\n-line 20\n+LINE 20"] {
        check_part(&fenced(open), &[("a.txt", &ten)], codes::UNCLOSED_FENCE, "a.txt");
    }
}

#[test]
fn a_diff_that_does_more_than_change_lines_lands_as_a_whole_or_not_at_all() {
    let hunks = "@@ -1 +1 @@\n-hello\n+hallo\n@@ -2 +2 @@\n-world\n";
    let cut = |head: &str| {
        check_part(&format!("{head}{hunks}"), &[], codes::UNCLOSED_BLOCK, "b.txt");
    };
    cut("diff --git a/b.txt b/b.txt\nold mode 100644\nnew mode 100755\n--- a/b.txt\n+++ b/b.txt\n");
    cut("--- a/b.txt\n+++ /dev/null\n");
    let renamed =
        "diff --git a/b.txt b/c.txt\nrename from b.txt\nrename to c.txt\n--- a/b.txt\n+++ b/c.txt\n";
    check_part(&format!("{renamed}{hunks}"), &[], codes::UNCLOSED_BLOCK, "c.txt");
    for new in ["@@ -0,0 +1,3 @@\n+one\n+tw", "@@ -0,0 +1,3 @@\n"] {
        check_part(&format!("--- /dev/null\n+++ b/n.txt\n{new}"), &[], codes::UNCLOSED_BLOCK, "n.txt");
    }
}

#[test]
fn the_edit_in_which_an_envelope_was_cut_off_is_left_out() {
    let begun = |patch: &str| format!("*** Begin Patch\n{patch}");
    let ten = forty().replace("line 10\n", "LINE 10\n");
    let update = "*** Update File: a.txt\n@@\n-line 10\n+LINE 10\n";
    for cut in ["@@\n-line 20\n+LINE", "@@\n-line 20\n", "@@ line 1", "*** Add File: n.txt\n+one\n+tw"] {
        let path = if cut.starts_with("***") { "n.txt" } else { "a.txt" };
        let reply = begun(&format!("{update}{cut}"));
        check_part(&reply, &[("a.txt", &ten)], codes::UNCLOSED_BLOCK, path);
        check_part(&format!("```\n{reply}"), &[("a.txt", &ten)], codes::UNCLOSED_FENCE, path);
    }
    check_part(&begun("*** Update File: a.txt\n@@\n-line 10\n+LINE"), &[], codes::UNCLOSED_BLOCK, "a.txt");
    check_part(&begun("*** Add File: n.txt\n+one\n+tw"), &[], codes::UNCLOSED_BLOCK, "n.txt");
    // Half of a name is another name.
    check_part(&begun("*** Delete File: b.txt"), &[], codes::UNCLOSED_BLOCK, "b.txt");
    check_part(&begun("*** Delete File: b.txt\n"), &[("b.txt", "(gone)")], codes::UNCLOSED_BLOCK, "b.txt");
    check_part("*** Add File: n.t", &[], codes::UNCLOSED_BLOCK, "n.t");
    let moved = "*** Update File: b.txt\n*** Move to: c.txt\n";
    for hunks in ["", "@@\n-hello\n+hallo\n", "@@\n-hello\n+hallo\n@@\n-world\n"] {
        check_part(&begun(&format!("{moved}{hunks}")), &[], codes::UNCLOSED_BLOCK, "b.txt");
    }
}

#[test]
fn the_last_operation_on_anchors_is_left_out() {
    let section = "§b.txt\n»BOF\nfirst\n";
    for cut in ["»EOF\none\ntw", "»EOF\n", "»EO"] {
        let (reply, landed) = (format!("*** Begin Patch\n{section}{cut}"), "first\nhello\nworld\n");
        let (changes, errors) = part_of(&reply);
        assert_eq!(changes, [("b.txt".to_owned(), Some(landed.to_owned()))], "{reply}");
        let is_told = |error: &Diagnostic| error.path.as_deref() == Some("b.txt");
        assert!(!errors.is_empty() && errors.iter().all(is_told), "{errors:#?}");
    }
    check_part("*** Begin Patch\n§b.txt\n»EOF\none\ntw", &[], codes::UNCLOSED_BLOCK, "b.txt");
    check_part("```\n§b.txt\n»EOF\none\ntw", &[], codes::UNCLOSED_FENCE, "b.txt");
    check_part("*** Begin Patch\n§b.tx", &[], codes::UNCLOSED_BLOCK, "b.tx");
}

#[test]
fn a_new_file_with_a_line_that_cannot_be_read_does_not_land() {
    let patch = |lines: &str| format!("*** Begin Patch\n*** Add File: n.txt\n{lines}");
    check_part(&patch("+x\ny\n+z\n*** End Patch\n"), &[], codes::BAD_DIFF, "n.txt");
    let other = "*** Update File: b.txt\n@@\n-hello\n+hallo\n*** End Patch\n";
    let reply = patch(&format!("+x\ny\n{other}"));
    check_part(&reply, &[("b.txt", "hallo\nworld\n")], codes::BAD_DIFF, "n.txt");
}

#[test]
fn an_author_may_give_up_inside_an_envelope() {
    let update = "*** Update File: b.txt\n@@\n-hello\n+hallo\n world\n";
    let reply = format!("*** Begin Patch\n{update}*** Abort\n");
    check_part(&reply, &[("b.txt", "hallo\nworld\n")], codes::ABORTED, "b.txt");
    check_part(&format!("```\n{reply}```\n"), &[("b.txt", "hallo\nworld\n")], codes::ABORTED, "b.txt");
    let reply = format!("*** Begin Patch\n{update}*** Add File: n\n+x\n*** Abort\n*** End Patch\n");
    check_part(&reply, &[("b.txt", "hallo\nworld\n")], codes::ABORTED, "n");
    // With a sign it is a line like any other.
    let line = "*** Begin Patch\n*** Add File: n\n+x\n+*** Abort\n*** End Patch\n";
    assert_eq!(part_of(line), (vec![("n".to_owned(), Some("x\n*** Abort\n".to_owned()))], vec![]));
}

#[test]
fn the_edits_of_one_block_land_together() {
    let hunk = "@@ -1,2 +1,2 @@\n-hexxo\n+hallo\n world\n";
    let git = |lines: &str, new: &str| {
        format!("diff --git a/b.txt b/{new}\n{lines}\n--- a/b.txt\n+++ b/{new}\n{hunk}")
    };
    for (reply, path) in [
        (
            format!("*** Begin Patch\n*** Update File: b.txt\n*** Move to: c.txt\n{hunk}*** End Patch\n"),
            "c.txt",
        ),
        (git("rename from b.txt\nrename to c.txt", "c.txt"), "c.txt"),
        (git("old mode 100644\nnew mode 100755\nrename from b.txt\nrename to c.txt", "c.txt"), "c.txt"),
        (git("old mode 100644\nnew mode 100755", "b.txt"), "b.txt"),
    ] {
        check_part(&reply, &[], codes::NOT_FOUND, path);
        // What comes behind it finds the files as they were.
        let more = "*** Begin Patch\n*** Update File: b.txt\n@@\n-world\n+moon\n*** End Patch\n";
        check_part(&format!("{reply}\n{more}"), &[("b.txt", "hello\nmoon\n")], codes::NOT_FOUND, path);
    }
}

#[test]
fn a_reply_that_ends_in_the_first_marker_of_an_edit_is_cut_off() {
    let whole = "b.txt\n<<<<<<< SEARCH\nhello\n=======\nhallo\n>>>>>>> REPLACE\n\n";
    for half in [
        "a.txt\n<<<<<<< SE", "a.txt\n<<<<<<<", "a.txt\n<<", "a.txt\n««« ED", "a.txt\n«", "a.txt\n``",
        "*** Beg", "*** Update Fi", "diff --gi", "--- a/a.txt", "[CREATE_FI", "[CREATE_FILE path=\"m",
    ] {
        let (changes, errors) = part_of(&format!("{whole}{half}"));
        assert_eq!(changes.len(), 1, "{half}");
        let codes: Vec<Code> = errors.iter().map(|error| error.code).collect();
        assert_eq!(codes, [codes::UNCLOSED_BLOCK], "{half}");
    }
    for rest in ["That is all", "***", "---", "a.txt", "[done]", "<div", "`a`", "if a < b"] {
        assert_eq!(part_of(&format!("{whole}{rest}")).1, [], "{rest}");
    }
}

#[test]
fn a_block_whose_first_fence_was_lost_is_not_left_out() {
    let blocks = [
        "First, the one.\n```typescript // src/a.ts\none\n```\n\n",
        "Second, the other.\n```typescript // \"src/b.ts\"\ntwo\n```\n\n",
        "Third, its name.\n```json // rename-file\n{ \"from\": \"b.txt\", \"to\": \"c.txt\" }\n```\n\n",
    ];
    assert_eq!(part_of(&blocks.concat()).1, []);
    for lost in 0..blocks.len() {
        let mut left = blocks.map(str::to_owned);
        left[lost] = blocks[lost]
            .split_inclusive('\n')
            .filter(|line| !line.starts_with("```t") && !line.starts_with("```j"))
            .collect();
        assert_ne!(part_of(&left.concat()).1, [], "{}", left.concat());
    }
    let half = blocks.concat().replace("// rename-file", "//");
    assert_eq!(part_of(&half).1.iter().map(|error| error.code).collect::<Vec<_>>(), [codes::BAD_HEADER]);
    // A fence around all of it has an end.
    assert_eq!(part_of(&format!("Here it is:\n```\n{}```\n", blocks[0])).1, []);
}

#[test]
fn edits_in_a_fence_below_a_whole_text_are_edits() {
    let edits = "*** Begin Patch\n*** Update File: b.txt\n@@\n-hello\n+hallo\n*** End Patch\n";
    for first in ["n.txt\n```\nONE\ntwo\n```\n", "```md // {n.txt}\nONE\ntwo\n```\n"] {
        let (changes, errors) = part_of(&format!("{first}\nAnd:\n\n```\n{edits}```\n"));
        assert_eq!((changes.len(), errors.len()), (2, 0), "{errors:#?}");
        // A document may go on with what its fence shows.
        for shown in
            [format!("{first}And:\n\n```\n{edits}```\n"), format!("{first}\nAnd:\n\n```\nSo:\n{edits}```\n")]
        {
            let codes: Vec<Code> = part_of(&shown).1.iter().map(|error| error.code).collect();
            assert_eq!(codes, [codes::AMBIGUOUS_FENCE], "{shown}");
        }
    }
}

/// The newline at the end of a reply is often lost, so only what the last line leaves open shows that it goes on.
#[test]
fn a_bare_diff_that_ends_within_a_line_is_cut_off_where_that_shows() {
    let diff =
        |header: &str, last: &str| format!("--- a/b.txt\n+++ b/b.txt\n{header}\n hello\n-world\n+{last}");
    for header in ["@@ -1,2 +1,2 @@", "@@"] {
        for last in ["say(1, \"moon", "say(moon", "let a = [1, 2"] {
            check_part(&diff(header, last), &[], codes::UNCLOSED_BLOCK, "b.txt");
        }
        for last in ["moon", "say(moon)", "it's", "say \"moon\""] {
            assert_eq!(part_of(&diff(header, last)).1, [], "{last}");
        }
        // The line ends, so it is meant.
        assert_eq!(part_of(&format!("{}\n", diff(header, "say(moon"))).1, []);
    }
    let update = "*** Update File: b.txt\n@@\n hello\n-world\n+";
    check_part(&format!("{update}say(1, \"moon"), &[], codes::UNCLOSED_BLOCK, "b.txt");
    assert_eq!(part_of(&format!("{update}moon")).1, []);
}

/// One space is the sign of a context line, so that the patch has no end; more before the last line are padding.
#[test]
fn an_end_with_a_sign_is_a_line_of_the_file() {
    let patch =
        |end: &str| format!("*** Begin Patch\n*** Update File: b.txt\n@@\n-hello\n+hallo\n world\n{end}\n");
    let (changes, errors) = part_of(&patch(" *** End Patch"));
    assert_eq!((changes.len(), errors[0].code), (0, codes::UNCLOSED_BLOCK));
    assert!(errors[0].hint.as_deref().is_some_and(|hint| hint.contains("in line 7 has a space before it")));
    for end in ["  *** End Patch ", "*** End Patch"] {
        assert_eq!(part_of(&patch(end)).1, [], "{end}");
    }
}
