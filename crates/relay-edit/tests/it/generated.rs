//! Generated cases for every form an edit is written in, counted: what they come to must be exactly what was meant.
//!
//! Two kinds: true edits of real files, of which at least 97 of 100 must land and none wrongly, and properties of the
//! dialects that name lines by number, whose edits must never hit other lines in a file that changed meanwhile.

use proptest::prelude::*;
use relay_edit::anchors::LineHash;
use relay_edit::{Change, Dialect, Options, Plan, Snapshot, parse, plan, plan_with, render};

use crate::noise::{self, Verdict};

/// Code as it looks in practice: mostly different lines, some brackets and blanks.
fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => "    [a-z]{3,9}\\([a-z]{1,5}\\);",
        3 => "let [a-z]{3,9} = [0-9]{1,3};",
        1 => Just("}".to_owned()),
        1 => Just(String::new()),
        1 => "\t# [a-z ]{3,20}",
    ]
}

fn lines(range: std::ops::Range<usize>) -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(line(), range)
}

fn text(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn snapshot(content: &str) -> Snapshot {
    Snapshot { files: [("src/a.rs".to_owned(), content.as_bytes().to_vec())].into(), ..Default::default() }
}

/// What a plan makes of the file; `None` when it was refused.
fn result(plan: &Plan, before: &str) -> Option<String> {
    if plan.diagnostics.iter().any(relay_edit::Diagnostic::is_error) {
        return None;
    }
    let after =
        plan.changes.first().map_or(before.as_bytes(), |change| change.after.as_deref().unwrap_or_default());
    Some(String::from_utf8_lossy(after).into_owned())
}

/// A range of lines, both ends included, and what shall stand there.
fn replacement() -> impl Strategy<Value = (Vec<String>, prop::sample::Index, usize, Vec<String>)> {
    (lines(4..40), any::<prop::sample::Index>(), 1..5_usize, lines(1..4))
}

fn spliced(before: &[String], first: usize, last: usize, new: &[String]) -> String {
    let all: Vec<String> = before[..first].iter().chain(new).chain(&before[last + 1..]).cloned().collect();
    text(&all)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn edit_file_commands_replace_exactly_their_lines((before, at, count, new) in replacement()) {
        let first = at.index(before.len());
        let last = (first + count - 1).min(before.len() - 1);
        let reply = format!("[EDIT_FILE path=\"src/a.rs\" start_line=\"{}\" end_line=\"{}\"]\n{}[/EDIT_FILE]\n", first + 1, last + 1, text(&new));
        let content = text(&before);
        let planned = plan(&parse(&reply, None).edits, &snapshot(&content));
        prop_assert_eq!(result(&planned, &content), Some(spliced(&before, first, last, &new)));
        prop_assert!(planned.outcomes[0].needs_review || planned.changes.is_empty());
    }

    #[test]
    fn hashline_ranges_replace_exactly_their_lines((before, at, count, new) in replacement()) {
        let first = at.index(before.len());
        let last = (first + count - 1).min(before.len() - 1);
        let anchor = |line: usize| format!("{}{}", line + 1, LineHash::of(before[line].as_bytes()));
        // A range that repeats its neighbours is corrected, and told so; that is another test's matter.
        let repeats = first.checked_sub(1).is_some_and(|above| new.first() == before.get(above)) || new.last() == before.get(last + 1);
        let blank_tail = new.last().is_some_and(String::is_empty);
        if repeats || blank_tail { return Ok(()) }
        let reply = format!("§src/a.rs\n≔{}..{}\n{}", anchor(first), anchor(last), text(&new));
        let content = text(&before);
        let planned = plan(&parse(&reply, None).edits, &snapshot(&content));
        prop_assert_eq!(result(&planned, &content), Some(spliced(&before, first, last, &new)));
    }

    #[test]
    fn a_stale_hashline_edit_is_merged_or_refused_and_never_misplaced((before, at, count, new) in replacement(), drift in prop::collection::vec("// drift [a-z]{8,12}", 1..4), where_to in any::<prop::sample::Index>()) {
        let first = at.index(before.len());
        let last = (first + count - 1).min(before.len() - 1);
        let anchor = |line: usize| format!("{}{}", line + 1, LineHash::of(before[line].as_bytes()));
        let reply = format!("§src/a.rs\n≔{}..{}\n{}", anchor(first), anchor(last), text(&new));
        let edits = parse(&reply, None).edits;
        // Another program added lines to the file after it was read.
        let drift_at = where_to.index(before.len() + 1);
        let now: Vec<String> = before[..drift_at].iter().chain(&drift).chain(&before[drift_at..]).cloned().collect();
        let options = Options { views: [("src/a.rs".to_owned(), text(&before).into_bytes())].into(), ..Options::default() };
        let planned = plan_with(&edits, &snapshot(&text(&now)), &options);
        let alone = plan(&edits, &snapshot(&text(&before)));
        let (Some(found), Some(meant)) = (result(&planned, &text(&now)), result(&alone, &text(&before))) else { return Ok(()) };
        // Without the lines that came meanwhile, the result is what was meant.
        let mut remaining: Vec<&str> = found.lines().collect();
        let drift_lines: Vec<&str> = drift.iter().map(String::as_str).collect();
        let removable = (0..=remaining.len().saturating_sub(drift.len())).any(|start| {
            remaining.get(start..start + drift.len()) == Some(&drift_lines[..]) && {
                let without: Vec<&str> = remaining[..start].iter().chain(&remaining[start + drift.len()..]).copied().collect();
                without == meant.lines().collect::<Vec<_>>()
            }
        });
        remaining.clear();
        prop_assert!(removable, "{found:?} {meant:?}");
    }

    #[test]
    fn every_dialect_says_an_ordinary_change_exactly((before, at, count, new) in replacement()) {
        let first = at.index(before.len());
        let last = (first + count - 1).min(before.len() - 1);
        let (old, wanted) = (text(&before), spliced(&before, first, last, &new));
        // Tabs that come into a file of spaces are told from a slip only by a line that shows them, and so are spaces in one of tabs.
        let of_tabs = before.iter().filter(|line| line.starts_with([' ', '\t'])).all(|line| line.starts_with('\t'));
        let foreign = |line: &String| line.starts_with('\t') || of_tabs && line.starts_with(' ');
        if old == wanted || new.iter().any(foreign) { return Ok(()) }
        let change = Change { path: "src/a.rs".to_owned(), before: Some(old.into_bytes()), after: Some(wanted.into_bytes()), renamed_from: None, executable: None };
        for dialect in [Dialect::Fenced, Dialect::Unified] {
            // `render` reads its own text back and compares the bytes.
            let told = render(std::slice::from_ref(&change), dialect);
            let refused_by_rule = change.after.as_ref().is_some_and(Vec::is_empty);
            prop_assert!(told.is_ok() || refused_by_rule, "{:?}: {:?}", dialect, told);
        }
    }
}

/// What must come of generated edits in one form.
#[derive(Debug, Default)]
struct Score {
    cases: usize,
    right: usize,
    wrong: Vec<u64>,
    half_done: Vec<u64>,
}

/// How many edits are generated in each form.
const CASES: usize = 150;

/// Generates true edits of real files in one form and counts what comes of them.
fn score(form: &'static str) -> Score {
    let mut score = Score::default();
    for seed in 0.. {
        if score.cases == CASES {
            break;
        }
        let Some(case) = noise::clean(form, seed) else { continue };
        score.cases += 1;
        match case.verdict() {
            Verdict::Right => score.right += 1,
            Verdict::Wrong => score.wrong.push(seed),
            Verdict::Refused if case.is_half_done() => score.half_done.push(seed),
            Verdict::Refused => {}
        }
    }
    score
}

#[test]
fn every_form_says_true_edits_of_real_files() {
    for form in noise::FORMS {
        let score = score(form);
        println!("{form:>20} {} of {} right", score.right, score.cases);
        assert!(score.wrong.is_empty() && score.half_done.is_empty(), "{form}: {score:?}");
        // Whole content that drops a stretch of a file is refused, also where its author means it.
        let least =
            if form.contains("whole") || matches!(*form, "create-file" | "fenced-marked") { 90 } else { 97 };
        assert!(score.cases >= 100 && score.right * 100 >= score.cases * least, "{form}: {score:?}");
    }
}

/// A whole file comes, goes or gets another name, as the dialects say it.
fn file_operation() -> impl Strategy<Value = (&'static str, String, Option<String>)> {
    (lines(0..12), 0..6_usize).prop_map(|(lines, kind)| {
        let content = format!("use a;\n{}", text(&lines));
        let fenced = |info: &str, body: &str| format!("````{info}\n{body}````\n");
        match kind {
            0 => ("src/a.rs", fenced("rust // {src/a.rs}", "//TODO: delete this file\n"), None),
            1 => ("src/a.rs", "[DELETE_FILE path=\"src/a.rs\"]\n".to_owned(), None),
            2 => ("src/new.rs", fenced("rust // {src/new.rs}", &content), Some(content)),
            3 => (
                "src/new.rs",
                format!("[CREATE_FILE path=\"src/new.rs\"]\n{content}[/CREATE_FILE]\n"),
                Some(content),
            ),
            4 => ("src/new.rs", format!("src/new.rs\n{}", fenced("rust", &content)), Some(content)),
            _ => (
                "src/b.rs",
                fenced("json // rename-file", "{\"from\": \"src/a.rs\", \"to\": \"src/b.rs\"}\n"),
                Some("old\n".to_owned()),
            ),
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn whole_files_are_created_deleted_and_renamed((path, reply, after) in file_operation()) {
        let parsed = parse(&reply, None);
        let planned = plan(&parsed.edits, &snapshot("old\n"));
        prop_assert!(!parsed.diagnostics.iter().chain(&planned.diagnostics).any(relay_edit::Diagnostic::is_error), "{reply}");
        let change = planned.changes.iter().find(|change| change.path == path);
        let found = change.map(|change| change.after.clone().map(|bytes| String::from_utf8_lossy(&bytes).trim_end().to_owned()));
        prop_assert_eq!(found, Some(after.map(|text| text.trim_end().to_owned())), "{}", reply);
    }
}
