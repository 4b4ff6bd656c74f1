//! What holds for files of every encoding and edits in every form: encodings, line endings, bytes that are not text.
//!
//! The edits are true ones, so most of them land; what is checked is everything around them.

use proptest::prelude::*;
use relay_edit::{
    Base, Dialect, Edit, EditStatus, Hunk, HunkLine, Operation, Options, Parser, Plan, Snapshot, Strictness,
    parse, plan, plan_with, text_of,
};

use crate::fuzz::damage::Random;
use crate::noise::{FORMS, Intent, literal, whole, written};
use crate::support::Encoding;

/// The lines of a file, and how they become bytes.
#[derive(Clone, Debug)]
struct File {
    lines: Vec<String>,
    /// For each line its ending, taken in turn.
    endings: Vec<&'static str>,
    finished: bool,
    encoding: Encoding,
    /// A line of bytes that are not text, above all others.
    broken: bool,
}

const BROKEN: &[u8] = b"caf\xe9 \xff\xfe";

impl File {
    fn bytes(&self) -> Vec<u8> {
        let mut text = Vec::new();
        if self.broken {
            text.extend_from_slice(BROKEN);
            text.extend_from_slice(self.endings[0].as_bytes());
        }
        for (at, line) in self.lines.iter().enumerate() {
            text.extend_from_slice(line.as_bytes());
            if self.finished || at + 1 < self.lines.len() {
                text.extend_from_slice(self.endings[at % self.endings.len()].as_bytes());
            }
        }
        self.encoding.encode(&text)
    }

    fn is_uniform(&self) -> bool {
        self.endings.iter().all(|ending| *ending == self.endings[0])
    }
}

fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => "    [a-z]{3,9}\\([a-z]{1,5}\\);",
        4 => "let [a-z]{3,9} = \"[a-zé–]{1,9}\";",
        1 => Just("}".to_owned()),
        1 => Just(String::new()),
        1 => Just("\u{c}".to_owned()),
        1 => "[a-z]{3,6}\u{c}[a-z]{3,6}",
        1 => "\t[a-z]{4,9}: “[a-z]{2,5}”",
    ]
}

fn file() -> impl Strategy<Value = File> {
    let endings = prop_oneof![
        3 => Just(vec!["\n"]),
        2 => Just(vec!["\r\n"]),
        1 => Just(vec!["\r"]),
        2 => prop::collection::vec(prop::sample::select(vec!["\n", "\r\n"]), 2..7),
    ];
    let encoding = prop::sample::select(Encoding::ALL);
    let parts = (prop::collection::vec(line(), 4..30), endings, any::<bool>(), encoding, any::<bool>());
    parts.prop_map(|(lines, endings, finished, encoding, broken)| {
        let wide = matches!(encoding, Encoding::Utf16Le | Encoding::Utf16Be);
        File { lines, endings, finished, encoding, broken: broken && !wide }
    })
}

/// A true edit of a file, written in a form; `None` where the seed makes none.
fn reply(file: &File, form: &str, seed: u64) -> Option<String> {
    let mut random = Random::new(seed);
    let mut lines = file.lines.clone();
    if file.broken {
        // The author was shown something in place of what is no text.
        lines.insert(0, String::from_utf8_lossy(BROKEN).into_owned());
    }
    let intent = Intent::of(lines, &mut random, 3)?;
    Some(written("src/a.rs", form, &intent, &mut random))
}

fn snapshot(bytes: &[u8]) -> Snapshot {
    Snapshot { files: [("src/a.rs".to_owned(), bytes.to_vec())].into(), ..Default::default() }
}

/// The new content, when a plan changes the file and nothing failed.
fn after(planned: &Plan) -> Option<Vec<u8>> {
    planned.changes.first().and_then(|change| change.after.clone())
}

/// Lines with their endings, as a file has them.
fn split(text: &[u8]) -> Vec<&[u8]> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let end = if text.contains(&b'\n') || !text.contains(&b'\r') { b'\n' } else { b'\r' };
    text.split_inclusive(|byte| *byte == end).collect()
}

fn plain(line: &[u8]) -> String {
    String::from_utf8_lossy(line).trim_end_matches(['\r', '\n']).to_owned()
}

/// The lines above and below everything that placements cover are the same bytes.
fn check_outside(before: &[u8], planned: &Plan, changed: &[u8]) -> Result<(), TestCaseError> {
    let (before, changed) = (text_of(before), text_of(changed));
    let certificates: Vec<_> = planned.outcomes.iter().flat_map(|outcome| &outcome.certificates).collect();
    // Of several the later ones speak of what the earlier ones made of the file.
    let [certificate] = certificates.as_slice() else { return Ok(()) };
    let placements = &certificate.placements;
    let lines = split(&before);
    let (mut low, mut high) = (lines.len(), 0);
    for placement in placements {
        low = low.min(placement.first_line());
        high = high.max(placement.end_line());
    }
    let head = lines[..low.min(lines.len())].concat();
    let body = changed.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&changed);
    prop_assert!(body.starts_with(&head), "{:?} lost {:?}", plain(body), plain(&head));
    let tail = lines.get(high..).unwrap_or_default().concat();
    prop_assert!(changed.ends_with(&tail), "{:?} lost {:?}", plain(&changed), plain(&tail));
    Ok(())
}

/// Every ending is one the file had, and so are its mark and its encoding.
fn check_around(before: &[u8], changed: &[u8]) -> Result<(), TestCaseError> {
    let mark =
        |bytes: &[u8]| bytes.get(..2).map(|mark| matches!(mark, b"\xff\xfe" | b"\xfe\xff" | b"\xef\xbb"));
    prop_assert!(changed.is_empty() || mark(before) == mark(changed) || changed.len() < 2);
    let (before, changed) = (text_of(before), text_of(changed));
    let endings = |text: &[u8]| -> Vec<String> {
        let ended = split(text).into_iter().map(|line| String::from_utf8_lossy(line).into_owned());
        let ending = |line: String| line[line.trim_end_matches(['\r', '\n']).len()..].to_owned();
        ended.map(ending).filter(|ending| !ending.is_empty()).collect()
    };
    let had = endings(&before);
    prop_assert!(had.is_empty() || endings(&changed).iter().all(|ending| had.contains(ending)));
    Ok(())
}

/// The change turned around, with every line of the file around it, brings back the bytes.
fn check_inverse(file: &File, before: &[u8], changed: &[u8]) -> Result<(), TestCaseError> {
    let (old, new) = (text_of(changed), text_of(before));
    let ends = |text: &[u8]| text.ends_with(b"\n") || text.ends_with(b"\r");
    // One line that has no ending does not say how lines end here.
    let silent = !old.contains(&b'\n') && !old.contains(&b'\r');
    if file.broken || !file.is_uniform() || silent || ends(&old) != ends(&new) {
        return Ok(());
    }
    let (text, unended) = (plain(&new), !ends(&new));
    let (old, new): (Vec<String>, Vec<String>) =
        (split(&old).into_iter().map(plain).collect(), split(&new).into_iter().map(plain).collect());
    let sides: [Vec<&str>; 2] = [&old, &new].map(|side| side.iter().map(String::as_str).collect());
    let hunk = Hunk::from_sides(&sides[0], &sides[1], 1);
    // Where a last line without an ending goes, the one above it keeps its own.
    let unends = unended && matches!(hunk.lines.last(), Some(HunkLine::Removed(_)));
    let operation = Operation::Patch { hunks: vec![hunk], base: Base::Original };
    let edit = Edit { path: "src/a.rs".to_owned(), operation, dialect: Dialect::Unified, line: 1 };
    let options = Options { strictness: Strictness::Exact, ..Options::default() };
    let planned = plan_with(&[edit], &snapshot(changed), &options);
    let telling = |lines: &[String]| lines.iter().any(|line| line.chars().any(char::is_alphanumeric));
    match after(&planned) {
        Some(restored) if unends => prop_assert_eq!(plain(&text_of(&restored)), text),
        Some(restored) => prop_assert_eq!(restored, before.to_vec()),
        None => prop_assert!(!telling(&old) || !telling(&new), "{:?}", planned.diagnostics),
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_form_respects_every_encoding(file in file(), seed in any::<u64>(), sizes in prop::collection::vec(1..90_usize, 1..9)) {
        let before = file.bytes();
        for form in FORMS {
            let Some(reply) = reply(&file, form, seed) else { continue };
            let parsed = parse(&reply, None);
            let mut parser = Parser::new(None);
            let (mut rest, mut size) = (reply.as_str(), sizes.iter().cycle());
            while !rest.is_empty() {
                let at = rest.ceil_char_boundary(*size.next().expect("a size")).min(rest.len());
                parser.push(&rest[..at]);
                rest = &rest[at..];
            }
            prop_assert_eq!(&parser.finish(), &parsed, "in pieces");
            let planned = plan(&parsed.edits, &snapshot(&before));
            let failed = planned.outcomes.iter().any(|outcome| outcome.status == EditStatus::Failed);
            prop_assert!(!failed || planned.changes.is_empty(), "half done");
            let Some(changed) = after(&planned) else { continue };
            check_outside(&before, &planned, &changed)?;
            check_around(&before, &changed)?;
            check_inverse(&file, &before, &changed)?;
            // What quotes its lines, or holds them all, is recognised when it comes again.
            let again = plan(&parsed.edits, &snapshot(&changed));
            let placements = planned.outcomes.iter().flat_map(|outcome| &outcome.certificates).flat_map(|certificate| &certificate.placements);
            let unique = placements.clone().all(|placement| placement.tie.is_none() && placement.candidates == 1);
            let adds = |edit: &Edit| match &edit.operation {
                Operation::Patch { hunks, .. } => hunks.iter().all(|hunk| hunk.lines.iter().any(|line| !line.is_old() && line.text().chars().any(char::is_alphanumeric))),
                _ => true,
            };
            if whole(form) || !literal(form) && unique && parsed.edits.iter().all(adds) {
                prop_assert_eq!(after(&again), None, "{} twice: {}", form, reply);
            }
        }
    }

    #[test]
    fn any_bytes_are_planned_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..400), file in file(), seed in any::<u64>(), form in prop::sample::select(FORMS)) {
        if let Some(reply) = reply(&file, form, seed) {
            let mut mixed = file.bytes();
            let at = seed as usize % (mixed.len() + 1);
            mixed.splice(at..at, bytes.iter().copied());
            for content in [&bytes, &mixed] {
                let planned = plan(&parse(&reply, None).edits, &snapshot(content));
                if let Some(changed) = after(&planned) {
                    check_outside(content, &planned, &changed)?;
                }
            }
            let noise = String::from_utf8_lossy(&bytes);
            drop(plan(&parse(&format!("{noise}{reply}{noise}"), None).edits, &snapshot(&mixed)));
        }
    }
}

/// Found by the property above: a file that cannot be decoded was edited as if its bytes were lines.
#[test]
fn a_file_falsely_marked_as_utf_16_is_left_alone() {
    let reply = "[EDIT_FILE path=\"src/a.rs\" start_line=\"1\" end_line=\"1\"]\nx\n[/EDIT_FILE]\n";
    for content in [&b"\xff\xfea\0\n\0b"[..], b"\xfe\xff\0a\0\n\xd8", b"a\0\nb\n"] {
        let planned = plan(&parse(reply, None).edits, &snapshot(content));
        assert_eq!(planned.outcomes[0].status, EditStatus::Skipped, "{planned:#?}");
        assert!(planned.changes.is_empty());
    }
}
