//! A reply meets a history: how a case is set up, and who says what is right.

use std::fmt;
use std::path::Path;
use std::process::Command;

use relay_edit::{Change, Dialect, Options as PlanOptions, Snapshot, parse, render};

use super::{receipt, whole};

/// Lines of the common ancestor, counted from 0, and what is there instead.
#[derive(Clone, Debug)]
pub(super) struct Hunk {
    pub start: usize,
    pub end: usize,
    pub new: Vec<String>,
}

/// What was packed, what the reply changes, and what others changed meanwhile.
pub(super) struct Case {
    pub name: String,
    pub file: String,
    pub text: String,
    pub edit: Vec<Hunk>,
    pub drift: Vec<Hunk>,
    pub is_near: bool,
}

/// The result of one case.
pub(super) struct Judgement {
    name: String,
    landed: Option<String>,
    /// The combination of both changes by their positions in the ancestor; `None` where they touch.
    composed: Option<String>,
    /// What git makes of them; `None` for a conflict.
    by_git: Option<String>,
    is_near: bool,
    is_masked: bool,
}

/// The results of all cases.
#[derive(Default)]
pub(super) struct Judged {
    pub cases: usize,
    pub near: usize,
    pub masked: usize,
    pub mergeable: usize,
    pub landed: usize,
    pub conflicts: usize,
    pub wrong: Vec<String>,
    pub refused: Vec<String>,
}

impl Judged {
    pub fn add(&mut self, judgement: &Judgement) {
        let Judgement { name, landed, composed, by_git, is_near, is_masked } = judgement;
        self.cases += 1;
        self.near += usize::from(*is_near);
        self.masked += usize::from(*is_masked);
        match by_git {
            Some(_) => self.mergeable += 1,
            None => self.conflicts += 1,
        }
        match landed {
            None if by_git.is_some() => self.refused.push(name.clone()),
            None => {}
            Some(landed) => {
                self.landed += usize::from(by_git.is_some());
                let agrees = |judge: &Option<String>| judge.as_ref().is_none_or(|right| right == landed);
                // What touches may be composed in one way only: git has to say so.
                let is_right = agrees(composed)
                    && if composed.is_some() { agrees(by_git) } else { by_git.as_ref() == Some(landed) };
                if !is_right {
                    self.wrong.push(name.clone());
                }
            }
        }
    }
}

impl fmt::Display for Judged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} drifts ({} near, {} with a secret): {} without a conflict by git, {} of them landed ({:.1} %), {} true conflicts, {} wrong; refused: {:?}",
            self.cases,
            self.near,
            self.masked,
            self.mergeable,
            self.landed,
            100.0 * self.landed as f64 / self.mergeable.max(1) as f64,
            self.conflicts,
            self.wrong.len(),
            self.refused
        )
    }
}

/// The text with these hunks carried out.
pub(super) fn apply(text: &str, hunks: &[Hunk]) -> String {
    let mut hunks: Vec<&Hunk> = hunks.iter().collect();
    hunks.sort_by_key(|hunk| (hunk.start, hunk.end));
    let lines: Vec<&str> = text.lines().collect();
    let mut out: Vec<&str> = Vec::new();
    let mut copied = 0;
    for hunk in hunks {
        out.extend(&lines[copied..hunk.start]);
        out.extend(hunk.new.iter().map(String::as_str));
        copied = hunk.end;
    }
    out.extend(&lines[copied..]);
    out.into_iter().flat_map(|line| [line, "\n"]).collect()
}

/// Packs the text, lets the model change what it was shown, lets others change the file, and applies the reply.
pub(super) fn judge(case: &Case, number: usize) -> Judgement {
    let today = apply(&case.text, &case.drift);
    let wanted = apply(&case.text, &case.edit);
    let receipt = receipt(&[(&case.file, &case.text)]);
    let shown = receipt.files[&case.file][0].clone();
    let is_masked = shown != case.text;
    let change = Change {
        path: case.file.clone(),
        before: Some(shown.clone().into_bytes()),
        after: Some(apply(&shown, &case.edit).into_bytes()),
        renamed_from: None,
        executable: None,
    };
    let reply = (0..Dialect::ALL.len())
        .find_map(|step| {
            render(std::slice::from_ref(&change), Dialect::ALL[(number + step) % Dialect::ALL.len()]).ok()
        })
        .expect("a dialect that can say it");
    let files = [(case.file.clone(), today.clone().into_bytes())].into();
    let plan = receipt
        .plan(&parse(&reply, None).edits, &Snapshot { files, ..Snapshot::default() }, &PlanOptions::default())
        .plan;
    let failed = plan.diagnostics.iter().any(relay_diagnostics::Diagnostic::is_error);
    let landed = (!failed).then(|| match plan.changes.first() {
        Some(change) => String::from_utf8(whole(change.after.as_ref().unwrap()).to_vec()).unwrap(),
        None => today.clone(),
    });
    let touch = |a: &Hunk, b: &Hunk| a.start <= b.end && b.start <= a.end;
    let is_apart = !case.edit.iter().any(|edit| case.drift.iter().any(|drift| touch(edit, drift)));
    let both: Vec<Hunk> = case.edit.iter().chain(&case.drift).cloned().collect();
    Judgement {
        name: case.name.clone(),
        landed,
        composed: is_apart.then(|| apply(&case.text, &both)),
        by_git: merged_by_git(&today, &case.text, &wanted),
        is_near: case.is_near,
        is_masked,
    }
}

fn merged_by_git(ours: &str, base: &str, theirs: &str) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let [ours, base, theirs] =
        [("ours", ours), ("base", base), ("theirs", theirs)].map(|(name, text)| write(name, text));
    let files: [&Path; 3] = [&ours, &base, &theirs];
    let output = Command::new("git").args(["merge-file", "-p"]).args(files).output().expect("git");
    output.status.success().then(|| String::from_utf8(output.stdout).unwrap())
}
