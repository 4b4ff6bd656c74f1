//! Planning on what the model saw: edits are placed there, secrets put back, and the result merged onto today's files.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use relay_diagnostics::Diagnostic;
use relay_edit::{
    After, Change, Conflict, Content, Edit, EditStatus, Options as PlanOptions, Plan, Snapshot, merge_surely,
    plan_with,
};

use super::Receipt;
use crate::codes;
use crate::plan::contain::{lines_of, paths};
use crate::secrets::{Unrestored, mask, placeholders};

/// How many lines of a conflict are quoted from either side.
const QUOTED_LINES: usize = 4;

/// A plan for today's files, and the texts the model will know once it has landed.
pub(crate) struct Resolved {
    pub plan: Plan<Content>,
    /// Path to the text as the model wrote it; `None` for a file that goes.
    pub written: BTreeMap<String, Option<String>>,
}

impl Resolved {
    /// A plan on the files as they are, which must not write placeholders.
    pub(crate) fn without_receipt(edits: &[Edit], plan: Plan<Content>, partial: bool) -> Self {
        let stray = |change: &Change<Content>| {
            let before = change.before.as_deref().unwrap_or_default();
            let after = After::from(change.after.as_ref()?);
            // What stays of the file brings nothing into it.
            if let After::Spliced(spliced) = after
                && placeholders(spliced.fresh()).next().is_none()
            {
                return None;
            }
            let found = stray_placeholders(&change.path, before, &after.bytes(before), |_| Vec::new());
            (!found.is_empty()).then(|| (change.path.clone(), found))
        };
        // A renamed file brings along what it held under its old name.
        let refused: Vec<_> =
            plan.changes.iter().filter(|change| change.renamed_from.is_none()).filter_map(stray).collect();
        let mut resolved = Self { plan, written: BTreeMap::new() };
        resolved.refuse(edits, refused, partial);
        resolved
    }

    /// Takes changes out of the plan, and all others with them unless only a part was asked for.
    fn refuse(&mut self, edits: &[Edit], refused: Vec<(String, Vec<Diagnostic>)>, partial: bool) {
        if refused.is_empty() {
            return;
        }
        let lines = lines_of(edits);
        let mut paths = HashSet::new();
        for (path, findings) in refused {
            let line = lines.get(path.as_str()).copied();
            let placed = |finding: Diagnostic| Diagnostic { line: finding.line.or(line), ..finding };
            self.plan.diagnostics.extend(findings.into_iter().map(placed));
            paths.insert(path);
        }
        self.plan.changes.retain(|change| partial && !paths.contains(&change.path));
        self.written.retain(|written, _| partial && !paths.contains(written));
        for (edit, outcome) in edits.iter().zip(&mut self.plan.outcomes) {
            if edit.paths().any(|name| paths.contains(name)) {
                outcome.status = EditStatus::Failed;
                outcome.placement = "not merged".to_owned();
            }
        }
    }
}

impl Receipt {
    /// Plans the edits on what the model saw and brings the result onto the files as they are today.
    pub(crate) fn plan(&self, edits: &[Edit], today: &Snapshot, options: &PlanOptions) -> Resolved {
        let context = options.context.clone().or_else(|| self.context());
        let mut back: BTreeMap<&str, usize> = BTreeMap::new();
        let latest = self.plan_seen(edits, today, options, &context, &back);
        let mut tried = latest.1.clone();
        // What does not fit the latest text the model knows may have been written for an earlier one.
        while self.step_back(edits, &tried, &mut back) {
            let (seen, plan) = self.plan_seen(edits, today, options, &context, &back);
            if !plan.outcomes.iter().any(|outcome| outcome.status.is_failure()) {
                return self.onto_today(edits, plan, &seen, today, options.partial);
            }
            tried = plan;
        }
        self.onto_today(edits, latest.1, &latest.0, today, options.partial)
    }

    /// Plans on the texts the model knew, `back` steps ago.
    fn plan_seen(
        &self,
        edits: &[Edit],
        today: &Snapshot,
        options: &PlanOptions,
        context: &Option<BTreeSet<String>>,
        back: &BTreeMap<&str, usize>,
    ) -> (Snapshot, Plan) {
        let mut seen = Snapshot::default();
        let mut views = BTreeMap::new();
        for path in paths(edits) {
            let known = self.files.get(path).and_then(|texts| {
                let steps = back.get(path).copied().unwrap_or_default();
                texts.get(texts.len().checked_sub(steps + 1)?)
            });
            if let Some(text) = known {
                seen.files.insert(path.to_owned(), text.clone().into_bytes());
                views.insert(path.to_owned(), text.clone().into_bytes());
            } else if let Some(bytes) = today.files.get(path) {
                seen.files.insert(path.to_owned(), bytes.clone());
            }
            if today.executable.contains(path) {
                seen.executable.insert(path.to_owned());
            }
        }
        let options = PlanOptions { context: context.clone(), views, ..options.clone() };
        let plan = plan_with(edits, &seen, &options);
        (seen, plan)
    }

    /// Goes back to an earlier text for every file with failed edits; returns whether there was one.
    fn step_back<'r>(&'r self, edits: &[Edit], plan: &Plan, back: &mut BTreeMap<&'r str, usize>) -> bool {
        let mut stepped = false;
        for (edit, outcome) in edits.iter().zip(&plan.outcomes) {
            if outcome.status.is_failure()
                && let Some((path, texts)) = self.files.get_key_value(&edit.path)
            {
                let steps = back.get(path.as_str()).copied().unwrap_or_default();
                if steps + 1 < texts.len() {
                    back.insert(path, steps + 1);
                    stepped = true;
                }
            }
        }
        stepped
    }

    /// Every change of a plan on what was seen, as one on what is there.
    fn onto_today(
        &self,
        edits: &[Edit],
        mut plan: Plan,
        seen: &Snapshot,
        today: &Snapshot,
        partial: bool,
    ) -> Resolved {
        let sources: Vec<String> =
            plan.changes.iter().filter_map(|change| change.renamed_from.clone()).collect();
        let mut changes = Vec::with_capacity(plan.changes.len());
        let mut written = BTreeMap::new();
        let mut refused: Vec<(String, Vec<Diagnostic>)> = Vec::new();
        for change in std::mem::take(&mut plan.changes) {
            let source = change.renamed_from.clone().unwrap_or_else(|| change.path.clone());
            let shown = seen.files.get(&source).map(|text| self.restored(&source, text));
            let was_current = match (shown, today.files.get(&source)) {
                (Some(Ok(shown)), Some(today)) => is_same_text(&shown, today),
                (shown, today) => shown.is_none() && today.is_none(),
            };
            let text = change.after.as_deref().map(text_of);
            let path = change.path.clone();
            match self.change_today(change, &source, seen, today, sources.contains(&path)) {
                Ok(change) => {
                    let is_same = change.before == change.after && change.executable.is_none();
                    note(edits, &mut plan, &path, is_same, was_current);
                    written.insert(path, text);
                    if !is_same {
                        changes.push(in_whole(change));
                    }
                }
                Err(findings) => refused.push((path, findings)),
            }
        }
        let Plan { outcomes, diagnostics, .. } = plan;
        let mut resolved = Resolved { plan: Plan { changes, outcomes, diagnostics }, written };
        resolved.refuse(edits, refused, partial);
        resolved
    }

    /// One change, on the file as it is today.
    fn change_today(
        &self,
        change: Change,
        source: &str,
        seen: &Snapshot,
        today: &Snapshot,
        is_rename_source: bool,
    ) -> Result<Change, Vec<Diagnostic>> {
        let Change { path, after, renamed_from, executable, .. } = change;
        let before = today.files.get(&path).cloned();
        let shown = seen.files.get(source).filter(|_| self.files.contains_key(source));
        let after = match (after, shown) {
            (None, Some(shown)) if !is_rename_source => {
                let view = self.restored(source, shown)?;
                if before.as_ref().is_some_and(|before| !is_same_text(&view, before)) {
                    return Err(vec![deleted_but_changed(&path)]);
                }
                None
            }
            (None, _) => None,
            (Some(wanted), Some(shown)) => {
                let view = self.restored(source, shown)?;
                let wanted = self.restored(source, &wanted)?;
                let Some(current) = today.files.get(source) else { return Err(vec![gone(source)]) };
                let merged = merge_surely(&view, current, &wanted);
                Some(merged.map_err(|conflicts| vec![self.conflict(source, &conflicts, current, &wanted)])?)
            }
            // A file the model made up has no secrets of ours to hold; one it was not shown keeps what looks masked.
            (Some(wanted), None) => {
                let known = today.files.get(source).map(Vec::as_slice).unwrap_or_default();
                let stray = stray_placeholders(&path, known, &wanted, |file| self.vault_files(file));
                if !stray.is_empty() {
                    return Err(stray);
                }
                Some(wanted)
            }
        };
        Ok(Change { path, before, after, renamed_from, executable })
    }

    /// The bytes of a file, from a text in which its secrets are masked.
    fn restored(&self, file: &str, masked: &[u8]) -> Result<Vec<u8>, Vec<Diagnostic>> {
        let Ok(text) = std::str::from_utf8(masked) else { return Ok(masked.to_vec()) };
        let restored = self.vault.restore(file, text).map(String::into_bytes);
        restored.map_err(|refused| refused.iter().map(|refused| masked_value(file, refused)).collect())
    }

    fn vault_files(&self, placeholder: &str) -> Vec<String> {
        // No file has this name, so whatever the vault knows is refused, with the files it belongs to.
        let refused = self.vault.restore("", placeholder).err().unwrap_or_default();
        refused.into_iter().flat_map(|refused| refused.files).collect()
    }

    /// Both sides changed the same lines: what each of them wants.
    fn conflict(&self, path: &str, conflicts: &[Conflict], current: &[u8], wanted: &[u8]) -> Diagnostic {
        let first = conflicts.first();
        let (ours, theirs) =
            first.map(|conflict| (conflict.ours.clone(), conflict.theirs.clone())).unwrap_or_default();
        let quote = |bytes: &[u8], lines: std::ops::Range<usize>| {
            let text = text_of(bytes);
            let quoted: Vec<&str> = text.lines().skip(lines.start).take(lines.len()).collect();
            let shown = quoted.iter().take(QUOTED_LINES).copied().collect::<Vec<_>>().join("\n");
            let more = if quoted.len() > QUOTED_LINES { "\n…" } else { "" };
            // The message may be sent to a model.
            if quoted.is_empty() {
                "(nothing)".to_owned()
            } else {
                mask(path, &shown, &mut self.vault.clone()).text + more
            }
        };
        let (from, to) = (ours.start + 1, ours.end.max(ours.start + 1));
        let place = if from == to { format!("line {from}") } else { format!("lines {from} to {to}") };
        let others = match conflicts.len() {
            0 | 1 => String::new(),
            count => format!(" (and in {} more places)", count - 1),
        };
        Diagnostic::error(
            relay_edit::codes::MERGE_CONFLICT,
            format!(
                "`{path}` changed after it was packed, at {place}{others}, where this edit changes it too\nthe file has now:\n{}\nthe reply wants:\n{}",
                quote(current, ours.clone()),
                quote(wanted, theirs)
            ),
        )
        .on(path)
        .about_lines(from, to)
        .hinted("Write the edit again for the file as it is now.")
    }
}

/// A change with new content that is not in parts.
fn in_whole(change: Change) -> Change<Content> {
    let Change { path, before, after, renamed_from, executable } = change;
    Change { path, before, after: after.map(Content::Whole), renamed_from, executable }
}

/// A file as text, whatever its encoding. Bytes that are not text become U+FFFD.
fn text_of(bytes: &[u8]) -> String {
    relay_edit::text(bytes).unwrap_or_else(|| String::from_utf8_lossy(bytes).into_owned())
}

/// Whether a file still holds what was shown of it, which is always UTF-8.
fn is_same_text(shown: &[u8], today: &[u8]) -> bool {
    shown == today || relay_edit::text(today).is_some_and(|text| text.as_bytes() == shown)
}

/// Says in the outcomes that a change was merged, or that there is nothing left of it.
fn note(edits: &[Edit], plan: &mut Plan, path: &str, is_same: bool, was_current: bool) {
    for (edit, outcome) in edits.iter().zip(&mut plan.outcomes) {
        if edit.path == path && outcome.status == EditStatus::Applied {
            if is_same {
                outcome.status = EditStatus::Unchanged;
            }
            if !was_current {
                outcome.placement.push_str(", merged with what changed since");
            }
        }
    }
}

/// Placeholders that an edit would bring into a file. A placeholder must never be written in place of its value.
pub(crate) fn stray_placeholders(
    path: &str,
    before: &[u8],
    after: &[u8],
    files: impl Fn(&str) -> Vec<String>,
) -> Vec<Diagnostic> {
    // Hardly any text holds one, so it is looked for before anything is copied.
    if placeholders(&relay_edit::text_of(after)).next().is_none() {
        return Vec::new();
    }
    let (Some(before), Some(after)) = (relay_edit::text(before), relay_edit::text(after)) else {
        return Vec::new();
    };
    let brought = placeholders(after.as_bytes()).filter_map(|range| {
        let placeholder = after.get(range.clone())?;
        (!before.contains(placeholder)).then(|| Unrestored {
            placeholder: placeholder.to_owned(),
            range,
            files: files(placeholder),
        })
    });
    brought.map(|refused| masked_value(path, &refused)).collect()
}

fn masked_value(path: &str, refused: &Unrestored) -> Diagnostic {
    let Unrestored { placeholder, files, .. } = refused;
    let (why, hint) = if files.is_empty() {
        (
            "Relay does not know which secret it replaces".to_owned(),
            "Apply the reply with the receipt of the pack that showed it (--receipt), or ask the model to leave that line as it is.",
        )
    } else {
        (
            format!("its value belongs to {}", files.join(" and ")),
            "A secret is not written into another file: let the code read it from where it is, or put it there yourself.",
        )
    };
    Diagnostic::error(
        codes::MASKED_VALUE,
        format!("the reply puts the masked value {placeholder} into `{path}`, but {why}"),
    )
    .on(path)
    .hinted(hint)
}

fn deleted_but_changed(path: &str) -> Diagnostic {
    let message = format!("`{path}` changed after it was packed, and the reply deletes it");
    let hint = "Check what changed; delete the file yourself, or pack again and repeat the request.";
    Diagnostic::error(relay_edit::codes::MERGE_CONFLICT, message).on(path).hinted(hint)
}

fn gone(path: &str) -> Diagnostic {
    let message = format!("`{path}` was deleted after it was packed, and the reply changes it");
    let hint = "Restore the file, or ask for the change without it.";
    Diagnostic::error(relay_edit::codes::MERGE_CONFLICT, message).on(path).hinted(hint)
}
