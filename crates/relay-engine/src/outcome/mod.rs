//! The outcome of a submission: one value for the terminal, the JSON document and other programs.

pub(crate) mod file_reports;
pub(crate) mod mode_change;
pub(crate) mod stop;

use std::collections::HashSet;

use relay_diagnostics::Diagnostic;
use relay_edit::{Block, Content};
use relay_txn::{CheckRecord, FileChange, Undoes};
use serde::Serialize;
use uuid::Uuid;

use crate::outcome::mode_change::ModeChange;
use crate::outcome::stop::Stop;

/// How a submission ended. `docs/formats/json-output.md` documents the names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Status {
    /// It landed.
    Committed,
    /// It would land; nothing was written (`--dry-run`).
    Validated,
    /// The files already are as it wants them.
    Unchanged,
    /// The same submission landed before.
    AlreadyProcessed,
    /// Its blocks were listed, and nothing else was done (`--explain`).
    Explained,
    /// A part of it landed, or would (`--dry-run`): the rest failed (`--partial`) or was put off (`--context`, a receipt).
    Partial,
    /// It was refused before any file was touched.
    #[default]
    Rejected,
    /// It was applied, then a check or a person said no, and every file is as it was.
    RolledBack,
    /// It was applied, then refused, and could not be rolled back yet: some files still have the new content.
    RecoveryNeeded,
    /// The user interrupted it, and every file is as it was.
    Interrupted,
}

impl Status {
    /// The name in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Status::Committed => "committed",
            Status::Validated => "validated",
            Status::Unchanged => "unchanged",
            Status::AlreadyProcessed => "already_processed",
            Status::Explained => "explained",
            Status::Partial => "partial",
            Status::Rejected => "rejected",
            Status::RolledBack => "rolled_back",
            Status::RecoveryNeeded => "recovery_needed",
            Status::Interrupted => "interrupted",
        }
    }

    /// The exit code of a command that ends with this status.
    #[must_use]
    pub const fn exit_code(self) -> u8 {
        match self {
            Status::Committed
            | Status::Validated
            | Status::Unchanged
            | Status::AlreadyProcessed
            | Status::Explained => 0,
            Status::Rejected | Status::RolledBack | Status::RecoveryNeeded => 1,
            Status::Partial => 3,
            Status::Interrupted => 130,
        }
    }
}

/// What the submission does to one path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FileOperation {
    /// The file is new.
    Create,
    /// Its content changes.
    Modify,
    /// It is deleted.
    Delete,
    /// It is renamed, and may change.
    Rename,
}

impl FileOperation {
    /// The name in JSON and in the ledger.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            FileOperation::Create => "create",
            FileOperation::Modify => "modify",
            FileOperation::Delete => "delete",
            FileOperation::Rename => "rename",
        }
    }
}

/// The status of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FileStatus {
    /// It is as the submission wants it, on disk and on the ledger.
    Applied,
    /// It would be.
    Validated,
    /// It was already so.
    Unchanged,
    /// Some of its edits are applied and others could not be (`--partial`).
    Partial,
    /// Its edit could not be applied.
    Failed,
    /// It cannot be edited this way, for instance because it is binary.
    Skipped,
    /// The author had not seen it; its edit is deferred.
    NotInContext,
    /// Its edit was fine, but the submission did not land.
    NotApplied,
    /// It was changed and then restored.
    RolledBack,
    /// It was changed, and whether it was restored is unknown: `relay recover` finds out.
    NotRolledBack,
}

impl FileStatus {
    /// The name in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            FileStatus::Applied => "applied",
            FileStatus::Validated => "validated",
            FileStatus::Unchanged => "unchanged",
            FileStatus::Partial => "partial",
            FileStatus::Failed => "failed",
            FileStatus::Skipped => "skipped",
            FileStatus::NotInContext => "not_in_context",
            FileStatus::NotApplied => "not_applied",
            FileStatus::RolledBack => "rolled_back",
            FileStatus::NotRolledBack => "not_rolled_back",
        }
    }
}

/// One file of a submission.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FileReport {
    /// The path; for a rename the new one.
    pub path: String,
    /// What the submission does to it.
    pub operation: FileOperation,
    /// The old path of a rename.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub renamed_from: Option<String>,
    /// Its status.
    pub status: FileStatus,
    /// Lines added.
    pub added: usize,
    /// Lines removed.
    pub removed: usize,
    /// What happens to its permissions, or to it as a link.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<ModeChange>,
    /// How its edits were placed (`exact`, `whole file`, …).
    pub placement: String,
}

impl FileReport {
    /// A file about which nothing else is known yet.
    pub(crate) fn new(path: &str, operation: FileOperation) -> Self {
        Self {
            path: path.to_owned(),
            operation,
            renamed_from: None,
            status: FileStatus::NotApplied,
            added: 0,
            removed: 0,
            mode: None,
            placement: String::new(),
        }
    }
}

/// Something of a submission that did not land.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Missing<'a> {
    /// The file, where one is named.
    pub path: Option<&'a str>,
    /// The file's status (`failed`, `skipped`, `not_in_context`, `partial`), or else the code of the finding.
    pub reason: &'a str,
    /// The line of the reply, for what is not a file's edit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
}

/// The outcome of a submission.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// How it ended.
    pub status: Status,
    /// The transaction, once there is one.
    pub uuid: Option<Uuid>,
    /// For an undo: what it undoes, newest first.
    pub undoes: Vec<Undoes>,
    /// Whether it undoes nothing but undos: a redo.
    pub is_redo: bool,
    /// Every file the submission names that could be understood.
    pub files: Vec<FileReport>,
    /// The commands that ran, with their results.
    pub checks: Vec<CheckRecord>,
    /// Everything a person or a model should know.
    pub diagnostics: Vec<Diagnostic>,
    /// Every block of the reply and how it was classified.
    pub blocks: Vec<Block>,
    /// The exact changes, for showing a diff; not part of the JSON document.
    pub changes: Vec<FileChange>,
    /// The changes that were only computed (`--dry-run`), for showing a diff.
    pub preview: Vec<FileChange<Content>>,
    /// The message that asks a model for what failed, if requested.
    pub repair_prompt: Option<String>,
    /// Whether it was only computed (`--dry-run`).
    pub dry_run: bool,
    /// Parts of the submission failed and were left out, as `--partial` asks for.
    pub(crate) incomplete: bool,
}

impl Outcome {
    /// An outcome in which nothing has happened yet.
    #[must_use]
    pub fn rejected(diagnostics: Vec<Diagnostic>) -> Self {
        Self { diagnostics, ..Self::default() }
    }

    /// Parts of the submission failed: that refuses it, unless landing the others was asked for.
    pub(crate) fn lose(&mut self, failures: Vec<Diagnostic>, partial: bool) -> Result<(), Stop> {
        if failures.is_empty() {
            return Ok(());
        }
        if !partial {
            return Err(Stop::Refused(failures));
        }
        self.diagnostics.extend(failures);
        self.incomplete = true;
        Ok(())
    }

    /// The files that changed, or would.
    pub fn landed(&self) -> impl Iterator<Item = &FileReport> {
        let has_landed = |file: &&FileReport| {
            matches!(file.status, FileStatus::Applied | FileStatus::Validated | FileStatus::Partial)
        };
        self.files.iter().filter(has_landed)
    }

    /// Whether edits were deferred because the model had not seen their files.
    pub(crate) fn has_put_off(&self) -> bool {
        self.files.iter().any(|file| file.status == FileStatus::NotInContext)
    }

    /// What did not land of a submission that landed in part, in the order of the files; last what could not even be read
    /// as an edit of a file.
    #[must_use]
    pub fn missing(&self) -> Vec<Missing<'_>> {
        if self.status != Status::Partial {
            return Vec::new();
        }
        let is_missing = |file: &&FileReport| {
            use FileStatus::{Failed, NotInContext, Partial, Skipped};
            matches!(file.status, Failed | Skipped | NotInContext | Partial)
        };
        let files = self.files.iter().filter(is_missing);
        let named: HashSet<&str> = files.clone().map(|file| file.path.as_str()).collect();
        let is_named = |error: &Diagnostic| error.path.as_deref().is_some_and(|path| named.contains(path));
        let files =
            files.map(|file| Missing { path: Some(&file.path), reason: file.status.name(), line: None });
        let others = self.diagnostics.iter().filter(|found| found.is_error() && !is_named(found));
        let others = others.map(|error| Missing {
            path: error.path.as_deref(),
            reason: error.code.as_str(),
            line: error.line,
        });
        files.chain(others).collect()
    }

    /// Sets the final status of every file that was going to change.
    pub(crate) fn settle(&mut self, status: Status) {
        self.status = status;
        let settled = match status {
            Status::Partial if self.dry_run => FileStatus::Validated,
            Status::Committed | Status::Partial => FileStatus::Applied,
            Status::Validated => FileStatus::Validated,
            Status::Unchanged | Status::AlreadyProcessed => FileStatus::Unchanged,
            Status::Rejected | Status::Explained => FileStatus::NotApplied,
            Status::RolledBack | Status::Interrupted => FileStatus::RolledBack,
            Status::RecoveryNeeded => FileStatus::NotRolledBack,
        };
        for file in &mut self.files {
            let decided = matches!(
                file.status,
                FileStatus::Unchanged | FileStatus::Failed | FileStatus::Skipped | FileStatus::NotInContext
            );
            let lands = matches!(settled, FileStatus::Applied | FileStatus::Validated);
            let in_part = lands && file.status == FileStatus::Partial;
            if !decided && !in_part {
                file.status = settled;
            }
        }
    }
}
