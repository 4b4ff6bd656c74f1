//! Chat replies that mix forms of edits, blocks that are only shown, and damage: what lands is right, and a reply of which
//! something cannot land does not land at all.
//!
//! Several times as many cases when `RELAY_LONG_TESTS=yes`, from other seeds each time.

mod forms;
mod project;

use relay_edit::{Class, account, parse, plan};

use crate::fuzz::damage::Random;
use crate::support::files;
use forms::{Change, DAMAGES, DISTRACTORS, FORMS, cut_whole, misleading, second_version};
use project::Project;

/// What is done to a reply so that it must not land.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Sound,
    Damaged,
    /// Changed code of another file is under words that make it look like something else.
    Misleading,
    /// Something is sent in two versions.
    Twice,
    Partial,
}

/// A reply, the files before it and, where it is sound, after it.
struct Case {
    kind: Kind,
    reply: String,
    changes: Vec<Change>,
}

fn case(random: &mut Random) -> Case {
    let bad = [Kind::Damaged, Kind::Misleading, Kind::Twice, Kind::Partial];
    let kind = if random.below(5) < 2 { Kind::Sound } else { *random.pick(&bad) };
    let count = 1 + random.below(3);
    let mut changes: Vec<Change> = (0..count).map(|at| Change::new(at, random)).collect();
    let mut parts: Vec<String> = changes.iter().map(|change| random.pick(FORMS)(change, random)).collect();
    if kind == Kind::Partial {
        let last = &changes[count - 1];
        parts[count - 1] = cut_whole(last, random);
    }
    for _ in 0..random.below(3) {
        let change = &changes[random.below(count)];
        let shown = random.pick(DISTRACTORS)(change, random);
        parts.insert(random.below(parts.len() + 1), shown);
    }
    match kind {
        Kind::Damaged => parts.push(random.pick(DAMAGES)(&changes[random.below(count)], random)),
        Kind::Twice => parts.push(second_version(&changes[random.below(count)], random)),
        Kind::Misleading => {
            let hidden = Change::new(count, random);
            parts.insert(random.below(parts.len() + 1), misleading(&hidden, random));
            changes.push(hidden);
        }
        Kind::Sound | Kind::Partial => {}
    }
    let opening = *random.pick(&["Sure!", "Good catch.", "Here is what I would change.", ""]);
    let closing = *random.pick(&["", "Let me know if you have questions!", "**Summary**\n\n- fixed the bug"]);
    Case { kind, reply: format!("{opening}\n\n{}\n\n{closing}\n", parts.join("\n\n")), changes }
}

/// What the files become; `None` when the reply is refused.
fn landed(case: &Case) -> Option<Vec<String>> {
    let before: Vec<(&str, &str)> =
        case.changes.iter().map(|change| (change.path.as_str(), change.before.as_str())).collect();
    let mut reply = parse(&case.reply, None);
    let content =
        |path: &str| before.iter().find(|(name, _)| *name == path).map(|(_, text)| text.as_bytes().to_vec());
    reply.read_whole_files(content);
    // The engine looks for the file of such an edit, by its old lines; here those that have any also name it.
    if reply.edits.iter().any(|edit| edit.path.is_empty()) {
        return None;
    }
    let planned = plan(&reply.edits, &files(&before));
    let is_refused =
        |findings: &[relay_edit::Diagnostic]| findings.iter().any(relay_edit::Diagnostic::is_error);
    if is_refused(&reply.diagnostics) || is_refused(&planned.diagnostics) || reply.edits.is_empty() {
        return None;
    }
    let project = Project::new(&before, &planned);
    let blocks = account(&reply.passages, &reply.edits, &project);
    if blocks.iter().any(|block| block.class == Class::Unclear) {
        return None;
    }
    Some(before.iter().map(|(path, _)| project.content(path)).collect())
}

#[test]
fn mixed_replies_land_rightly_or_not_at_all() {
    let long = std::env::var("RELAY_LONG_TESTS").is_ok_and(|value| value == "yes");
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("a clock");
    let (seed, count) = if long { (now.as_secs(), 9000) } else { (16, 1500) };
    let mut random = Random::new(seed);
    let (mut sound, mut whole) = (0, 0);
    for at in 0..count {
        let case = case(&mut random);
        let found = landed(&case);
        sound += usize::from(case.kind == Kind::Sound);
        let Some(found) = found else { continue };
        let expected: Vec<String> = case.changes.iter().map(|change| change.after.clone()).collect();
        assert_eq!(case.kind, Kind::Sound, "seed {seed}, case {at} landed:\n{}", case.reply);
        assert_eq!(found, expected, "seed {seed}, case {at}:\n{}", case.reply);
        whole += 1;
    }
    assert!(whole * 100 >= sound * 85, "only {whole} of {sound} sound replies landed");
}
