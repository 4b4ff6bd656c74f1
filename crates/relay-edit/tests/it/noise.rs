//! True edits of real files, written in every dialect and damaged as models do: what comes of each must be what was
//! meant, or nothing at all.
//!
//! The true result is known because the edit is made first and only then written down. A short sample always, two
//! hundred times as many when `RELAY_LONG_TESTS=yes`, then also on the sources of this crate. The score is printed by
//! `cargo test -p relay-edit --test it -- noise --nocapture`; `RELAY_NOISE_CASES` sets the number of cases.

mod change;
mod damage;
pub mod directives;
mod marks;
mod write;

use std::collections::BTreeMap;

use relay_edit::{
    Diagnostic, EditStatus, FileDiff, Options, Plan, Reply, Snapshot, diff, parse, plan_with, text_of,
};

use crate::fuzz::damage::Random;
use crate::support::Encoding;
pub use change::Intent;
use damage::{CUT_OFF, DAMAGES, Damage, STALE, Wanted, suits_literal};
use write::Numbers;
pub use write::{FORMS, literal, whole};

const FILES: &[(&str, &str)] = &[
    ("src/shop.py", include_str!("noise/files/shop.py")),
    ("deploy.yml", include_str!("noise/files/deploy.yml")),
    ("Makefile", include_str!("noise/files/Makefile")),
    ("server.go", include_str!("noise/files/server.go")),
    ("src/cart.ts", include_str!("noise/files/cart.ts")),
    ("page.html", include_str!("noise/files/page.html")),
    ("tools.lua", include_str!("noise/files/tools.lua")),
];

/// The sources of this crate change, so they are for the long run only: a short one must not depend on them.
const OWN: &[(&str, &str)] = &[
    ("src/plan.rs", include_str!("../../src/plan.rs")),
    ("src/align.rs", include_str!("../../src/align.rs")),
    ("src/dialect/unified.rs", include_str!("../../src/dialect/unified.rs")),
    ("src/matcher/key.rs", include_str!("../../src/matcher/key.rs")),
    ("src/prompt/fenced.md", include_str!("../../src/prompt/fenced.md")),
];

/// One generated case.
#[derive(Debug)]
pub struct Case {
    path: &'static str,
    form: &'static str,
    damage: &'static str,
    before: Vec<u8>,
    after: Vec<u8>,
    /// What the author read, where that is known.
    view: Option<Vec<u8>>,
    reply: String,
    wanted: Wanted,
}

/// How a case ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    Right,
    Refused,
    Wrong,
}

fn case(files: &[(&'static str, &str)], random: &mut Random) -> Option<Case> {
    let form = *random.pick(FORMS);
    let damage = *random.pick(DAMAGES);
    let numbers = Numbers {
        shift: if random.below(4) == 0 { 1 + random.below(30) } else { 0 },
        // Lines that were never there look like lines that were cut off.
        miscounted: random.below(6) == 0 && damage.0 != CUT_OFF,
    };
    case_of(files, form, damage, numbers, random)
}

/// An edit written down with care.
pub fn written(path: &str, form: &str, intent: &Intent, random: &mut Random) -> String {
    write::written(path, form, intent, Numbers::default(), random)
}

/// A true edit in one form, written with care; `None` where this seed makes none.
pub fn clean(form: &'static str, seed: u64) -> Option<Case> {
    case_of(FILES, form, *DAMAGES.first()?, Numbers::default(), &mut Random::new(seed))
}

fn case_of(
    files: &[(&'static str, &str)],
    form: &'static str,
    (damage, break_it): Damage,
    numbers: Numbers,
    random: &mut Random,
) -> Option<Case> {
    let (path, text) = *random.pick(files);
    if write::literal(form) && !suits_literal(damage) {
        return None;
    }
    let context = if damage == "an elision" { 6 } else { *random.pick(&[1, 2, 3, 3, 3, 5]) };
    let mut intent = Intent::of(text.lines().map(str::to_owned).collect(), random, context)?;
    let wanted = break_it(&mut intent, form, random)?;
    // Brackets and blank lines alone are told apart by nothing but their number.
    let plain = damage == "clean" && numbers == Numbers::default();
    if !plain && !write::literal(form) && !intent.has_identity() {
        return None;
    }
    // A wrong number that happens to name another copy of the block says something else, as clearly as can be.
    if intent.misleads(numbers.shift) {
        return None;
    }
    // The dialect says that such lines are left out, with a warning.
    if form == "hashline" && intent.repeats_neighbours() {
        return None;
    }
    let body = write::written(path, form, &intent, numbers, random);
    let mut reply = match random.below(3) {
        0 => body,
        1 => format!("I will change this.\n\n{body}\nThat is all.\n"),
        _ => format!("First this:\n\n```sh\nmake all\n```\n\nThen:\n\n{body}"),
    };
    if damage == CUT_OFF {
        let whole = reply.lines().count();
        reply.truncate(reply.floor_char_boundary(random.below(reply.len())));
        // Nothing shows that the last line of a bare diff goes on.
        if matches!(form, "unified-bare" | "git-diff") && reply.lines().count() + 1 >= whole {
            return None;
        }
    }
    let ending = *random.pick(&["\n", "\n", "\n", "\n", "\r\n", "\r\n", "\r"]);
    let last = if random.below(6) == 0 { "" } else { ending };
    let encoding = *random.pick(Encoding::ALL);
    let join = |lines: &[String]| {
        let text = if lines.is_empty() { String::new() } else { lines.join(ending) + last };
        encoding.encode(text.as_bytes())
    };
    // What quotes no old lines can only be told from what has changed since by what its author saw.
    let stale = intent.seen != intent.before && write::literal(form);
    let seen = stale || random.below(4) == 0;
    // A line that only moves can be merged with what somebody else made of it.
    if seen && damage == STALE && intent.moves_lines() {
        return None;
    }
    let view = seen.then(|| join(&intent.seen));
    let (before, after) = (join(&intent.before), join(&intent.after));
    Some(Case { path, form, damage, before, after, view, reply, wanted })
}

impl Case {
    fn planned(&self) -> (Reply, Plan) {
        let named = |bytes: &Vec<u8>| (self.path.to_owned(), bytes.clone());
        let files = [named(&self.before)].into();
        let views = self.view.iter().map(named).collect();
        let reply = parse(&self.reply, None);
        let options = Options { views, ..Options::default() };
        let planned = plan_with(&reply.edits, &Snapshot { files, ..Snapshot::default() }, &options);
        (reply, planned)
    }

    /// Whether some edits were planned although others failed.
    pub fn is_half_done(&self) -> bool {
        let (_, planned) = self.planned();
        let failed = planned.outcomes.iter().any(|outcome| outcome.status == EditStatus::Failed);
        failed && !planned.changes.is_empty()
    }

    /// Whether the reply is recognised as done once it has landed; `None` where it did not land, or leaves nothing that could be
    /// recognised: a deletion.
    pub fn is_recognised(&self) -> Option<bool> {
        let (reply, planned) = self.planned();
        let only_deletes = |edit: &relay_edit::Edit| match &edit.operation {
            relay_edit::Operation::Patch { hunks, .. } => hunks.iter().any(|hunk| !hunk.adds()),
            _ => true,
        };
        let [only] = planned.changes.as_slice() else { return None };
        if reply.edits.iter().any(only_deletes) {
            return None;
        }
        let files = [(self.path.to_owned(), only.after.clone()?)].into();
        let again = plan_with(&reply.edits, &Snapshot { files, ..Snapshot::default() }, &Options::default());
        assert_eq!(again.changes, [], "{self:?}");
        Some(again.outcomes.iter().all(|outcome| outcome.status == EditStatus::Unchanged))
    }

    pub fn verdict(&self) -> Verdict {
        let (reply, planned) = self.planned();
        if reply.diagnostics.iter().chain(&planned.diagnostics).any(Diagnostic::is_error) {
            return if self.wanted == Wanted::Nothing { Verdict::Right } else { Verdict::Refused };
        }
        // What a person must look at before it lands is not silently wrong.
        let wrong = match planned.outcomes.iter().any(|outcome| outcome.needs_review) {
            true => Verdict::Refused,
            false => Verdict::Wrong,
        };
        // Whether the last line ends is not a matter of where an edit goes.
        let plain = |bytes: &[u8]| text_of(bytes).trim_ascii_end().to_vec();
        match planned.changes.as_slice() {
            [] if self.wanted == Wanted::Nothing => Verdict::Right,
            [] => Verdict::Refused,
            [only] if only.path == self.path => {
                let found = only.after.as_deref().unwrap_or_default();
                if plain(found) == plain(&self.after) { Verdict::Right } else { wrong }
            }
            _ => wrong,
        }
    }
}

#[test]
fn damaged_edits_land_where_they_were_meant_or_nowhere() {
    let long = std::env::var("RELAY_LONG_TESTS").is_ok_and(|value| value == "yes");
    let (cases, files) = if long { (400_000, [FILES, OWN].concat()) } else { (3_000, FILES.to_vec()) };
    let asked = std::env::var("RELAY_NOISE_CASES").ok().and_then(|cases| cases.parse().ok());
    let cases: u64 = asked.unwrap_or(cases);
    let mut scores: BTreeMap<(bool, &str), [usize; 3]> = BTreeMap::new();
    let mut wrong = Vec::new();
    for seed in 0..cases {
        let Some(case) = case(&files, &mut Random::new(seed)) else { continue };
        let verdict = case.verdict();
        scores.entry((true, case.damage)).or_default()[verdict as usize] += 1;
        scores.entry((false, case.form)).or_default()[verdict as usize] += 1;
        if verdict == Verdict::Wrong {
            wrong.push((seed, case));
        }
    }
    println!("{:>6} {:>7} {:>5}", "right", "refused", "WRONG");
    for ((_, name), [right, refused, wrong]) in &scores {
        println!("{right:>6} {refused:>7} {wrong:>5}  {name}");
    }
    for (seed, case) in wrong.iter().take(200) {
        println!(
            "== seed {seed}: {} as {}\n{}\n-- instead of what was meant:",
            case.damage, case.form, case.reply
        );
        let found =
            case.planned().1.changes.first().and_then(|change| change.after.clone()).unwrap_or_default();
        if let FileDiff::Text(hunks) = diff(&text_of(&case.after), &text_of(&found)) {
            hunks
                .iter()
                .flat_map(|hunk| &hunk.lines)
                .for_each(|line| println!("{:?} {:?}", line.kind, line.text));
        }
    }
    assert!(wrong.is_empty(), "{} of {cases} edits landed where they were not meant", wrong.len());
}
