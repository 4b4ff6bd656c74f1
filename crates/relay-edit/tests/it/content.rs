//! What every dialect takes for a directive, as content of every dialect: lines of the file, lines that go, lines that come.
//!
//! A reply must do what it says or nothing. Where a sign, a depth or a longer fence shows that such a line is content, it must
//! land.

use std::collections::BTreeMap;

use relay_edit::{Diagnostic, Plan, Reply, codes, parse, plan};

use crate::fuzz::damage::Random;
use crate::noise::directives::{DIRECTIVES, is_said};
use crate::noise::{self, FORMS, Intent, whole};
use crate::support::files;

/// Long enough for a whole file without some of its lines to be taken for the whole.
const FILE: &str = "\
first line
second line
third line
fourth line
fifth line
sixth line
seventh line
eighth line
ninth line
tenth line
eleventh line
twelfth line
thirteenth line
fourteenth line
fifteenth line
sixteenth line
seventeenth line
eighteenth line
nineteenth line
twentieth line
";

/// Where the directive is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Above,
    Removed,
    Added,
    Below,
}

/// How a reply ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Right,
    Refused,
    Wrong,
}

/// An edit that has a directive among its lines.
fn intent(directive: &str, indent: &str, role: Role) -> Intent {
    let mut lines: Vec<String> = FILE.lines().map(str::to_owned).collect();
    let content: Vec<String> = directive.lines().map(|line| format!("{indent}{line}")).collect();
    let mut added = vec!["new line".to_owned(), "another line".to_owned()];
    let (at, gone) = match role {
        Role::Above => (3, 3 + content.len()..4 + content.len()),
        Role::Removed => (3, 3..4 + content.len()),
        Role::Added => (0, 3..4),
        Role::Below => (4, 3..4),
    };
    if role == Role::Added {
        added.splice(1..1, content);
    } else {
        lines.splice(at..at, content);
    }
    Intent::exchanging(lines, gone, added, 3).expect("a change")
}

fn land(reply: &str, before: &str) -> (Reply, Plan) {
    let reply = parse(reply, None);
    let planned = plan(&reply.edits, &files(&[("a.txt", before), ("keep.txt", "keep\n")]));
    (reply, planned)
}

/// What becomes of an edit in one form; it must not be anything else than what is meant.
#[track_caller]
fn verdict(form: &str, directive: &str, indent: &str, role: Role) -> Verdict {
    let intent = intent(directive, indent, role);
    let text = |lines: &[String]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    let (before, after) = (text(&intent.before), text(&intent.after));
    let seed = directive.len() as u64;
    let reply = noise::written("a.txt", form, &intent, &mut Random::new(seed));
    let (parsed, planned) = land(&format!("I change this.\n\n{reply}\nThat is all.\n"), &before);
    if parsed.diagnostics.iter().chain(&planned.diagnostics).any(Diagnostic::is_error) {
        return Verdict::Refused;
    }
    let changes: Vec<(&str, Option<String>)> = planned
        .changes
        .iter()
        .map(|change| {
            let after = change.after.as_ref().map(|after| String::from_utf8_lossy(after).into_owned());
            (change.path.as_str(), after)
        })
        .collect();
    if changes == [("a.txt", Some(after))] {
        return Verdict::Right;
    }
    Verdict::Wrong
}

/// Whether a sign, or a depth that no marker of the form has, shows that a directive is content.
fn is_certain(form: &str, directive: &str, indent: &str, role: Role) -> bool {
    // The word that ends a here-document does so at any depth, and the tags of commands may be indented.
    let signed = form.contains("unified") || form.contains("patch") || form == "git-diff";
    let sections = form.starts_with("search") || matches!(form, "multi-search" | "edit-repl");
    signed && directive != "EOF"
        // Of a whole file, what goes is not in the reply.
        || form == "fenced-marked" && role != Role::Removed
        || !indent.is_empty() && (form == "hashline" || sections && directive != ":start_line:1")
}

#[test]
fn directives_are_content_where_they_are_content() {
    let mut scores: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    let mut wrong = Vec::new();
    for form in FORMS {
        for directive in DIRECTIVES {
            for indent in ["", " ", "    "] {
                for role in [Role::Above, Role::Removed, Role::Added, Role::Below] {
                    if role == Role::Added && is_said(form, directive, indent) {
                        continue;
                    }
                    let verdict = verdict(form, directive, indent, role);
                    scores.entry(form).or_default()[verdict as usize] += 1;
                    let is_refused = verdict == Verdict::Refused && is_certain(form, directive, indent, role);
                    if verdict == Verdict::Wrong || is_refused {
                        wrong.push(format!("{form} {role:?} {indent:?} {directive:?}: {verdict:?}"));
                    }
                }
            }
        }
    }
    println!("{:>6} {:>7} {:>5}", "right", "refused", "WRONG");
    scores
        .iter()
        .for_each(|(form, [right, refused, wrong])| println!("{right:>6} {refused:>7} {wrong:>5}  {form}"));
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// `12ab|text` is a line as it is shown with its anchor, not a line to be written.
#[test]
fn anchors_that_were_copied_are_written_in_no_dialect() {
    for form in FORMS {
        let lines: Vec<String> = FILE.lines().map(str::to_owned).collect();
        for (added, plain) in [
            (&["12ab|    y = 3"][..], None),
            (&["12ab|    y = 3", "13cd|    z = 4"], Some("    y = 3\n    z = 4\n")),
        ] {
            let new = added.iter().map(|line| (*line).to_owned()).collect();
            let intent = Intent::exchanging(lines.clone(), 3..4, new, 3).expect("a change");
            let reply = noise::written("a.txt", form, &intent, &mut Random::new(1));
            let (parsed, planned) = land(&reply, FILE);
            let findings = || parsed.diagnostics.iter().chain(&planned.diagnostics);
            let found = planned.changes.first().and_then(|change| change.after.as_deref());
            match plain.filter(|_| !whole(form) && *form != "edit-file") {
                Some(plain) => {
                    let after = FILE.replace("fourth line\n", plain);
                    assert_eq!(
                        found.map(String::from_utf8_lossy).as_deref(),
                        Some(after.as_str()),
                        "{reply}"
                    );
                    assert!(findings().any(|finding| finding.code == codes::ANCHORS_TAKEN_OFF), "{reply}");
                }
                None => {
                    let is_plain = |text: &[u8]| !String::from_utf8_lossy(text).contains('|');
                    assert!(found.is_none_or(is_plain), "{reply}");
                    let codes = [codes::BAD_ANCHOR, codes::ANCHORS_TAKEN_OFF];
                    assert!(findings().any(|finding| codes.contains(&finding.code)), "{reply}");
                }
            }
        }
    }
}
