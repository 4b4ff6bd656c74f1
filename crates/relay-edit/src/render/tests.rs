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
fn what_a_dialect_cannot_say_is_refused() {
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
fn text_that_looks_like_markers_is_told_apart() {
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
fn what_a_patch_would_adapt_is_said_as_a_whole_file() {
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
