//! From edits and file snapshots to exact changes: every edit is placed, applied in memory and verified.
//!
//! Edits are applied one after the other to virtual files, so a file can be renamed and then
//! edited, or edited twice. One failure empties the plan, and every failure is reported, not only the first.

mod again;
mod anchored;
mod block;
mod checked;
mod copied;
mod copies;
mod elide;
mod explain;
mod generated;
mod input;
mod levels;
mod numbers;
mod old_lines;
mod output;
mod patch;
mod patchable;
mod presumed;
mod reading;
mod rename;
mod targets;
mod together;
mod view;
mod virtual_files;
mod whole;
mod write;

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::content::Content;
use crate::encoding::text_of;
use crate::lines::{Lines, is_blank};
use crate::matcher::Strictness;
use crate::{Base, Diagnostic, Dialect, Edit, Hunk, Operation, codes};
use again::Chosen;
use explain::Explain;
pub use generated::generated_by_program;
pub use input::{Options, Repeats, Snapshot};
use levels::Levels;
use numbers::Numbers;
pub use old_lines::OldLines;
pub use output::{Change, EditOutcome, EditStatus, Plan};
use virtual_files::VirtualFiles;
pub(crate) use whole::{is_import, is_whole};

/// Plans all edits against the snapshot with the default options.
///
/// ```
/// use relay_edit::{Snapshot, parse, plan};
///
/// let reply = parse("```ts // {a.ts} multi-search-replace\n<<<<<<< SEARCH\nport: 3000,\n=======\nport: 8080,\n>>>>>>> REPLACE\n```\n", None);
/// let files = Snapshot { files: [("a.ts".to_owned(), b"{\n  port: 3000,\n}\n".to_vec())].into(), ..Snapshot::default() };
/// let plan = plan(&reply.edits, &files);
/// assert_eq!(plan.changes[0].after.as_deref(), Some(&b"{\n  port: 8080,\n}\n"[..]));
/// assert_eq!(plan.outcomes[0].placement, "indentation");
/// ```
#[must_use]
pub fn plan(edits: &[Edit], files: &Snapshot) -> Plan {
    plan_with(edits, files, &Options::default())
}

/// Plans all edits against the snapshot, in order; all of them or none, unless the options say otherwise.
#[must_use]
pub fn plan_with(edits: &[Edit], files: &Snapshot, options: &Options) -> Plan {
    let Plan { changes, outcomes, diagnostics } = place(edits, files, options);
    let whole = |change: Change<Content>| {
        let before = files.files.get(&change.path).cloned();
        let after = change.after.map(|after| after.into_bytes(before.as_deref().unwrap_or_default()));
        let Change { path, renamed_from, executable, .. } = change;
        Change { path, before, after, renamed_from, executable }
    };
    Plan { changes: changes.into_iter().map(whole).collect(), outcomes, diagnostics }
}

/// As [`plan_with`], but the files that change are taken out of the snapshot instead of being copied, and what they hold
/// afterwards is not put together.
#[must_use]
pub fn plan_taking(edits: &[Edit], files: &mut Snapshot, options: &Options) -> Plan<Content> {
    let mut plan = place(edits, files, options);
    // Both are in the order of the paths.
    let mut changes = plan.changes.iter_mut().peekable();
    let mut untouched = Vec::new();
    for (path, content) in std::mem::take(&mut files.files) {
        while changes.next_if(|change| change.path < path).is_some() {}
        match changes.next_if(|change| change.path == path) {
            Some(change) => change.before = Some(content),
            None => untouched.push((path, content)),
        }
    }
    files.files = untouched.into_iter().collect();
    plan
}

/// Plans all edits; what the files hold before is left out of the changes.
fn place(edits: &[Edit], files: &Snapshot, options: &Options) -> Plan<Content> {
    let plan = place_knowing(&Levels::new(), edits, files, options);
    let levels = levels::shown(edits, &plan.outcomes);
    if levels.is_empty() { plan } else { place_knowing(&levels, edits, files, options) }
}

/// As [`place`], where it is known how the reply writes the levels of some files.
fn place_knowing(levels: &Levels, edits: &[Edit], files: &Snapshot, options: &Options) -> Plan<Content> {
    let mut planner = Planner {
        files: VirtualFiles::new(files, &options.views),
        options,
        levels,
        diagnostics: Vec::new(),
        written: BTreeSet::new(),
        grown: BTreeMap::new(),
        failures: 0,
        searched_bytes: 0,
        one_by_one: 0,
        work: Rc::default(),
    };
    let mut chosen = Chosen::default();
    let mut outcomes: Vec<EditOutcome> = Vec::with_capacity(edits.len());
    while let Some(rest) = edits.get(outcomes.len()..).filter(|rest| !rest.is_empty()) {
        if planner.failures > LISTED && !options.partial {
            // Nothing of this reply will land, and more reasons would not help, so the rest is not tried.
            planner.failures += rest.len();
            outcomes.resize_with(edits.len(), EditOutcome::failed);
            break;
        }
        match planner.apply_together(rest) {
            Some(together) => outcomes.extend(together),
            None => {
                let begun = outcomes.len();
                let block = block::first(rest);
                let before = planner.before_block(block);
                for edit in block {
                    let earlier = edits.get(..outcomes.len()).unwrap_or_default();
                    let done = || again::done(edit, earlier, &planner.files);
                    let is_tolerant = options.strictness > Strictness::Exact;
                    let done = chosen.find(edit).or_else(|| is_tolerant.then(done).flatten());
                    let repeated = done.and_then(|done| again::repeated(edit, done, &planner.files));
                    let outcome = repeated.unwrap_or_else(|| planner.apply(edit, earlier));
                    chosen.note(edit, &outcome);
                    outcomes.push(outcome);
                }
                planner.after_block(before, outcomes.get_mut(begun..).unwrap_or_default());
            }
        }
    }
    let lands = options.partial || !outcomes.iter().any(|outcome| outcome.status.is_failure());
    let Planner { files, mut diagnostics, failures, .. } = planner;
    diagnostics.extend(failures.checked_sub(LISTED + 1).map(|more| unlisted(more + 1)));
    let changes = if lands { files.into_changes() } else { Ok(Vec::new()) };
    let changes = changes.unwrap_or_else(|path| {
        diagnostics.push(not_encodable(&path, edits));
        outcomes.iter_mut().for_each(|outcome| *outcome = EditOutcome::failed());
        Vec::new()
    });
    Plan { changes, outcomes, diagnostics }
}

/// Failures that are only counted: a reply that has this many is wrong as a whole, and a list of hundreds helps no one.
fn unlisted(failures: usize) -> Diagnostic {
    Diagnostic::error(
        codes::NOT_FOUND,
        format!("… and {failures} more edits that failed or were not tried any more"),
    )
    .hinted("read the files again and rewrite the edits")
}

/// The text a file would hold cannot be written in the encoding the file is in.
fn not_encodable(path: &str, edits: &[Edit]) -> Diagnostic {
    let line = edits.iter().find(|edit| edit.path == path).map_or(1, |edit| edit.line);
    Diagnostic::error(codes::UNVERIFIED, format!("`{path}` cannot be written in its encoding, UTF-16"))
        .hinted("nothing was changed; leave out the NUL characters, or convert the file to UTF-8 first")
        .on(path)
        .at(line)
}

/// Applies edits one after the other.
#[derive(Debug)]
struct Planner<'p> {
    files: VirtualFiles<'p>,
    options: &'p Options,
    levels: &'p Levels,
    diagnostics: Vec<Diagnostic>,
    /// The files whose whole content the reply has.
    written: BTreeSet<String>,
    /// By how many lines edits that were applied already made files longer.
    grown: BTreeMap<String, isize>,
    /// How many reasons there are for edits that failed.
    failures: usize,
    /// How many bytes were searched for patches so far.
    searched_bytes: usize,
    /// How many of the next edits are applied one by one, because trying them together has just failed.
    one_by_one: usize,
    /// How many lines were compared so far.
    work: Rc<Cell<usize>>,
}

/// The most bytes all patches of a reply together may search in.
const SEARCH_LIMIT_BYTES: usize = 800_000_000;
/// How many reasons why edits failed are listed of one reply.
const LISTED: usize = 200;
/// How many failures of one reply are explained at length.
const EXPLAINED: usize = 100;
/// How much more a search costs that tries every tier and finds nothing.
const FAILED_SEARCH: usize = 8;

impl Planner<'_> {
    /// For saying why an edit fails.
    fn explain<'e>(&'e self, edit: &'e Edit) -> Explain<'e> {
        Explain { edit, files: &self.files }
    }

    fn apply(&mut self, edit: &Edit, earlier: &[Edit]) -> EditOutcome {
        match self.try_apply(edit, earlier) {
            Ok(outcome) => outcome,
            Err((status, findings)) => {
                let room = LISTED.saturating_sub(self.failures);
                self.failures += findings.iter().filter(|finding| finding.is_error()).count();
                let listed = |(at, finding): &(usize, Diagnostic)| *at < room || !finding.is_error();
                let listed = findings.into_iter().enumerate().filter(listed);
                self.diagnostics.extend(listed.map(|(_, finding)| finding));
                match status {
                    EditStatus::NotInContext => EditOutcome::new(status, "not in context"),
                    EditStatus::Skipped => EditOutcome::new(status, "skipped"),
                    _ => EditOutcome::failed(),
                }
            }
        }
    }

    fn try_apply(
        &mut self,
        edit: &Edit,
        earlier: &[Edit],
    ) -> Result<EditOutcome, (EditStatus, Vec<Diagnostic>)> {
        let explain = self.explain(edit);
        let failed = |finding: Diagnostic| (EditStatus::Failed, vec![finding]);
        if self.is_out_of_context(edit) {
            return Err((EditStatus::NotInContext, vec![explain.not_in_context()]));
        }
        match &edit.operation {
            Operation::Write { content } => self.try_write(edit, content).map_err(failed),
            Operation::Patch { hunks, base } => {
                let content = self.files.get(&edit.path);
                if let Some(why) = patchable::why_not(edit, content, self.options.allow_generated) {
                    return Err((EditStatus::Skipped, vec![explain.unpatchable(why)]));
                }
                let hunks = self.checked(edit, hunks, earlier).map_err(failed)?;
                self.patch(edit, &hunks, *base).map_err(|findings| (EditStatus::Failed, findings))
            }
            Operation::Delete if self.files.get(&edit.path).is_none() => {
                Err(failed(explain.missing("deleted")))
            }
            Operation::Delete => {
                if earlier.last().is_some_and(|patch| empties(patch, edit)) {
                    let left = self.files.get(&edit.path).map_or(0, filled_lines);
                    if left > 0 {
                        return Err(failed(explain.deletes_unnamed(left)));
                    }
                }
                self.files.set(&edit.path, None);
                self.written.remove(&edit.path);
                Ok(EditOutcome::new(EditStatus::Applied, "deleted"))
            }
            Operation::Rename { to } => {
                rename::rename(edit, to, &mut self.files).map_err(|finding| failed(*finding))
            }
            Operation::Mode { .. } if self.files.get(&edit.path).is_none() => {
                Err(failed(explain.missing("given another mode")))
            }
            Operation::Mode { executable } if self.files.is_executable(&edit.path) == *executable => {
                Ok(EditOutcome::new(EditStatus::Unchanged, "mode, already so"))
            }
            Operation::Mode { executable } => {
                self.files.set_executable(&edit.path, *executable);
                Ok(EditOutcome::new(EditStatus::Applied, "mode"))
            }
        }
    }

    /// How literally the hunks of an edit are taken; `seen` says that its author saw the file, or the lines it names.
    fn terms<'m>(&'m self, edit: &'m Edit, seen: bool) -> patch::Terms<'m> {
        let strictness = self.options.strictness;
        patch::Terms {
            strictness,
            literal_anchor: strictness == Strictness::Exact && edit.dialect == Dialect::EditRepl,
            inline: matches!(
                edit.dialect,
                Dialect::Fenced | Dialect::SearchReplace | Dialect::ToolCall | Dialect::Instruction
            ),
            seen,
            repeats: self.options.repeats,
            explain_failures: self.failures < EXPLAINED,
            work: &self.work,
            levels: self.levels.get(&edit.path),
            original: self.original(&edit.path),
            numbers: Numbers::default(),
            written: edit.hunks(),
        }
    }

    /// What the author saw of a file, or what it held, before all edits; `None` while no edit has changed it.
    fn original(&self, path: &str) -> Option<&[u8]> {
        let view = || match text_of(self.options.views.get(path)?) {
            Cow::Borrowed(view) => Some(view),
            Cow::Owned(_) => None,
        };
        let original = || view().or_else(|| self.files.original(path)).unwrap_or_default();
        self.files.is_touched(path).then(original)
    }

    /// Whether a file that exists was not in the author's view. New files are always written.
    fn is_out_of_context(&self, edit: &Edit) -> bool {
        let unknown = |context: &BTreeSet<String>| !is_in(&edit.path, context);
        self.options.context.as_ref().is_some_and(unknown) && self.files.original(&edit.path).is_some()
    }

    fn patch(&mut self, edit: &Edit, hunks: &[Hunk], base: Base) -> Result<EditOutcome, Vec<Diagnostic>> {
        let current = self.files.get(&edit.path);
        let bytes = current.map_or(0, <[u8]>::len);
        let patched = self.patch_view(edit, hunks, base, current);
        self.searched_bytes += if patched.is_ok() { bytes } else { bytes * FAILED_SEARCH };
        let patched = patched?;
        if let (Some(current), Some(after), false) = (current, &patched.after, self.options.allow_shrink)
            && let Some(loss) = elide::check_patched(current, hunks, after)
        {
            return Err(vec![self.explain(edit).loss(&loss, edit.line)]);
        }
        if patched.absorbed > 0 {
            self.diagnostics.push(self.explain(edit).absorbed(patched.absorbed));
        }
        if patched.needs_review {
            self.diagnostics.push(self.explain(edit).unverified_lines());
        }
        let status = if patched.after.is_some() { EditStatus::Applied } else { EditStatus::Unchanged };
        if status == EditStatus::Unchanged && edit.dialect == Dialect::Hashline {
            self.diagnostics.push(self.explain(edit).no_change());
        }
        match patched.after {
            Some(after) => self.files.set_patched(&edit.path, after, patched.view_after),
            None => *self.grown.entry(edit.path.clone()).or_default() += numbers::growth(hunks),
        }
        Ok(EditOutcome {
            certificates: patched.certificates,
            needs_review: patched.needs_review,
            ..EditOutcome::new(status, patched.words)
        })
    }
}

/// Whether an edit is the part of a deleting diff that names the lines to go.
fn empties(patch: &Edit, delete: &Edit) -> bool {
    let of_a_diff = matches!(patch.operation, Operation::Patch { base: Base::Original, .. });
    of_a_diff && (&patch.path, patch.line, patch.dialect) == (&delete.path, delete.line, delete.dialect)
}

/// Whether a file is one of these, or below one of them that is a folder; `.` is the folder of everything.
fn is_in(path: &str, context: &BTreeSet<String>) -> bool {
    let mut folders = path.match_indices('/').filter_map(|(at, _)| path.get(..at));
    context.contains(path) || context.contains(".") || folders.any(|folder| context.contains(folder))
}

/// How many lines hold more than white space.
fn filled_lines(content: &[u8]) -> usize {
    Lines::new(content).texts().filter(|text| !is_blank(text)).count()
}
