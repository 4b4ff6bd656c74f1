//! Sections that build on each other: the second one takes up what the first one wrote.

use relay_edit::{Diagnostic, codes, parse, plan};

use crate::fuzz::damage::Random;
use crate::support::{check, check_fails, files};

fn section(old: &[String], new: &[String]) -> String {
    format!("a.txt\n<<<<<<< SEARCH\n{}=======\n{}>>>>>>> REPLACE\n", text(old), text(new))
}

fn text(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn places(file: &[String], old: &[String]) -> usize {
    file.windows(old.len()).filter(|window| *window == old).count()
}

const LINES: &[&str] =
    &["alpha(one)", "beta(two)", "gamma(three)", "delta(four)", "omega(five)", "    kappa(six)", "}", ""];

/// Changes one of some lines, or puts one before it.
fn changed(lines: &[String], random: &mut Random) -> Vec<String> {
    let mut changed = lines.to_vec();
    let at = random.below(lines.len());
    match random.below(3) {
        0 => changed[at] = format!("written({})", random.below(1000)),
        1 => changed.insert(at, (*random.pick(LINES)).to_owned()),
        _ => changed[at] = (*random.pick(LINES)).to_owned(),
    }
    changed
}

/// Two sections, the second about lines that only the first one made; `None` where a seed makes none.
fn sequence(random: &mut Random) -> Option<(String, String, String)> {
    let file: Vec<String> = (0..4 + random.below(8)).map(|_| (*random.pick(LINES)).to_owned()).collect();
    let start = random.below(file.len() - 1);
    let end = start + 1 + random.below(3.min(file.len() - start));
    let first = &file[start..end];
    let written = changed(first, random);
    let between: Vec<String> = file[..start].iter().chain(&written).chain(&file[end..]).cloned().collect();
    let from = start + random.below(written.len());
    let to = from + 1 + random.below((start + written.len() - from).min(3));
    let second = &between[from..to];
    let last = changed(second, random);
    let is_told = second.iter().any(|line| line.chars().any(char::is_alphanumeric));
    let is_one = places(&file, first) == 1 && places(&between, second) == 1 && places(&file, second) == 0;
    if !is_one || !is_told || written == first || last == second {
        return None;
    }
    let after: Vec<String> = between[..from].iter().chain(&last).chain(&between[to..]).cloned().collect();
    let before = text(&file);
    // The first one must land where it is meant.
    let alone = plan(&parse(&section(first, &written), None).edits, &files(&[("a.txt", &before)]));
    let landed = alone.changes.first().and_then(|change| change.after.clone());
    let reply = format!("{}{}", section(first, &written), section(second, &last));
    (landed == Some(text(&between).into_bytes())).then(|| (before, reply, text(&after)))
}

#[test]
fn a_section_may_build_on_the_previous_one() {
    let (mut right, mut refused) = (0, 0);
    for seed in 0..4_000 {
        let Some((before, reply, after)) = sequence(&mut Random::new(seed)) else { continue };
        let planned = plan(&parse(&reply, None).edits, &files(&[("a.txt", &before)]));
        let mut errors = planned.diagnostics.iter().filter(|finding| Diagnostic::is_error(finding));
        if let Some(error) = errors.next() {
            assert!(!error.message.contains("applied already"), "{before}{reply}{error:#?}");
            refused += 1;
            continue;
        }
        let found = planned
            .changes
            .first()
            .map_or(before.as_bytes(), |change| change.after.as_deref().expect("still there"));
        assert_eq!(String::from_utf8_lossy(found), after, "{before}{reply}");
        right += 1;
    }
    // New lines that are there already, right above or below, are in doubt all the same.
    assert!(right > 1_000 && refused * 10 < right, "{right} right, {refused} refused");
}

/// The result is between the same lines elsewhere, which says nothing about lines that the reply has just written.
#[test]
fn an_edit_just_written_is_not_applied_elsewhere() {
    let before = "begin\nold\nend\n\nbegin\nnew\nend\n";
    let sections = [("old", "middle"), ("begin\nmiddle\nend", "begin\nnew\nend")];
    let reply: String = sections
        .iter()
        .map(|(old, new)| format!("a.txt\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n"))
        .collect();
    let after = "begin\nnew\nend\n\nbegin\nnew\nend\n";
    check(before, &reply, after);
    let blocks = reply
        .replace("<<<<<<< SEARCH", "««« EDIT")
        .replace("=======", "═══════ REPL")
        .replace(">>>>>>> REPLACE", "»»» EDIT END");
    check(before, &blocks, after);
    let diffs = "--- a/a.txt\n+++ b/a.txt\n@@\n-old\n+middle\n\nThen:\n\n--- a/a.txt\n+++ b/a.txt\n@@\n begin\n-middle\n+new\n end\n";
    check(before, diffs, after);
    // Alone, it may well be.
    let alone = "a.txt\n<<<<<<< SEARCH\nbegin\nold\nend\n=======\nbegin\nnew\nend\n>>>>>>> REPLACE\n";
    check_fails(&[("a.txt", before)], alone, codes::AMBIGUOUS);
}

#[test]
fn two_versions_of_one_change_are_refused() {
    let before = "if x:\n    foo()\nend\n";
    let diff = |one: &str, other: &str| {
        format!("```diff // {{a.txt}} new-unified\n@@\n     foo()\n+{one}\n@@\n     foo()\n+{other}\n```\n")
    };
    let sections = |one: &str, other: &str, path: &str| {
        let section = |new: &str| {
            format!("{path}<<<<<<< SEARCH\n    foo()\n=======\n    foo()\n{new}\n>>>>>>> REPLACE\n")
        };
        format!("{}{}", section(one), section(other))
    };
    let multi = |one: &str, other: &str| {
        format!("```text // {{a.txt}} multi-search-replace\n{}```\n", sections(one, other, ""))
    };
    let patch = |one: &str, other: &str| {
        format!(
            "*** Begin Patch\n*** Update File: a.txt\n@@\n     foo()\n+{one}\n@@\n     foo()\n+{other}\n*** End Patch\n"
        )
    };
    for (one, other) in [("    bar()", "    bar( )"), ("    bar()", "  bar()"), ("    bar()", "    bar() ")] {
        for reply in [diff(one, other), patch(one, other), multi(one, other), sections(one, other, "a.txt\n")]
        {
            check_fails(&[("a.txt", before)], &reply, codes::OVERLAP);
        }
    }
    // The same one twice is one change.
    let same = "    bar()";
    for reply in [diff(same, same), patch(same, same), multi(same, same), sections(same, same, "a.txt\n")] {
        check(before, &reply, "if x:\n    foo()\n    bar()\nend\n");
    }
    // At two depths they are two places.
    let file = "a:\n  foo()\nb:\n    foo()\n";
    let both = "a.txt\n<<<<<<< SEARCH\na:\n  foo()\n=======\na:\n  bar()\n>>>>>>> REPLACE\na.txt\n<<<<<<< SEARCH\nb:\n    foo()\n=======\nb:\n    bar()\n>>>>>>> REPLACE\n";
    check(file, both, "a:\n  bar()\nb:\n    bar()\n");
}
