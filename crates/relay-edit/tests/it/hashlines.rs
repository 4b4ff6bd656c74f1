//! Line anchors: operations, ranges, errors, stale anchors with and without a view.

use relay_edit::anchors::LineHash;
use relay_edit::{Code, Dialect, Options, Plan, codes, parse, plan, plan_with};

use crate::support::{files, parse_in_pieces};

const FILE: &str = "one\ntwo\nthree\nfour\nfive\n";

/// The anchor of a line of `FILE`, counted from 1.
fn anchor(number: usize) -> String {
    let text = FILE.lines().nth(number - 1).expect("a line");
    format!("{number}{}", LineHash::of(text.as_bytes()))
}

/// Replaces `@2` by the anchor of line 2, and so on.
fn fill(reply: &str) -> String {
    (1..=5).fold(reply.to_owned(), |reply, number| reply.replace(&format!("@{number}"), &anchor(number)))
}

#[track_caller]
fn check(reply: &str, after: &str) -> Plan {
    let parsed = parse_in_pieces(&fill(reply));
    assert!(parsed.diagnostics.is_empty(), "{:#?}", parsed.diagnostics);
    let plan = plan(&parsed.edits, &files(&[("a", FILE)]));
    assert!(plan.diagnostics.iter().all(|finding| !finding.is_error()), "{:#?}", plan.diagnostics);
    let found = plan.changes.first().and_then(|change| change.after.clone()).expect("a change");
    assert_eq!(String::from_utf8_lossy(&found), after, "{reply}");
    plan
}

#[track_caller]
fn check_error(reply: &str, code: Code, message: &str) {
    let parsed = parse_in_pieces(&fill(reply));
    let plan = plan(&parsed.edits, &files(&[("a", FILE)]));
    let findings: Vec<_> = parsed.diagnostics.iter().chain(&plan.diagnostics).collect();
    let finding = findings.iter().find(|finding| finding.code == code && finding.message.contains(message));
    assert!(
        finding.is_some_and(|finding| finding.is_error() && finding.hint.is_some()),
        "{reply} {findings:#?}"
    );
    assert!(plan.changes.is_empty() || parsed.diagnostics.iter().any(relay_edit::Diagnostic::is_error));
}

/// The author cannot write them, but can say which lines they are.
#[test]
fn binary_lines_are_replaced_and_kept() {
    let before = b"one\ncaf\xe9\nthree\n";
    let named = format!("2{}", LineHash::of(b"caf\xe9"));
    let command = |first: usize, last: usize, body: &str| {
        format!("[EDIT_FILE path=\"a\" start_line=\"{first}\" end_line=\"{last}\"]\n{body}[/EDIT_FILE]\n")
    };
    for (reply, after) in [
        (format!("§a\n≔{named}\ntwo\n"), &b"one\ntwo\nthree\n"[..]),
        (format!("§a\n≔{named}\n"), b"one\nthree\n"),
        (format!("§a\n»{named}\nnew\n"), b"one\ncaf\xe9\nnew\nthree\n"),
        (command(2, 2, "two\n"), b"one\ntwo\nthree\n"),
        (command(1, 3, "1\ncaf\u{fffd}\n3\n"), b"1\ncaf\xe9\n3\n"),
    ] {
        let mut files = files(&[("a", "")]);
        files.files.insert("a".to_owned(), before.to_vec());
        let plan = plan(&parse_in_pieces(&reply).edits, &files);
        let found = plan.changes.first().and_then(|change| change.after.as_deref());
        assert_eq!(found, Some(after), "{reply} {:#?}", plan.diagnostics);
    }
}

#[test]
fn inserts_replaces_and_deletes() {
    check("§a\n»@2\nnew\n", "one\ntwo\nnew\nthree\nfour\nfive\n");
    check("§a\n«@2\nnew\n", "one\nnew\ntwo\nthree\nfour\nfive\n");
    check("§a\n≔@2\nnew\n", "one\nnew\nthree\nfour\nfive\n");
    check("§a\n≔@2..@4\nx\ny\n", "one\nx\ny\nfive\n");
    check("§a\n≔@2..@4\n", "one\nfive\n");
    check("§a\n≔@2\n\n»EOF\nend\n", "one\n\nthree\nfour\nfive\nend\n");
    check("§a\n»BOF\nfirst\n", "first\none\ntwo\nthree\nfour\nfive\n");
    check("§a\n»EOF\nlast\n", "one\ntwo\nthree\nfour\nfive\nlast\n");
    check("§§a\n≔@2|two\nnew\n", "one\nnew\nthree\nfour\nfive\n");
    check("```\n§a\n≔@2\nnew\n```\n", "one\nnew\nthree\nfour\nfive\n");
    check("*** Begin Patch\n§a\n≔@2\nnew\n*** End Patch\n", "one\nnew\nthree\nfour\nfive\n");
}

#[test]
fn blank_lines_above_an_end_the_author_wrote_are_meant() {
    check("```\n§a\n≔@2\nnew\n\n```\n", "one\nnew\n\nthree\nfour\nfive\n");
    check("*** Begin Patch\n§a\n»@2\nnew\n\n*** End Patch\n", "one\ntwo\nnew\n\nthree\nfour\nfive\n");
    // A blank last line cannot be distinguished from the end of a text, or from a gap between sections.
    check("§a\n≔@2\nnew\n\n", "one\nnew\nthree\nfour\nfive\n");
}

#[test]
fn an_envelope_without_an_end_is_cut_off() {
    let cut = "*** Begin Patch\n§a\n≔@2..@4\nx\n";
    check_error(cut, codes::UNCLOSED_BLOCK, "cut off");
    check_error(&format!("Like this:\n\n{cut}*** End Pat"), codes::UNCLOSED_BLOCK, "cut off");
    check_error(&format!("```\n{cut}"), codes::UNCLOSED_FENCE, "never closed");
    // The fence says that it is whole.
    check(&format!("```\n{cut}```\n"), "one\nx\nfive\n");
}

#[test]
fn all_anchors_mean_the_original_file() {
    check("§a\n≔@1\n1\n1b\n»@4\n4b\n§a\n≔@5\n5\n", "1\n1b\ntwo\nthree\nfour\n4b\n5\n");
}

#[test]
fn new_files_need_no_anchor() {
    let parsed = parse_in_pieces("§new\n»BOF\nx\n");
    let plan = plan(&parsed.edits, &files(&[]));
    assert_eq!(plan.changes[0].after.as_deref(), Some(&b"x\n"[..]));
    check_error("§missing\n≔@2\nx\n", codes::MISSING_FILE, "File not found: missing");
}

#[test]
fn repeated_neighbours_are_left_out_with_a_warning() {
    let plan = check("§a\n≔@3\ntwo\nnew\nfour\n", "one\ntwo\nnew\nfour\nfive\n");
    assert_eq!(plan.diagnostics[0].code, codes::DUPLICATE_ABSORBED);
    let plan = check("§a\n≔@3\none\ntwo\nnew\nfour\nfive\n", "one\ntwo\nnew\nfour\nfive\n");
    assert!(plan.diagnostics[0].message.starts_with("4 new line(s)"), "{:#?}", plan.diagnostics);
}

#[test]
fn lines_beside_a_range_are_repeated_only_where_they_stay() {
    check("§a\n≔@2\nB\nthree\n≔@3\n", "one\nB\nthree\nfour\nfive\n");
    check("§a\n≔@2\nB\nthree\n≔@3\nG\n", "one\nB\nthree\nG\nfour\nfive\n");
    check("§a\n≔@2\none\n", "one\none\nthree\nfour\nfive\n");
    check("§a\n≔@2\nthree\n", "one\nthree\nthree\nfour\nfive\n");
}

#[test]
fn what_meets_between_two_lines_follows_what_it_belongs_to() {
    check("§a\n«@3\nX\n≔@2\nB\n", "one\nB\nX\nthree\nfour\nfive\n");
    check("§a\n»EOF\nEND\n≔@5\nFIVE\n", "one\ntwo\nthree\nfour\nFIVE\nEND\n");
    check("§a\n»EOF\nE\n»@5\nL\n", "one\ntwo\nthree\nfour\nfive\nL\nE\n");
    check("§a\n«@1\nL\n»BOF\nE\n", "E\nL\none\ntwo\nthree\nfour\nfive\n");
    check("§a\n«@3\nB\n»@2\nA1\n»@2\nA2\n", "one\ntwo\nA1\nA2\nB\nthree\nfour\nfive\n");
}

/// Beside edits that land they would be left out silently.
#[test]
fn operations_without_a_header_are_refused() {
    let other = "```txt // {b.txt}\nb\n```\n\n";
    for lost in ["```\n≔@1\nONE\n```\n", "```\n  §a\n  ≔@1\n  ONE\n```\n", "  ≔@1..@2\nONE\n"] {
        let parsed = parse_in_pieces(&fill(&format!("{other}{lost}")));
        assert!(
            parsed.diagnostics.iter().any(relay_edit::Diagnostic::is_error),
            "{lost} {:#?}",
            parsed.edits
        );
    }
}

/// The number and the letters prove that they were copied with the lines.
#[test]
fn anchors_copied_into_new_lines_are_not_text() {
    check("§a\n≔@2\n@2|TWO\n", "one\nTWO\nthree\nfour\nfive\n");
    check("§a\n≔@2..@3\n@2|TWO\nmore\n@3|THREE\n", "one\nTWO\nmore\nTHREE\nfour\nfive\n");
    check("§a\n»@5\n@5|FIVE\n", "one\ntwo\nthree\nfour\nfive\nFIVE\n");
    // No line of the file has this one.
    let doubtful = plan(&parse_in_pieces(&fill("§a\n≔@2\n99aa|text\n")).edits, &files(&[("a", FILE)]));
    assert_eq!((doubtful.changes.len(), doubtful.diagnostics[0].code), (0, codes::BAD_ANCHOR));
    let whole = parse_in_pieces(&fill("a.txt\n```\n@1|one\n@2|TWO\n@3|three\n@4|four\n```\n"));
    let plan = plan(&whole.edits, &files(&[("a.txt", FILE)]));
    assert_eq!(plan.changes[0].after.as_deref(), Some(&b"one\nTWO\nthree\nfour\n"[..]));
    check(
        &fill("a\n<<<<<<< SEARCH\n@2|two\n=======\n@2|TWO\n>>>>>>> REPLACE\n"),
        "one\nTWO\nthree\nfour\nfive\n",
    );
}

/// However many fences the sections of a file stand in, and whatever changed it before them.
#[test]
fn anchors_mean_what_was_read_also_behind_other_edits() {
    const TWICE: &str = "a\nif x:\n    go()\nif y:\n    go()\nz\n";
    let anchor = |number: usize| {
        format!("{number}{}", LineHash::of(TWICE.lines().nth(number - 1).expect("a line").as_bytes()))
    };
    let second = format!("```\n§a.py\n≔{}\n    stop()\n```\n", anchor(5));
    for first in [
        format!("```\n§a.py\n»{}\nN1\nN2\n```\n\n", anchor(1)),
        "a.py\n<<<<<<< SEARCH\na\n=======\na\nN1\nN2\n>>>>>>> REPLACE\n\n".to_owned(),
    ] {
        for views in [Default::default(), [("a.py".to_owned(), TWICE.as_bytes().to_vec())].into()] {
            let parsed = parse_in_pieces(&format!("{first}{second}"));
            let options = Options { views, ..Options::default() };
            let plan = plan_with(&parsed.edits, &files(&[("a.py", TWICE)]), &options);
            let found = plan.changes.first().and_then(|change| change.after.as_deref());
            let found = String::from_utf8_lossy(found.unwrap_or_default());
            assert_eq!(
                found, "a\nN1\nN2\nif x:\n    go()\nif y:\n    stop()\nz\n",
                "{:#?}",
                plan.diagnostics
            );
        }
    }
    // What an edit before has taken away or changed is no place for another.
    let first = format!("```\n§a.py\n≔{}\n    wait()\n```\n\n", anchor(5));
    let plan = plan(&parse_in_pieces(&format!("{first}{second}")).edits, &files(&[("a.py", TWICE)]));
    assert_eq!(plan.diagnostics[0].code, codes::MERGE_CONFLICT);
}

#[test]
fn new_lines_between_lines_that_are_replaced_have_no_place() {
    check_error("§a\n≔@1..@4\nX\n»@2\nY\n", codes::OVERLAP, "change the same lines");
    check_error("§a\n«@3\nY\n≔@2..@3\nX\n", codes::OVERLAP, "change the same lines");
    check("§a\n≔@2..@3\nX\n»@3\nY\n«@2\nW\n", "one\nW\nX\nY\nfour\nfive\n");
}

#[test]
fn anchors_survive_white_space_at_the_ends_of_lines() {
    let plan = with_view("one\ntwo  \nthree\nfour\nfive\n", "§a\n≔@2\nnew\n");
    let after = plan.changes.first().and_then(|change| change.after.as_deref());
    assert_eq!(after, Some(&b"one\nnew\nthree\nfour\nfive\n"[..]), "{:#?}", plan.diagnostics);
}

/// In a fence as long as those inside its new lines, it is unclear which of them ends it.
#[test]
fn a_fence_inside_fenced_sections_is_refused() {
    for inner in ["```sh\npwd\n```\n", "```\npwd\n```\n"] {
        for rest in ["", "\n```\n§b.txt\n»BOF\nz\n```\n", "\n```txt // {b.txt}\ny\n```\n"] {
            let parsed = parse_in_pieces(&format!("```\n§a.md\n»BOF\n{inner}```\n{rest}"));
            assert!(parsed.diagnostics.iter().any(relay_edit::Diagnostic::is_error), "{inner}{rest}");
            let longer = parse_in_pieces(&format!("````\n§a.md\n»BOF\n{inner}````\n{rest}"));
            assert!(longer.diagnostics.is_empty(), "{:#?}", longer.diagnostics);
        }
    }
}

#[test]
fn sections_under_the_name_of_their_file_are_sections() {
    for head in ["src/a.py\n```\n", "**src/a.py**\n\n```py\n", "```py src/a.py\n"] {
        let parsed = parse_in_pieces(&format!("{head}§src/a.py\n»BOF\nONE\n```\n"));
        let dialects: Vec<Dialect> = parsed.edits.iter().map(|edit| edit.dialect).collect();
        assert_eq!(dialects, [Dialect::Hashline], "{head} {:#?}", parsed.diagnostics);
    }
    for body in
        ["≔1ab..2cd\nONE\n", "[EDIT_FILE path=\"a\" start_line=\"1\" end_line=\"2\"]\nx\n[/EDIT_FILE]\n"]
    {
        let parsed = parse_in_pieces(&format!("```txt // {{src/a.py}}\n{body}```\n"));
        assert!(
            parsed.diagnostics.iter().any(relay_edit::Diagnostic::is_error),
            "{body} {:#?}",
            parsed.edits
        );
    }
}

#[test]
fn generated_files_are_not_edited_by_anchor() {
    let refused = |path: &str, content: &str| {
        let plan = plan(&parse_in_pieces(&format!("§{path}\n»EOF\nx\n")).edits, &files(&[(path, content)]));
        plan.diagnostics.iter().any(|finding| finding.code == codes::GENERATED)
    };
    for (path, content) in [
        ("a.cs", "// <auto-generated>\nx\n"),
        ("a.py", "# Autogenerated by Thrift\nx\n"),
        ("a.ts", "/* eslint-disable */\n// Generated file. Do not modify.\nx\n"),
        ("a.go", "// Code generated by tool. DO NOT EDIT.\nx\n"),
        ("a.pb.go", "x\n"),
        ("x.generated.ts", "x\n"),
        ("package-lock.json", "{}\n"),
    ] {
        assert!(refused(path, content), "{path} {content}");
    }
    assert!(!refused("gen.sh", "# This script generates files; do not edit generated code by hand\nx\n"));
    assert!(!refused("a.ts", "// what was generated is checked here\nx\n"));
}

#[test]
fn mistakes_are_reported_in_known_words() {
    check_error("§\n≔@2\nx\n", codes::BAD_ANCHOR, "Input header \"§\" is empty");
    check_error("§a\n≔2\nx\n", codes::BAD_ANCHOR, "expected a full anchor such as \"119sr\"; got \"2\"");
    check_error("§a\n≔@2..\nx\n", codes::BAD_ANCHOR, "range must include exactly two full anchors");
    check_error("§a\n≔@4..@2\nx\n", codes::BAD_ANCHOR, "ends before it starts");
    check_error("§a\n»@2\n", codes::BAD_ANCHOR, "require at least one verbatim payload line");
    check_error("§a\npayload\n≔@2\nx\n", codes::BAD_ANCHOR, "payload line has no preceding");
    check_error("§a\n≔99aa\nx\n", codes::BAD_ANCHOR, "Line 99 does not exist (file has 5 lines)");
    check_error("§a\n≔@2\nx\n*** Abort\n", codes::ABORTED, "gave up");
    check_error("§a\n≔@2..@4\nx\n≔@3\ny\n", codes::OVERLAP, "change the same lines");
    check_error(
        "§a\n+@2\nx\n",
        codes::BAD_ANCHOR,
        "line 2: unrecognized op. Use «ANCHOR..., »ANCHOR..., ≔A..B...",
    );
    check_error("§a\n≔@2-@3\nx\n", codes::BAD_ANCHOR, "line 2: explicit ranges are required for replacement");
    check_error(
        "»@2\nx\n",
        codes::BAD_ANCHOR,
        "input must begin with \"§PATH\" on the first non-blank line; got:",
    );
}

#[test]
fn malformed_sections_are_reported() {
    let parsed = parse("\nJust a remark.\n", Some(Dialect::Hashline));
    let message = &parsed.diagnostics[0].message;
    assert!(
        message.ends_with("got: \"Just a remark.\". Example: \"§src/foo.ts\" then edit ops."),
        "{message}"
    );
}

/// One slip is one finding, and what was written below it goes nowhere.
#[test]
fn new_lines_of_unreadable_operations_are_not_written() {
    for reply in [
        "§a\n»@1\ngood\n»bad\npayload of bad\nmore\n",
        "§a\n»@1\ngood\n≔@2..\npayload of bad\n",
        "§a\n»@1\ngood\n§\n»@2\npayload of none\n",
        "§a\n»@1\ngood\n§a\nstray\nstray\n",
        "§a\n»@1\ngood\n§a\n+@2\nunknown\n",
    ] {
        let parsed = parse_in_pieces(&fill(reply));
        assert_eq!(parsed.diagnostics.len(), 1, "{reply} {:#?}", parsed.diagnostics);
        let plan = plan(&parsed.edits, &files(&[("a", FILE)]));
        let found = plan.changes.first().and_then(|change| change.after.as_deref());
        assert_eq!(found, Some(&b"one\ngood\ntwo\nthree\nfour\nfive\n"[..]), "{reply}");
    }
    let parsed = parse_in_pieces("§a\n»bad\npayload\nmore\n");
    assert_eq!((parsed.edits.len(), parsed.diagnostics.len()), (0, 1), "{:#?}", parsed.diagnostics);
}

#[test]
fn a_gap_between_sections_is_not_content_whatever_their_files() {
    check("§a\n»@1\ngood\n\n§a\n»@2\nx\n", "one\ngood\ntwo\nx\nthree\nfour\nfive\n");
}

/// Nothing but the rest of the reply shows where the new lines of a bare section end.
#[test]
fn text_after_a_bare_section_is_not_written_into_its_file() {
    let section = fill("§a\n»@2\nnew\n");
    let after = Some(&b"one\ntwo\nnew\nthree\nfour\nfive\n"[..]);
    for (rest, edits) in [
        ("\n```yaml\nprojectId: p\nuuid: 2c744c39-4961-4235-ba65-701bc1f60fe2\n```\n", 1),
        ("```ts // {b.ts}\nb\n```\n\nThat is all.\n", 2),
        ("\n```diff\n--- /dev/null\n+++ b/b\n@@ -0,0 +1 @@\n+b\n```\n", 2),
        ("*** Begin Patch\n*** Add File: b\n+b\n*** End Patch\n", 2),
    ] {
        let parsed = parse_in_pieces(&format!("{section}{rest}"));
        assert!(parsed.diagnostics.is_empty(), "{rest} {:#?}", parsed.diagnostics);
        assert_eq!(parsed.edits.len(), edits, "{rest}");
        assert_eq!(parsed.control.is_some(), rest.contains("uuid"));
        let plan = plan(&parsed.edits, &files(&[("a", FILE)]));
        let change = plan.changes.iter().find(|change| change.path == "a");
        assert_eq!(change.and_then(|change| change.after.as_deref()), after, "{rest}");
    }
}

#[test]
fn a_bare_section_with_an_unclear_end_is_refused() {
    let section = fill("§a.rs\n»@2\nnew\n");
    for rest in [
        "\nThat should do it.\n",
        "\nNow the other file, where `x()` goes:\n\n§b.rs\n»BOF\nx\n",
        "b.rs\n<<<<<<< SEARCH\none\n=======\ntwo\n>>>>>>> REPLACE\n",
        "--- a/b.rs\n+++ b/b.rs\n@@ -1,2 +1,2 @@\n-one\n+two\n two\n",
        "[CREATE_FILE path=\"b.rs\"]\nb\n[/CREATE_FILE]\n",
        "*** Update File: b.rs\n@@\n-one\n+two\n",
        "\nprojectId: p\nuuid: 2c744c39-4961-4235-ba65-701bc1f60fe2\n",
        "```\ncode\n```\n",
        "\n```rust\nlet code;\n```\n",
    ] {
        let parsed = parse_in_pieces(&format!("{section}{rest}"));
        assert!(
            parsed.diagnostics.iter().any(relay_edit::Diagnostic::is_error),
            "{rest} {:#?}",
            parsed.edits
        );
    }
    let quoted = "\n```yaml\nuuid: 2c744c39-4961-4235-ba65-701bc1f60fe2\n```\n";
    for reply in [format!("§a.md\n»BOF\nnew\n{quoted}"), "§a.md\n»BOF\n```ts // {b.ts}\nb\n```\n".to_owned()]
    {
        assert!(parse_in_pieces(&reply).diagnostics.iter().any(relay_edit::Diagnostic::is_error), "{reply}");
    }
}

/// Documents hold fences and sentences, and a fence or an envelope around the sections says what is theirs.
#[test]
fn new_lines_that_are_certain_are_taken_as_they_are() {
    for reply in [
        "§new.md\n»BOF\n# Use\n\n```sh\nrelay apply\n```\n\nThat is all.\n",
        "§new.txt\n»BOF\nFirst of all.\n\nThat should do it.\n",
        "§new.rs\n»BOF\nfn a() {}\n\nfn b() {}\n",
        "*** Begin Patch\n§new.rs\n»BOF\nfn a() {}\n\nThat should do it.\n*** End Patch\n",
        "````\n§new.rs\n»BOF\nfn a() {}\n\n```\ncode\n```\n````\n",
    ] {
        let parsed = parse_in_pieces(reply);
        assert!(
            parsed.diagnostics.is_empty() && parsed.edits.len() == 1,
            "{reply} {:#?}",
            parsed.diagnostics
        );
        let plan = plan(&parsed.edits, &files(&[]));
        let written = plan.changes[0].after.as_deref().unwrap_or_default();
        let new = reply.split_once("BOF\n").expect("new lines").1;
        let new = new.trim_end_matches("````\n").trim_end_matches("*** End Patch\n");
        assert_eq!(String::from_utf8_lossy(written), new);
    }
}

#[test]
fn a_stale_anchor_shows_the_lines_there_now() {
    let parsed = parse_in_pieces(&fill("§a\n≔@2\nnew\n"));
    let plan = plan(&parsed.edits, &files(&[("a", "one\nzwei\nthree\n")]));
    assert_eq!(plan.diagnostics[0].code, codes::STALE_ANCHOR);
    let hint = plan.diagnostics[0].hint.clone().expect("a hint");
    assert!(hint.contains(&format!("*2{}|zwei", LineHash::of(b"zwei"))), "{hint}");
}

fn with_view(current: &str, reply: &str) -> Plan {
    let options =
        Options { views: [("a".to_owned(), FILE.as_bytes().to_vec())].into(), ..Options::default() };
    plan_with(&parse_in_pieces(&fill(reply)).edits, &files(&[("a", current)]), &options)
}

#[test]
fn a_stale_anchor_is_merged_when_it_is_known_what_was_read() {
    let plan = with_view("zero\none\ntwo\nthree\nfour\nfive\nsix\n", "§a\n≔@2..@3\nnew\n");
    assert_eq!(
        plan.changes[0].after.as_deref(),
        Some(&b"zero\none\nnew\nfour\nfive\nsix\n"[..]),
        "{plan:#?}"
    );
    // The lines inside the range changed since: the two letters at its ends would not have shown it.
    let plan = with_view("one\ntwo\nTHREE\nfour\nfive\n", "§a\n≔@2..@4\nnew\n");
    assert!(plan.changes.is_empty());
    assert_eq!(plan.diagnostics[0].code, codes::MERGE_CONFLICT);
}

/// `two`, `three` and `four` had other letters before.
#[test]
fn letters_of_an_earlier_version_count_where_a_view_says_what_was_seen() {
    let now = "zero\none\ntwo\nthree\nfour\nfive\n";
    let after = |plan: &Plan| {
        let change = plan.changes.first().and_then(|change| change.after.clone());
        String::from_utf8(change.unwrap_or_default()).expect("a text")
    };
    for (reply, expected) in [
        ("§a\n≔@old2\nnew\n", "one\nnew\nthree\nfour\nfive\n"),
        ("§a\n≔@old2..@old3\nnew\n", "one\nnew\nfour\nfive\n"),
        ("§a\n≔@2..@old3\nnew\n", "one\nnew\nfour\nfive\n"),
        ("§a\n≔@old2..@3\nnew\n", "one\nnew\nfour\nfive\n"),
        ("§a\n»@old4\nnew\n", "one\ntwo\nthree\nfour\nnew\nfive\n"),
    ] {
        let reply = [("@old2", "2ci"), ("@old3", "3rm"), ("@old4", "4mv")]
            .iter()
            .fold(reply.to_owned(), |reply, (from, to)| reply.replace(from, to));
        assert_eq!(after(&with_view(FILE, &reply)), expected, "{reply}");
        assert_eq!(after(&with_view(now, &reply)), format!("zero\n{expected}"), "{reply}");
        // Without a view they are what they are: letters of another line.
        let plan = plan(&parse_in_pieces(&fill(&reply)).edits, &files(&[("a", FILE)]));
        assert_eq!((plan.changes.len(), plan.diagnostics[0].code), (0, codes::STALE_ANCHOR), "{reply}");
    }
}

/// Transcripts of an earlier generation mix the number of a line into the letters of `}`.
#[test]
fn both_generations_of_letters_are_read_for_lines_of_signs() {
    const BRACES: &str = "{\n}\n{\n}\n";
    for letters in ["rk", "na"] {
        let reply = format!("§a\n≔4{letters}\n}};\n");
        let plan = plan(&parse_in_pieces(&reply).edits, &files(&[("a", BRACES)]));
        let after = plan.changes.first().and_then(|change| change.after.as_deref());
        assert_eq!(after, Some(&b"{\n}\n{\n};\n"[..]), "{letters} {:#?}", plan.diagnostics);
    }
}

#[test]
fn line_numbers_are_certain_when_the_file_is_what_was_read() {
    let edit = "[EDIT_FILE path=\"a\" start_line=\"2\" end_line=\"2\"]\nnew\n[/EDIT_FILE]\n";
    assert!(!with_view(FILE, edit).outcomes[0].needs_review);
    let plan = with_view("zero\none\ntwo\nthree\nfour\nfive\n", edit);
    assert_eq!(plan.changes[0].after.as_deref(), Some(&b"zero\none\nnew\nthree\nfour\nfive\n"[..]));
    assert!(!plan.outcomes[0].needs_review);
}

/// One author counts with the edits before, the other counts in what was shown.
#[test]
fn line_numbers_are_in_doubt_where_an_edit_before_moved_the_lines() {
    let command = |first: usize, last: usize, body: &str| {
        format!("[EDIT_FILE path=\"a\" start_line=\"{first}\" end_line=\"{last}\"]\n{body}[/EDIT_FILE]\n")
    };
    let reviewed = |before: &str, edits: &[String]| {
        let plan = with_view(before, &edits.concat());
        assert!(!plan.changes.is_empty(), "{:#?}", plan.diagnostics);
        plan.outcomes.iter().map(|outcome| outcome.needs_review).collect::<Vec<_>>()
    };
    let (longer, same) = (command(2, 2, "a\nb\n"), command(2, 2, "a\n"));
    let later = command(4, 4, "new\n");
    for before in [FILE, "zero\none\ntwo\nthree\nfour\nfive\n"] {
        assert_eq!(reviewed(before, &[longer.clone(), later.clone()]), [false, true]);
        assert_eq!(reviewed(before, &[same.clone(), later.clone()]), [false, false]);
        assert_eq!(reviewed(before, &[later.clone(), longer.clone()]), [false, false]);
        // As many lines were taken away as came.
        let (added, taken) = (command(3, 3, "a\nb\n"), command(2, 2, ""));
        assert_eq!(reviewed(before, &[added, taken, later.clone()]), [false; 3]);
    }
}
