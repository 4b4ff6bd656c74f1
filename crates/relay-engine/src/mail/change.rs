//! `CREATE_FILE`, `EDIT_FILE` and `DELETE_FILE`: each one a transaction through the pipeline.
//!
//! An edit's line numbers refer to the text the model knows. The edit is resolved against that text and merged onto
//! the current file; if it is uncertain which text the model means, it is refused and the next message shows the file.

use relay_edit::commands::{Command, Written};
use relay_edit::{Edit, Operation, Snapshot, line_texts, plan};
use relay_txn::Operation as Kind;
use relay_workspace::RelPath;
use uuid::Uuid;

use super::error::MailError;
use super::fold;
use super::numbers::without_copied;
use super::result::CommandResult;
use super::views::agree_up_to;
use super::work::{CHANNEL, Work};
use crate::intake::prepared::{ByAnchor, Prepared};
use crate::intake::submission::Submission;
use crate::outcome::stop::Stop;
use crate::outcome::{Outcome, Status};
use crate::pipeline::land_prepared;

/// What to say of an edit that was merged; the plan's own words are looked for.
const MERGED: &str = "merged with what changed since";

/// The note after line numbers were removed from a body.
const COPIED_NUMBERS: &str = "; the line numbers you copied into the body were taken off";

/// A command that is ready for the pipeline.
struct Planned {
    edit: Edit,
    /// The text that the edit refers to, if it is not the current file.
    base: Option<String>,
    /// What the model knows of the file afterwards; `None` if the file is gone.
    known: Option<String>,
    /// Notes for the result.
    remark: &'static str,
    allow_shrink: bool,
}

/// Why a command is not ready, and whether seeing the file would help.
struct Refused {
    reason: String,
    shows: bool,
}

impl Refused {
    fn because(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), shows: false }
    }

    fn until_shown(reason: String) -> Self {
        Self { reason, shows: true }
    }
}

impl Work<'_> {
    /// Carries out a command that changes a file.
    pub(super) fn change(
        &mut self,
        uuid: Uuid,
        path: &RelPath,
        written: &Written,
    ) -> Result<CommandResult, MailError> {
        let name = written.command.name();
        let unnumbered = without_copied(&written.command);
        let copied = if unnumbered.is_some() { COPIED_NUMBERS } else { "" };
        let command = unnumbered.as_ref().unwrap_or(&written.command);
        let planned = match self.plan(uuid, path, command, written.line)? {
            Ok(planned) => planned,
            Err(refused) => {
                if refused.shows {
                    self.show_next(path.as_str());
                }
                return Ok(CommandResult::failed(name, refused.reason));
            }
        };
        let submission = Submission {
            channel: CHANNEL,
            text: written.source.clone(),
            dialect: Some(planned.edit.dialect),
        };
        let contents = planned.base.map(|base| (path.to_string(), base.into_bytes())).into_iter().collect();
        let views = crate::views::Views { contents, ..crate::views::Views::default() };
        let prepared = Prepared {
            submission,
            uuid,
            edits: vec![planned.edit],
            reasoning: self.task.to_owned(),
            views,
            by_anchor: ByAnchor::default(),
        };
        let mut options = self.land_options();
        options.allow_shrink = planned.allow_shrink;
        let outcome = land_prepared(self.engine, &prepared, &options, self.approver, self.observer);
        match outcome.status {
            Status::Interrupted => return Err(MailError::Interrupted),
            Status::Committed | Status::AlreadyProcessed | Status::Unchanged => {}
            _ => return Ok(self.refused(name, path, &outcome)),
        }
        self.diagnostics.extend(
            outcome
                .diagnostics
                .into_iter()
                .filter(|found| !matches!(outcome.status, Status::AlreadyProcessed) && !found.is_error()),
        );
        self.learn(path.as_str(), command, planned.known);
        let remark = format!("{}{copied}", planned.remark);
        let mut result = self.succeeded(uuid, path, command, outcome.status, &remark)?;
        if written.lost_fence() {
            result.summary.push_str("; the fence around its lines was taken off, write them without one");
        }
        Ok(result)
    }

    /// What the model knows after a command that landed: the file's text, and which lines of it are new.
    fn learn(&mut self, path: &str, command: &Command, known: Option<String>) {
        match known {
            Some(known) => {
                let is_doubtful = self.views.get(path).is_some_and(|view| view.is_doubtful);
                let is_whole = matches!(command, Command::Create { .. });
                self.views.set(path, known, is_doubtful && !is_whole);
            }
            None => self.views.remove(path),
        }
        match command {
            Command::Edit { first, last, lines, .. } => {
                self.regions.replace(path, *first, *last, lines.len());
            }
            _ => self.regions.forget(path),
        }
    }

    fn plan(
        &self,
        uuid: Uuid,
        path: &RelPath,
        command: &Command,
        line: usize,
    ) -> Result<Result<Planned, Refused>, MailError> {
        let Some(mut edit) = command.as_edit(line) else {
            return Ok(Err(Refused::because("it changes no file")));
        };
        edit.path = path.to_string();
        // A command that landed before only needs to be recognised, so it must not be checked against the file again.
        let before = match self.engine.ledger().find(uuid).map_err(Stop::from)? {
            Some(record) => match record.changes.first().and_then(|change| change.before.as_ref()) {
                Some(stored) => Some(self.engine.ledger().content(stored).map_err(Stop::from)?),
                None => None,
            },
            None => match self.engine.workspace().read(path) {
                Ok(found) => found.map(|file| file.bytes),
                Err(error) => return Ok(Err(Refused::because(format!("REJECTED: {error}")))),
            },
        };
        Ok(match command {
            Command::Create { content, .. } => self.plan_create(edit, path, before, content),
            Command::Edit { first, last, lines, .. } => {
                self.plan_edit(edit, path, before, *first, *last, lines)
            }
            _ if before.is_none() => Err(Refused::because(self.not_found(path))),
            _ => {
                let remark = self.changed_since(path, before.as_deref().unwrap_or_default());
                Ok(Planned { edit, base: None, known: None, remark, allow_shrink: false })
            }
        })
    }

    fn plan_create(
        &self,
        edit: Edit,
        path: &RelPath,
        before: Option<Vec<u8>>,
        content: &str,
    ) -> Result<Planned, Refused> {
        let restored = self.masks.restore(path.as_str(), content).map_err(Refused::because)?;
        let view = self.views.get(path.as_str()).and_then(|view| view.text.as_deref());
        let is_unseen = before.is_some() && view.is_none();
        if is_unseen && self.requires_read() {
            return Err(Refused::until_shown(format!(
                "File '{path}' exists and was never shown to you; read it before you replace it"
            )));
        }
        let base = match (view, &before) {
            (Some(view), Some(_)) => Some(self.masks.restore(path.as_str(), view).map_err(Refused::because)?),
            _ => None,
        };
        let remark = if is_unseen { "; it existed, and you had not been shown it" } else { "" };
        Ok(Planned {
            edit: Edit { operation: Operation::Write { content: restored }, ..edit },
            base,
            known: Some(content.to_owned()),
            remark,
            allow_shrink: false,
        })
    }

    fn plan_edit(
        &self,
        edit: Edit,
        path: &RelPath,
        before: Option<Vec<u8>>,
        first: usize,
        last: usize,
        lines: &[String],
    ) -> Result<Planned, Refused> {
        let Some(before) = before else { return Err(Refused::because(self.not_found(path))) };
        let Some(current) = relay_edit::text(&before) else {
            return Err(Refused::because(format!("'{path}' is not a text file")));
        };
        let (shown, remark) = self.meant(path, &current, last)?;
        let count = line_texts(shown.as_bytes()).map_or(0, |lines| lines.len());
        if last > count {
            let known_as = if remark.is_empty() { " as you know it" } else { "" };
            return Err(Refused::until_shown(format!(
                "Invalid line range {first}-{last}: '{path}'{known_as} has {count} lines"
            )));
        }
        let known = applied(&shown, &edit).ok_or_else(|| {
            Refused::because(format!("Lines {first}-{last} of '{path}' could not be replaced"))
        })?;
        let restore = |text: &str| self.masks.restore(path.as_str(), text).map_err(Refused::because);
        let base = restore(&shown)?;
        let body: Vec<String> = lines.iter().map(|line| restore(line)).collect::<Result<_, _>>()?;
        let same_lines = line_texts(base.as_bytes()).map(|lines| lines.len()) == Some(count);
        let (edit, allow_shrink) = if same_lines && !body.iter().any(|line| line.contains('\n')) {
            let restored = Command::Edit { path: path.to_string(), first, last, lines: body };
            (restored.as_edit(edit.line).unwrap_or(edit), false)
        } else {
            // A secret of several lines was shown as one line: the numbers refer to the text with the placeholder.
            (Edit { operation: Operation::Write { content: restore(&known)? }, ..edit }, true)
        };
        Ok(Planned { edit, base: Some(base), known: Some(known), remark, allow_shrink })
    }

    /// The text that an edit's line numbers refer to, and a note about it.
    fn meant(&self, path: &RelPath, current: &str, last: usize) -> Result<(String, &'static str), Refused> {
        let Some(view) = self.views.get(path.as_str()) else {
            if self.requires_read() {
                return Err(Refused::until_shown(format!(
                    "File '{path}' was never shown to you; read it before you edit it"
                )));
            }
            let remark = "; you had not been shown this file, so the numbers were taken as its lines now";
            return Ok((current.to_owned(), remark));
        };
        let Some(text) = &view.text else {
            return Err(Refused::until_shown(format!(
                "What you were shown of '{path}' is too long ago; read it again before you edit it"
            )));
        };
        let known = self.masks.restore(path.as_str(), text).map_err(Refused::because)?;
        if view.is_doubtful && !agree_up_to(&known, current, last) {
            return Err(Refused::until_shown(format!(
                "'{path}' has changed above line {last} since you were shown it, and a command has run since: \
                 it is uncertain which lines are meant; read it again"
            )));
        }
        Ok((text.clone(), ""))
    }

    /// The note when a deleted file is no longer as the model knows it.
    fn changed_since(&self, path: &RelPath, before: &[u8]) -> &'static str {
        let view = self.views.get(path.as_str()).and_then(|view| view.text.as_deref());
        let known = view.and_then(|text| self.masks.restore(path.as_str(), text).ok());
        match known {
            Some(known) if relay_edit::text(before).as_ref() != Some(&known) => {
                "; it had changed since you saw it"
            }
            _ => "",
        }
    }

    fn requires_read(&self) -> bool {
        self.options.require_read || self.engine.config().require_read
    }

    /// Words the pipeline's refusal for the model. If others changed the file, the model will see it.
    fn refused(&mut self, name: &str, path: &RelPath, outcome: &Outcome) -> CommandResult {
        let errors: Vec<_> = outcome.diagnostics.iter().filter(|found| found.is_error()).collect();
        if errors.iter().any(|found| found.code == relay_edit::codes::MERGE_CONFLICT) {
            self.show_next(path.as_str());
        }
        let words: Vec<String> = errors
            .iter()
            .map(|found| match &found.hint {
                Some(hint) => format!("{} ({})", found.message, hint.trim_end_matches('.')),
                None => found.message.clone(),
            })
            .collect();
        let failed = outcome.checks.iter().rev().find(|check| check.status != "passed");
        let output = failed.map(|check| fold::output(&check.output_tail, fold::OUTPUT_CHARACTERS));
        CommandResult::failed(name, format!("'{path}' was not changed: {}", words.join("; ")))
            .with_output(&output.unwrap_or_default())
    }

    /// The words for a command that landed, from what the ledger says: the same however often they are asked for.
    fn succeeded(
        &self,
        uuid: Uuid,
        path: &RelPath,
        command: &Command,
        status: Status,
        remark: &str,
    ) -> Result<CommandResult, MailError> {
        let name = command.name();
        if status == Status::Unchanged {
            return Ok(CommandResult::ok(
                name,
                format!("'{path}' is already like that; nothing was changed"),
            ));
        }
        let record = self.engine.ledger().find(uuid).map_err(Stop::from)?;
        let change = record.as_ref().and_then(|record| record.changes.first());
        let is_new = change.is_some_and(|change| change.operation == Kind::Create);
        let placement = record.as_ref().and_then(|record| record.operations.first());
        let merged = if placement.is_some_and(|operation| operation.placement.contains(MERGED)) {
            "; it had changed since you saw it, and both changes were merged"
        } else {
            ""
        };
        let what = match command {
            Command::Create { .. } if is_new => format!("Created '{path}'"),
            Command::Create { .. } => format!("Overwrote '{path}'"),
            Command::Edit { first, last, .. } if first == last => format!("Edited '{path}' (line {first})"),
            Command::Edit { first, last, .. } => format!("Edited '{path}' (lines {first}-{last})"),
            _ => format!("Deleted '{path}'"),
        };
        let result = CommandResult::ok(name, format!("{what}{merged}{remark}"));
        Ok(CommandResult { transaction: record.map(|record| record.uuid), ..result })
    }
}

/// The text with the edit applied to it.
fn applied(text: &str, edit: &Edit) -> Option<String> {
    let files =
        Snapshot { files: [(edit.path.clone(), text.as_bytes().to_vec())].into(), ..Snapshot::default() };
    let plan = plan(std::slice::from_ref(edit), &files);
    if plan.outcomes.iter().any(|outcome| outcome.status == relay_edit::EditStatus::Failed) {
        return None;
    }
    match plan.changes.into_iter().next() {
        Some(change) => String::from_utf8(change.after?).ok(),
        None => Some(text.to_owned()),
    }
}
