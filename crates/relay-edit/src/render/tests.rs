//! Every dialect says what it can, and nothing almost.

use super::*;

fn change(path: &str, before: Option<&str>, after: Option<&str>) -> Change {
    let bytes = |text: Option<&str>| text.map(|text| text.as_bytes().to_vec());
    Change {
        path: path.to_owned(),
        before: bytes(before),
        after: bytes(after),
        renamed_from: None,
        executable: None,
    }
}

/// The dialects that can say a change; `render` itself checks that what they say is right.
#[track_caller]
fn check(changes: &[Change], expected: &[Dialect]) {
    let able: Vec<Dialect> =
        Dialect::ALL.iter().copied().filter(|dialect| render(changes, *dialect).is_ok()).collect();
    let reasons: Vec<String> = Dialect::ALL
        .iter()
        .filter_map(|dialect| render(changes, *dialect).err())
        .map(|error| error.to_string())
        .collect();
    assert_eq!(able, expected, "{reasons:#?}");
}

const FILE: &str =
    "fn a() {\n    one();\n}\n\nfn b() {\n    one();\n}\n\nfn c() {\n    one();\n    two();\n}\n";

#[test]
fn every_dialect_modifies_and_creates() {
    check(
        &[change("src/a.rs", Some(FILE), Some(&FILE.replace("fn b() {\n    one();", "fn b() {\n    1();")))],
        Dialect::ALL,
    );
    check(
        &[change(
            "src/a.rs",
            Some(FILE),
            Some(&format!("// first\n{}// last\n", FILE.replace("    two();\n", ""))),
        )],
        Dialect::ALL,
    );
    check(&[change("src/a.rs", None, Some(FILE))], Dialect::ALL);
}

#[test]
fn line_endings_are_kept() {
    let windows = FILE.replace('\n', "\r\n");
    let dialects: Vec<Dialect> =
        Dialect::ALL.iter().copied().filter(|dialect| *dialect != Dialect::Commands).collect();
    let able: Vec<Dialect> = Dialect::ALL
        .iter()
        .copied()
        .filter(|dialect| {
            render(&[change("a.rs", Some(&windows), Some(&windows.replace("two", "2")))], *dialect).is_ok()
        })
        .collect();
    assert!(dialects.iter().all(|dialect| able.contains(dialect)), "{able:?}");
}

#[test]
fn changes_a_dialect_cannot_express_are_refused() {
    use Dialect::{ApplyPatch, Commands, Fenced, Unified};
    check(&[change("a.rs", Some(FILE), None)], &[Fenced, Unified, ApplyPatch, Commands]);
    let renamed = [
        change("a.rs", Some(FILE), None),
        Change {
            renamed_from: Some("a.rs".to_owned()),
            ..change("b.rs", None, Some(&FILE.replace("two", "2")))
        },
    ];
    check(&renamed, &[Fenced, Unified, ApplyPatch]);
    check(&[change("n.rs", None, Some("no newline"))], &[Fenced, Unified]);
    let error = render(&[change("a.rs", Some(FILE), None)], Dialect::WholeFile).expect_err("no");
    assert_eq!(error.to_string(), "the dialect `whole-file` cannot delete a file (`a.rs`)");
}

#[test]
fn only_a_git_diff_says_that_a_file_can_be_run() {
    let on = |change: Change| Change { executable: Some(true), ..change };
    check(&[on(change("a.sh", Some(FILE), Some(FILE)))], &[Dialect::Unified]);
    check(&[on(change("a.sh", Some(FILE), Some(&FILE.replace("two", "2"))))], &[Dialect::Unified]);
    check(&[on(change("a.sh", None, Some(FILE)))], &[Dialect::Unified]);
    let off = Change { executable: Some(false), ..change("a.sh", Some(FILE), Some(FILE)) };
    check(std::slice::from_ref(&off), &[Dialect::Unified]);
    let moved = Change { renamed_from: Some("a.sh".to_owned()), ..change("b.sh", None, Some(FILE)) };
    let renamed = [change("a.sh", Some(FILE), None), Change { executable: Some(false), ..moved }];
    check(&renamed, &[Dialect::Unified]);
    let error = render(&[off], Dialect::Fenced).expect_err("no");
    assert_eq!(error.to_string(), "the dialect `fenced` cannot change the mode of a file (`a.sh`)");
}

#[test]
fn text_that_looks_like_markers_is_distinguished() {
    let before = "Title\n=======\n\n```\ncode\n```\n";
    for dialect in
        [Dialect::Fenced, Dialect::SearchReplace, Dialect::Unified, Dialect::WholeFile, Dialect::Commands]
    {
        assert!(
            render(&[change("a.md", Some(before), Some(&before.replace("code", "more")))], dialect).is_ok(),
            "{dialect:?}"
        );
    }
}

mod any {
    use proptest::prelude::*;

    use super::*;

    fn text() -> impl Strategy<Value = String> {
        let line = prop_oneof![
            "[a-c]{1,2}",
            "  [a-d]{1,3}",
            Just(String::new()),
            Just("=======".to_owned()),
            Just("```".to_owned()),
            Just("@@".to_owned()),
            Just("--- x".to_owned())
        ];
        (prop::collection::vec(line, 1..12), any::<bool>())
            .prop_map(|(lines, finished)| lines.join("\n") + if finished { "\n" } else { "" })
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// `render` checks itself; here it must not panic, and the plainest dialects must always manage.
        #[test]
        fn rendering_never_panics(before in text(), after in text()) {
            for dialect in Dialect::ALL {
                let told = render(&[change("a.txt", Some(&before), Some(&after))], *dialect);
                if let Err(error) = &told {
                    prop_assert!(!error.to_string().is_empty());
                }
            }
        }
    }
}

/// A patch would write the tab as the file indents; the whole file keeps it.
#[test]
fn text_a_patch_would_adapt_is_written_as_a_whole_file() {
    let line = "let aaa = 0;\n";
    let call = "    aaa(a);\n";
    let before = format!("{call}{}{}", line.repeat(7), call.repeat(4));
    let after = format!("{call}{}\t# a a\n{}{}", line.repeat(3), line.repeat(3), call.repeat(4));
    let change = Change {
        path: "a.rs".to_owned(),
        before: Some(before.into_bytes()),
        after: Some(after.clone().into_bytes()),
        renamed_from: None,
        executable: None,
    };
    let text = render(&[change], Dialect::Fenced).expect("it can be said");
    assert!(text.contains(&after), "{text}");
}

fn bytes(path: &str, before: Option<&[u8]>, after: Option<&[u8]>) -> Change {
    let [before, after] = [before, after].map(|bytes| bytes.map(<[u8]>::to_vec));
    Change { path: path.to_owned(), before, after, renamed_from: None, executable: None }
}

#[test]
fn diffs_express_the_end_of_a_file() {
    use Dialect::{Fenced, Unified};
    for [before, after] in [["x\ny\nz", "x\ny\nz\n"], ["x\ny\nz\n", "x\ny\nz"], ["x\ny\nz", "X\ny\nz\n"]] {
        check(&[change("a.txt", Some(before), Some(after))], &[Fenced, Unified]);
        check(
            &[change("a.txt", Some(before), Some(after)), change("b.txt", None, Some("b\n"))],
            &[Fenced, Unified],
        );
    }
    // If it stays as it is, it need not be written.
    check(&[change("a.txt", Some("x\ny\nz"), Some("x\nY\nz"))], Dialect::ALL);
}

#[test]
fn files_that_are_not_utf_8_are_edited_in_every_dialect() {
    let wide = |text: &str| -> Vec<u8> {
        std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
    };
    check(&[bytes("a.rs", Some(&wide(FILE)), Some(&wide(&FILE.replace("two", "2"))))], Dialect::ALL);
    let latin = |text: &str| [b"caf\xe9\n", text.as_bytes()].concat();
    check(&[bytes("a.rs", Some(&latin(FILE)), Some(&latin(&FILE.replace("two", "2"))))], Dialect::ALL);
    // Beside the line, context ends there.
    check(
        &[bytes("a.rs", Some(&latin(FILE)), Some(&latin(&FILE.replacen("fn a", "fn A", 1))))],
        Dialect::ALL,
    );
    // New bytes that are not text, and what is none at all, cannot be said.
    check(&[bytes("a.rs", Some(b"a\nb\n"), Some(b"a\n\xe9\n"))], &[]);
    check(&[bytes("a.bin", Some(b"a\0\nb\n"), Some(b"a\0\nc\n"))], &[]);
    check(&[bytes("a.rs", None, Some(b"caf\xe9\n"))], &[]);
}

#[test]
fn blank_lines_and_lines_like_edits_are_written() {
    check(&[change("a.txt", Some("one\ntwo\n"), Some("one\n\n\ntwo\n"))], Dialect::ALL);
    // A command leaves blank lines at its end out.
    let last = change("a.txt", Some("one\ntwo\n"), Some("one\ntwo\n\n\n"));
    let others = Dialect::ALL.iter().copied().filter(|dialect| *dialect != Dialect::Commands);
    check(&[last], &others.collect::<Vec<_>>());
    let edits = "-- x\n++ y\n@@ z\n";
    let text = render(&[change("d.sql", None, Some(edits))], Dialect::Fenced).expect("sayable");
    assert_eq!(text, format!("```text // {{d.sql}} replace\n{edits}```\n\n"));
}

/// A blank line above the next section would be taken for a gap.
#[test]
fn blank_lines_at_the_end_of_new_lines_are_written_before_other_files() {
    let grown = FILE.replacen("fn b", "fn x() {}\n\nfn b", 1);
    let changes = ["a.rs", "b.rs"].map(|path| change(path, Some(FILE), Some(&grown)));
    assert!(render(&changes, Dialect::Hashline).is_ok());
}

#[test]
fn a_refusal_names_the_file() {
    let good = change("a.txt", None, Some("fine\n"));
    let end = change("b.txt", Some("x\ny\n"), Some("x\ny"));
    let marker = change("c.txt", None, Some("[/CREATE_FILE]\n"));
    for (bad, dialect) in [(&end, Dialect::ApplyPatch), (&marker, Dialect::Commands)] {
        let error = render(&[good.clone(), bad.clone()], dialect).expect_err("no");
        assert_eq!(error, RenderError::Inexact { dialect, path: bad.path.clone() });
    }
}

/// A change is written with as much context as tells its place from others, and no more.
#[test]
fn context_grows_until_a_place_is_the_only_one() {
    let file = |change: &str| {
        let rows: String = (0..40).map(|at| format!("row {at}\n")).collect();
        format!("start\n  x = 1\nend a\n{rows}start\n  {change}\nend b\n{rows}")
    };
    let change = Change {
        path: "a.txt".to_owned(),
        before: Some(file("x = 1").into_bytes()),
        after: Some(file("x = 2").into_bytes()),
        renamed_from: None,
        executable: None,
    };
    let text = render(&[change], Dialect::SearchReplace).expect("sayable");
    assert!(text.contains("end b"), "{text}");
    assert!(text.lines().count() < 30, "{text}");
}
