//! Fuzz targets: what must hold for any input at all, tried on samples that were damaged at random.
//!
//! Damage begins from good replies and files, because random bytes never get past the first line of a parser. Every run
//! is repeatable: a failure names the seed of its case, which becomes a regression test. A short run always, one two
//! hundred times as long when `RELAY_LONG_TESTS=yes`.

pub mod damage;
mod inverse;
mod samples;

use relay_edit::{
    Base, Dialect, Edit, EditStatus, Hunk, HunkLine, Operation, Options, Parser, Plan, Snapshot, Strictness,
    merge, parse, plan, plan_with, verify,
};

use damage::Random;
use samples::SAMPLES;

/// Runs a target on many seeds; a seed that fails is named, and can be run alone.
fn fuzz(name: &str, cases: u64, target: impl Fn(&mut Random) + std::panic::RefUnwindSafe) {
    let long = std::env::var("RELAY_LONG_TESTS").is_ok_and(|value| value == "yes");
    let cases = if long { cases * 200 } else { cases };
    for seed in 0..cases {
        let run = std::panic::catch_unwind(|| target(&mut Random::new(seed)));
        assert!(run.is_ok(), "the fuzz target `{name}` fails with seed {seed}");
    }
}

/// Any text: nothing panics, and how it is cut into pieces does not matter.
#[track_caller]
fn check_parse(text: &str, forced: Option<Dialect>, random: &mut Random) {
    let whole = parse(text, forced);
    let mut parser = Parser::new(forced);
    let mut early = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, tail) = rest.split_at(rest.ceil_char_boundary(1 + random.below(40)).min(rest.len()));
        early.extend(parser.push(piece));
        rest = tail;
    }
    assert_eq!(parser.finish(), whole, "in pieces: {text:?}");
    assert!(whole.edits.starts_with(&early), "an edit was announced and then taken back: {text:?}");
    let lines = text.lines().count().max(1);
    for finding in &whole.diagnostics {
        assert!(finding.line.is_some_and(|line| (1..=lines + 1).contains(&line)), "{finding:?} in {text:?}");
    }
}

fn fuzz_dialect(dialect: Dialect) {
    let samples: Vec<&str> = SAMPLES.iter().filter(|(of, _)| *of == dialect).map(|(_, text)| *text).collect();
    assert!(!samples.is_empty(), "{dialect:?} has a sample");
    fuzz(dialect.name(), 300, |random| {
        let text = damage::damaged(random.pick::<&str>(&samples), random);
        check_parse(&text, None, random);
        check_parse(&text, Some(dialect), random);
    });
}

#[test]
fn fenced() {
    fuzz_dialect(Dialect::Fenced);
}

#[test]
fn unified() {
    fuzz_dialect(Dialect::Unified);
}

#[test]
fn search_replace() {
    fuzz_dialect(Dialect::SearchReplace);
}

#[test]
fn apply_patch() {
    fuzz_dialect(Dialect::ApplyPatch);
}

#[test]
fn edit_repl() {
    fuzz_dialect(Dialect::EditRepl);
}

#[test]
fn hashline() {
    fuzz_dialect(Dialect::Hashline);
}

#[test]
fn commands() {
    fuzz_dialect(Dialect::Commands);
}

#[test]
fn whole_file() {
    fuzz_dialect(Dialect::WholeFile);
}

#[test]
fn the_control_block() {
    let yaml = "projectId: shop\nuuid: 4f9c2c1e-6c1b-4e0a-9a53-0d3f6b7e8a21\nchangeSummary:\n  - edit: a.ts\n  - rename: 'b' -> \"c\"\ngitCommitMsg: |\n  feat: x\n\n  body: {a: [1, 2]}\npromptSummary: >-\n  what & why\n";
    fuzz("control", 400, |random| {
        let block = damage::damaged(yaml, random);
        let (open, close) = *random.pick(&[("```yaml\n", "\n```\n"), ("---\n", ""), ("", "")]);
        let text = format!("```ts // {{a.ts}}\nx\n```\n\n{open}{block}{close}");
        check_parse(&text, None, random);
    });
}

/// Every reply that can be read, on files it may fit.
#[test]
fn a_damaged_reply_is_planned_without_harm() {
    fuzz("plan", 400, |random| {
        let text = damage::damaged(random.pick(SAMPLES).1, random);
        let edits = parse(&text, None).edits;
        let mut files = Snapshot::default();
        for path in ["a.ts", "src/a.ts", "b.txt", "c.py"] {
            files.files.insert(path.to_owned(), damage::damaged(samples::FILE, random).into_bytes());
        }
        let options = Options { strictness: *random.pick(Strictness::ALL), ..Options::default() };
        let planned = plan_with(&edits, &files, &options);
        assert_eq!(planned.outcomes.len(), edits.len());
        let failed = planned.outcomes.iter().any(|outcome| outcome.status == EditStatus::Failed);
        assert!(!failed || planned.changes.is_empty(), "half done: {text:?}");
    });
}

/// A file of lines that are easily mistaken for each other, with one of the endings files come with.
fn file(random: &mut Random) -> Vec<u8> {
    let ending = *random.pick(&["\n", "\n", "\n", "\r\n", "\r"]);
    let lines: Vec<String> = (0..1 + random.below(25)).map(|_| random.line()).collect();
    let mut text = lines.join(ending);
    if random.below(4) > 0 {
        text.push_str(ending);
    }
    if random.below(8) == 0 {
        text.insert(0, '\u{feff}');
    }
    text.into_bytes()
}

/// A hunk that changes something in the file, written by an author who is not always careful.
fn hunk(file: &[u8], random: &mut Random) -> Hunk {
    let text = String::from_utf8_lossy(file).into_owned();
    let lines: Vec<&str> = text
        .trim_start_matches('\u{feff}')
        .split(['\n', '\r'])
        .filter(|line| !line.is_empty() || !text.contains('\r'))
        .collect();
    let start = random.below(lines.len() + 1);
    let mut at = start;
    let mut hunk = Vec::new();
    while at < lines.len() && hunk.len() < 8 {
        let line = if random.below(6) == 0 { random.blurred(lines[at]) } else { lines[at].to_owned() };
        match random.below(5) {
            0 => hunk.push(HunkLine::Removed(line)),
            1 => hunk.push(HunkLine::Added(random.line())),
            _ => hunk.push(HunkLine::Context(line)),
        }
        at += usize::from(hunk.last().is_some_and(HunkLine::is_old));
        if random.below(6) == 0 {
            break;
        }
    }
    let line_hint = (random.below(2) == 0).then(|| (start + random.below(3)).max(1));
    Hunk { line_hint, ..Hunk::new(hunk, 1) }
}

fn snapshot(bytes: &[u8]) -> Snapshot {
    Snapshot { files: [("a".to_owned(), bytes.to_vec())].into(), ..Default::default() }
}

fn edit(hunks: Vec<Hunk>, base: Base) -> Edit {
    let operation = Operation::Patch { hunks, base };
    Edit { path: "a".to_owned(), operation, dialect: Dialect::Unified, line: 1 }
}

/// The result of a plan on the file `a`, when it changes it.
fn after(planned: &Plan) -> Option<Vec<u8>> {
    planned.changes.first().and_then(|change| change.after.clone())
}

#[test]
fn the_matcher_places_hunks_or_says_why_not() {
    fuzz("matcher", 4000, |random| {
        let before = file(random);
        let hunks: Vec<Hunk> = (0..1 + random.below(3)).map(|_| hunk(&before, random)).collect();
        let base = *random.pick(&[Base::Original, Base::Sequential]);
        let edits = [edit(hunks.clone(), base)];
        let options = Options { strictness: *random.pick(Strictness::ALL), ..Options::default() };
        let planned = plan_with(&edits, &snapshot(&before), &options);
        let outcome = &planned.outcomes[0];
        assert!(
            outcome.status != EditStatus::Failed
                || planned.diagnostics.iter().any(|finding| finding.hint.is_some())
        );
        let Some(changed) = after(&planned) else { return };
        if base == Base::Original {
            let certificate = &outcome.certificates[0];
            inverse::check_outside(&before, certificate, &changed);
            // The certificate of a hunk that was read otherwise than it is written is about the hunk as it was read.
            let read_otherwise =
                [" without ", "marked as new"].iter().any(|how| outcome.placement.contains(how));
            if !read_otherwise {
                assert_eq!(verify(&before, &hunks, certificate, &changed), Ok(()));
            }
        }
        inverse::check(&before, &changed);
        inverse::check_twice(&edits, outcome, &changed, &options);
    });
}

#[test]
fn a_utf_16_file_is_edited_like_its_utf_8_twin() {
    let encode = |text: &[u8], big_endian: bool| -> Vec<u8> {
        let text = String::from_utf8(text.to_vec()).expect("text");
        let units = std::iter::once(0xfeff).chain(text.trim_start_matches('\u{feff}').encode_utf16());
        units.flat_map(|unit: u16| if big_endian { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
    };
    fuzz("encoding", 1000, |random| {
        let mut text = file(random);
        if !text.starts_with("\u{feff}".as_bytes()) {
            text.splice(0..0, "\u{feff}".bytes());
        }
        let big_endian = random.below(2) == 0;
        let edits = [edit(vec![hunk(&text, random)], Base::Original)];
        let twin = plan(&edits, &snapshot(&text));
        let wide = plan(&edits, &snapshot(&encode(&text, big_endian)));
        assert_eq!(wide.outcomes, twin.outcomes);
        assert_eq!(after(&wide), after(&twin).map(|text| encode(&text, big_endian)));
    });
}

#[test]
fn a_merge_takes_both_sides_or_none() {
    fuzz("merge", 2000, |random| {
        let base = file(random);
        let change = |random: &mut Random| {
            let edits = [edit(vec![hunk(&base, random)], Base::Original)];
            after(&plan(&edits, &snapshot(&base))).unwrap_or_else(|| base.clone())
        };
        let (ours, theirs) = (change(random), change(random));
        assert_eq!(merge(&base, &ours, &base).as_deref(), Ok(&*ours));
        assert_eq!(merge(&base, &base, &theirs).as_deref(), Ok(&*theirs));
        assert_eq!(merge(&base, &ours, &ours).as_deref(), Ok(&*ours));
        let (one, other) = (merge(&base, &ours, &theirs), merge(&base, &theirs, &ours));
        assert_eq!(one.is_ok(), other.is_ok());
        if let (Ok(one), Ok(other)) = (one, other) {
            assert_eq!(String::from_utf8_lossy(&one), String::from_utf8_lossy(&other));
        }
        // Anything at all, also what is no text.
        let noise = damage::damaged(samples::FILE, random).into_bytes();
        drop(merge(&base, &noise, &theirs));
    });
}

/// Found by the target above: behind a blank line the file does not have, an insertion was made again and again.
#[test]
fn an_insertion_is_recognised_although_blank_lines_differ() {
    let lines = [
        HunkLine::Added("    a".to_owned()),
        HunkLine::Context("    return value;".to_owned()),
        HunkLine::Context("\tlet x = 1;  ".to_owned()),
        HunkLine::Context(String::new()),
    ];
    let edits = [edit(vec![Hunk::new(lines.to_vec(), 1)], Base::Original)];
    let once = after(&plan(&edits, &snapshot(b"a\n    return value;\n\tlet x = 1;\n"))).expect("placed");
    assert_eq!(String::from_utf8_lossy(&once), "a\n    a\n    return value;\n\tlet x = 1;\n");
    assert_eq!(after(&plan(&edits, &snapshot(&once))), None);
}

/// Found by the target above: a blank line was exchanged for another as well, and the last one was not in the file.
#[test]
fn an_insertion_is_recognised_although_a_blank_line_goes_with_it() {
    let lines = [
        HunkLine::Added("# note".to_owned()),
        HunkLine::Context("        ...".to_owned()),
        HunkLine::Context("\tlet x = 1;".to_owned()),
        HunkLine::Added("    ".to_owned()),
        HunkLine::Removed("        ".to_owned()),
        HunkLine::Context(String::new()),
    ];
    let edits = [edit(vec![Hunk::new(lines.to_vec(), 1)], Base::Original)];
    let once = after(&plan(&edits, &snapshot(b"a\n        ...\n\tlet x = 1;\n        \n"))).expect("placed");
    assert_eq!(String::from_utf8_lossy(&once), "a\n# note\n        ...\n\tlet x = 1;\n    \n");
    assert_eq!(after(&plan(&edits, &snapshot(&once))), None);
}

/// Found by the target above: a bracket alone was inserted, between lines that can be recognised.
#[test]
fn a_bracket_is_recognised_by_the_lines_around_it() {
    let lines = [
        HunkLine::Context("\t".to_owned()),
        HunkLine::Added("    }".to_owned()),
        HunkLine::Context("        note".to_owned()),
        HunkLine::Context("\ta".to_owned()),
        HunkLine::Context(String::new()),
    ];
    let edits = [edit(vec![Hunk::new(lines.to_vec(), 1)], Base::Original)];
    let once = after(&plan(&edits, &snapshot(b"b\n\t\n        note\n\ta\n"))).expect("placed");
    assert_eq!(String::from_utf8_lossy(&once), "b\n\t\n    }\n        note\n\ta\n");
    assert_eq!(after(&plan(&edits, &snapshot(&once))), None);
}

/// Found by the target above: the new line was indented as the file is already, the line below it was not.
#[test]
fn an_insertion_is_recognised_that_was_indented_like_the_file_already() {
    let lines =
        [HunkLine::Added("\tb".to_owned()), HunkLine::Context("    \u{201c}q\u{201d}: \u{2014}".to_owned())];
    let edits = [edit(vec![Hunk::new(lines.to_vec(), 1)], Base::Original)];
    let once =
        after(&plan(&edits, &snapshot("a\n\t\u{201c}q\u{201d}: \u{2014}\n".as_bytes()))).expect("placed");
    assert_eq!(String::from_utf8_lossy(&once), "a\n\tb\n\t\u{201c}q\u{201d}: \u{2014}\n");
    assert_eq!(after(&plan(&edits, &snapshot(&once))), None);
}

/// Found by the target above: of three blank lines the author saw two and adds one, and the file has one.
#[test]
fn blank_lines_come_only_where_the_others_are_as_the_author_says() {
    let blank = |line: fn(String) -> HunkLine| line(String::new());
    let note = HunkLine::Context("    return value;".to_owned());
    let lines = [note.clone(), blank(HunkLine::Added), blank(HunkLine::Context), blank(HunkLine::Context)];
    let edits = [edit(
        vec![Hunk::new([&[HunkLine::Context("a".to_owned())], &lines[..]].concat(), 1)],
        Base::Original,
    )];
    assert_eq!(after(&plan(&edits, &snapshot(b"a\n    return value;\n\n"))), None);
    let once = after(&plan(&edits, &snapshot(b"a\n    return value;\n\n\n"))).expect("placed");
    assert_eq!(String::from_utf8_lossy(&once), "a\n    return value;\n\n\n\n");
}

/// Found by the target above: a line that is put back as the last one, now without an ending, was taken for unchanged.
#[test]
fn a_line_that_becomes_the_last_one_loses_its_ending() {
    let reply = "--- a/a\n+++ b/a\n@@ -1,3 +1,2 @@\n a\n-b\n-c\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n";
    let edits = parse(reply, None).edits;
    assert_eq!(after(&plan(&edits, &snapshot(b"a\nb\nc"))).as_deref(), Some(&b"a\nb"[..]));
}

/// Found by the target above: a blank line was matched that holds a tab, and the new one beside it was matched next.
#[test]
fn an_insertion_among_blank_lines_is_recognised() {
    let lines = [
        HunkLine::Added("    }".to_owned()),
        HunkLine::Context(String::new()),
        HunkLine::Added(String::new()),
        HunkLine::Context("# note".to_owned()),
    ];
    let edits = [edit(vec![Hunk::new(lines.to_vec(), 1)], Base::Original)];
    let once = after(&plan(&edits, &snapshot(b"a\n\t\n# note\nb\n"))).expect("placed");
    assert_eq!(String::from_utf8_lossy(&once), "a\n    }\n\t\n\n# note\nb\n");
    assert_eq!(after(&plan(&edits, &snapshot(&once))), None);
}

/// Found by the target above: the first line was matched without regard to its tab, and then the copy of it below.
#[test]
fn a_copy_of_a_line_from_elsewhere_is_not_inserted_twice() {
    let lines = [
        HunkLine::Context("    # note".to_owned()),
        HunkLine::Added("    # note".to_owned()),
        HunkLine::Context("    c".to_owned()),
    ];
    let edits = [edit(vec![Hunk::new(lines.to_vec(), 1)], Base::Original)];
    let before = b"a\n\t# note\n    c\nb\n";
    let once = after(&plan(&edits, &snapshot(before))).unwrap_or(before.to_vec());
    let twice = after(&plan(&edits, &snapshot(&once))).unwrap_or(once.clone());
    assert_eq!(String::from_utf8_lossy(&twice), String::from_utf8_lossy(&once));
}
