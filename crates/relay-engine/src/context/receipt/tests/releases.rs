//! Drift between pack and paste, from real histories: 500 replies meet what people changed between two releases.
//!
//! `fixtures/releases` holds source files of published packages as diffs from one release to the next, with the whole
//! file as context. Every separate place of such a diff is a real change; some of them become the reply, others what
//! happened to the file meanwhile. In half of the cases both are within five lines of each other.
//! `RELAY_LONG_TESTS=yes` tries every case.

use std::path::Path;

use super::history::{Case, Hunk, Judged, judge};

/// How near is near, in unchanged lines between a change of the reply and one of another program.
const NEAR_LINES: usize = 5;

/// How many cases there are of either kind, near and far.
const CASES: usize = 250;

/// One file, and what the next release changed in it.
struct Release {
    name: String,
    file: String,
    text: String,
    places: Vec<Hunk>,
}

impl Release {
    /// Reads a diff whose context is the whole file.
    fn read(name: &str, diff: &str) -> Self {
        let mut lines = diff.lines();
        let (package, file) = lines.next().unwrap().trim_start_matches("--- ").split_once('/').unwrap();
        let mut release =
            Self { name: name.to_owned(), file: file.to_owned(), text: String::new(), places: Vec::new() };
        assert!(name.starts_with(package), "{name} is called after what it holds");
        let mut count = 0;
        for line in lines.skip(2).filter(|line| !line.starts_with('\\')) {
            let (sign, line) = line.split_at_checked(1).unwrap_or((" ", ""));
            if sign != "+" {
                release.text.push_str(line);
                release.text.push('\n');
                count += 1;
            }
            if sign != " " {
                let start = if sign == "-" { count - 1 } else { count };
                if release.places.last().is_none_or(|place| place.end < start) {
                    release.places.push(Hunk { start, end: start, new: Vec::new() });
                }
                let place = release.places.last_mut().unwrap();
                place.end = count;
                place.new.extend((sign == "+").then(|| line.to_owned()));
            }
        }
        release
    }

    fn case(&self, kind: &str, edit: Vec<Hunk>, drift: Vec<Hunk>) -> Case {
        let is_near = edit.iter().any(|edit| drift.iter().any(|drift| gap(edit, drift) <= NEAR_LINES));
        let places: Vec<usize> = edit.iter().map(|hunk| hunk.start + 1).collect();
        Case {
            name: format!("{} {kind} {places:?}", self.name),
            file: self.file.clone(),
            text: self.text.clone(),
            edit,
            drift,
            is_near,
        }
    }

    /// Every case this file is good for.
    fn cases(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        for (number, edit) in self.places.iter().enumerate() {
            let others = |wanted: &dyn Fn(&Hunk) -> bool| -> Vec<Hunk> {
                let other = self.places.iter().filter(|place| place.start != edit.start);
                other.filter(|place| wanted(place)).cloned().collect()
            };
            let near = others(&|place| gap(edit, place) <= NEAR_LINES);
            let far = others(&|place| gap(edit, place) > NEAR_LINES);
            if let Some((first, rest)) = halves(edit) {
                cases.push(self.case("halved", vec![first], vec![rest]));
            }
            for place in &near {
                cases.push(self.case("beside", vec![edit.clone()], vec![place.clone()]));
            }
            if !near.is_empty() {
                cases.push(self.case("among", vec![edit.clone()], [near, far.clone()].concat()));
            }
            if !far.is_empty() {
                cases.push(self.case("away", vec![edit.clone()], far.clone()));
            }
            // Every other place is the reply's: its changes and those of others lie interleaved.
            if far.len() > 2 && number < 2 {
                let (mine, theirs): (Vec<_>, Vec<_>) =
                    self.places.iter().cloned().enumerate().partition(|(place, _)| place % 2 == number);
                let hunks = |places: Vec<(usize, Hunk)>| places.into_iter().map(|(_, hunk)| hunk).collect();
                cases.push(self.case("interleaved", hunks(mine), hunks(theirs)));
            }
        }
        cases
    }
}

/// How many unchanged lines lie between two changes.
fn gap(a: &Hunk, b: &Hunk) -> usize {
    if a.end <= b.start { b.start - a.end } else { a.start.saturating_sub(b.end) }
}

/// One change as two that touch: how they go together is ambiguous.
fn halves(place: &Hunk) -> Option<(Hunk, Hunk)> {
    let middle = place.start + (place.end - place.start) / 2;
    let (first, rest) = place.new.split_at_checked(middle - place.start)?;
    let first = Hunk { start: place.start, end: middle, new: first.to_vec() };
    let rest = Hunk { start: middle, end: place.end, new: rest.to_vec() };
    (middle > place.start && !rest.new.is_empty()).then_some((first, rest))
}

fn releases() -> Vec<Release> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/releases");
    let mut releases: Vec<Release> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "diff"))
        .map(|path| {
            let name = path.file_stem().unwrap().to_str().unwrap();
            Release::read(name, &std::fs::read_to_string(&path).unwrap())
        })
        .collect();
    releases.sort_by(|a, b| a.name.cmp(&b.name));
    releases
}

/// Cases of one kind, from all files in turn, so that no single file dominates.
fn in_turn(files: &[Vec<Case>], is_near: bool) -> Vec<&Case> {
    let kinds: Vec<Vec<&Case>> =
        files.iter().map(|cases| cases.iter().filter(|case| case.is_near == is_near).collect()).collect();
    let rounds = kinds.iter().map(Vec::len).max().unwrap_or_default();
    let turns = (0..rounds).flat_map(|round| kinds.iter().filter_map(move |cases| cases.get(round)));
    turns.copied().take(if all() { usize::MAX } else { CASES }).collect()
}

/// All that the files are good for, not only 500.
fn all() -> bool {
    std::env::var("RELAY_LONG_TESTS").is_ok_and(|value| value == "yes")
}

#[test]
fn five_hundred_drifts_from_releases() {
    let files: Vec<Vec<Case>> = releases().iter().map(Release::cases).collect();
    let mut judged = Judged::default();
    for (number, case) in in_turn(&files, true).into_iter().chain(in_turn(&files, false)).enumerate() {
        judged.add(&judge(case, number));
    }
    println!("{judged}");
    assert_eq!(judged.wrong, Vec::<String>::new());
    assert!(judged.cases >= 2 * CASES && judged.near >= CASES, "{judged}");
    assert!(judged.landed * 100 >= judged.mergeable * 95, "{judged}");
    // A judge that finds no conflict anywhere judges nothing.
    assert!(judged.conflicts >= 25, "{judged}");
}
