//! The ledger of one workspace, as the rest of Relay sees it.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use relay_workspace::{Ignored, Workspace};
use uuid::Uuid;

use crate::capture::{self, Effects, Memory, Scan, Unattributed};
use crate::disk::Disk;
use crate::draft::{Draft, Image, Verdict};
use crate::error::{At, TxnError};
use crate::key::LedgerKey;
use crate::protocol::{Entries, Forgotten, Kept, Open, Protocol, Recovered, RolledBack, Unfinished};
use crate::record::{Record, Stored};

/// How often a reserved path is checked again. Checks take seconds, so the delay is not noticeable.
const LEASE_POLL: Duration = Duration::from_millis(25);
/// How often a scan is made again because something landed meanwhile; after that, adopting its result is refused.
const MAX_RESCANS: usize = 8;

/// The history of a workspace's transactions, and the only way to make a new one.
///
/// Cheap to clone; all clones, and all processes, share the one on disk.
#[derive(Clone)]
pub struct Ledger {
    protocol: Arc<Protocol<Disk>>,
    memory: Arc<Memory>,
}

impl Ledger {
    /// Opens the ledger of a workspace, whether there is one yet or not. Creates nothing.
    ///
    /// # Errors
    /// The workspace's folder can no longer be opened.
    pub fn open(workspace: &Workspace, key: LedgerKey) -> Result<Self, TxnError> {
        let disk = Disk::new(workspace).at("open", "the workspace")?;
        Ok(Self { protocol: Arc::new(Protocol::new(disk, key)), memory: Arc::default() })
    }

    /// Calls `tell` whenever another process holds the ledger for longer than the usual milliseconds, for example
    /// because it was stopped. Only the first callback given is used.
    pub fn tell_waits(&self, tell: impl Fn() + Send + Sync + 'static) {
        self.protocol.tell_waits(Box::new(tell));
    }

    /// Undoes what a dead process left half done. Runs automatically before every [`Ledger::begin`].
    ///
    /// # Errors
    /// The state folder cannot be read, or the lock did not become free. A single transaction that cannot be undone
    /// is not an error here but an [`crate::Recovery::Stuck`].
    pub fn recover(&self) -> Result<Vec<Recovered>, TxnError> {
        self.protocol.recover()
    }

    /// All transactions, oldest first; empty if there is no ledger.
    ///
    /// # Errors
    /// The state folder cannot be read. Records of other users are not an error; they are listed as foreign.
    pub fn entries(&self) -> Result<Entries, TxnError> {
        self.protocol.entries()
    }

    /// One transaction of the ledger, whole.
    ///
    /// # Errors
    /// [`TxnError::Foreign`] if a file of that name is not Relay's.
    pub fn find(&self, uuid: Uuid) -> Result<Option<Record>, TxnError> {
        self.protocol.find(uuid)
    }

    /// Whether the transaction is under way, or was interrupted and not yet recovered.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn pending(&self, uuid: Uuid) -> Result<bool, TxnError> {
        self.protocol.is_pending(uuid)
    }

    /// The transactions that are under way or were interrupted. Changes nothing, and recovers nothing.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn unfinished(&self) -> Result<Vec<Unfinished>, TxnError> {
        self.protocol.unfinished()
    }

    /// The commands that are being captured or were interrupted, and whether each is still running.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn unfinished_commands(
        &self,
        workspace: &Workspace,
    ) -> Result<Vec<(capture::Command, bool)>, TxnError> {
        capture::unfinished(self.protocol.key(), workspace)
    }

    /// Whether a transaction that is not decided works on one of these paths: a [`TxnError::Leased`] that says so. The
    /// content of such a file may be rolled back.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn lease_on<'p>(&self, paths: impl Iterator<Item = &'p str>) -> Result<Option<TxnError>, TxnError> {
        self.protocol.lease_on(paths)
    }

    /// The bytes of a file as the ledger keeps it.
    ///
    /// # Errors
    /// [`TxnError::Content`] if they are missing or damaged.
    pub fn content(&self, stored: &Stored) -> Result<Vec<u8>, TxnError> {
        self.protocol.content(stored)
    }

    /// A file as the ledger keeps it: what a change that undoes another is planned against, or makes of the file again.
    ///
    /// # Errors
    /// [`TxnError::Content`] if its bytes are missing or damaged.
    pub fn image(&self, stored: &Stored) -> Result<Image, TxnError> {
        Ok(Image::new(self.content(stored)?, stored.mode))
    }

    /// Takes records out of the ledger, for good, and removes every content that no remaining record needs. With
    /// `dry_run` nothing is removed. An undo that is kept must not lose what it undoes to this: hand over a beginning
    /// of the ledger, never something from its middle.
    ///
    /// # Errors
    /// The state folder cannot be read or changed, or holds a record that this version cannot read.
    pub fn forget(&self, uuids: &BTreeSet<Uuid>, dry_run: bool) -> Result<Forgotten, TxnError> {
        self.protocol.forget(uuids, dry_run)
    }

    /// The contents that no transaction leads to and that can be restored: what rollbacks moved aside or undid, and
    /// what lies in the stage of a transaction whose record cannot be verified.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn kept(&self) -> Result<Vec<Kept>, TxnError> {
        self.protocol.kept()
    }

    /// The bytes of such a content.
    ///
    /// # Errors
    /// [`TxnError::Content`] if they are missing or damaged.
    pub fn kept_content(&self, kept: &Kept) -> Result<Vec<u8>, TxnError> {
        self.protocol.kept_content(kept)
    }

    /// Saves a content in `.relaycode/rescued/` for a person to inspect; returns its path in the workspace.
    ///
    /// # Errors
    /// The state folder cannot be written.
    pub fn keep_aside(&self, uuid: Uuid, path: &str, bytes: &[u8]) -> Result<String, TxnError> {
        self.protocol.keep_aside(uuid, path, bytes)
    }

    /// Makes all changes of the draft, and keeps what is needed to undo them. The paths stay reserved until the
    /// transaction is committed, rolled back, or its process is dead.
    ///
    /// # Errors
    /// Any error leaves the files as they were before, except [`TxnError::RollbackFailed`].
    pub fn begin(&self, draft: Draft) -> Result<Pending, TxnError> {
        self.begin_draft(&draft)
    }

    /// Refuses a draft for every reason for which [`Ledger::begin`] would, as far as that can be seen without writing:
    /// for dry runs. Contents are not looked at, so they need not be there.
    ///
    /// # Errors
    /// The reasons against it.
    pub fn rehearse(&self, draft: &Draft) -> Result<(), TxnError> {
        self.protocol.rehearse(draft)
    }

    /// Like [`Ledger::begin`], but when another transaction works on one of the paths, asks `waits` with that error
    /// whether to wait for it. The answer should be no when the other one is waiting for the caller: a check of that
    /// very transaction, or anything it started.
    ///
    /// # Errors
    /// As [`Ledger::begin`]; [`TxnError::Leased`] or [`TxnError::InProgress`] when `waits` said no.
    pub fn begin_when_free(
        &self,
        draft: &Draft,
        mut waits: impl FnMut(&TxnError) -> bool,
    ) -> Result<Pending, TxnError> {
        loop {
            match self.begin_draft(draft) {
                Err(error @ (TxnError::Leased { .. } | TxnError::InProgress { .. })) if waits(&error) => {
                    std::thread::sleep(LEASE_POLL);
                }
                other => return other,
            }
        }
    }

    fn begin_draft(&self, draft: &Draft) -> Result<Pending, TxnError> {
        let open = self.protocol.begin(draft)?;
        let before =
            draft.changes.iter().filter_map(|change| change.before.as_ref()).map(|image| image.bytes.clone());
        Ok(Pending { ledger: self.clone(), uuid: draft.uuid, open: Some(open), before: before.collect() })
    }

    /// Scans the workspace before a command runs (`earlier` is `None`), or afterwards.
    ///
    /// # Errors
    /// The state folder cannot be used, or the contents could not be kept.
    pub fn scan(&self, workspace: &Workspace, earlier: Option<&Scan>) -> Result<Scan, TxnError> {
        capture::scan(&self.protocol, workspace, earlier, &Ignored::Not, None)
    }

    /// Looks at the workspace before a command runs, and keeps the ignored files that it is about to destroy. If this
    /// process captured commands before, and certainly nothing happened since, what it saw last is what there is.
    ///
    /// # Errors
    /// The state folder cannot be used, or the contents could not be kept.
    pub fn scan_before(&self, workspace: &Workspace, ignored: &Ignored) -> Result<Scan, TxnError> {
        self.memory.before(&self.protocol, workspace, ignored)
    }

    /// Records a scan before the command runs, so that its effect is found even if this process is killed. The
    /// journal is removed when the returned value is dropped, which must not happen before the effect is recorded.
    ///
    /// # Errors
    /// The state folder cannot be written.
    pub fn journal(
        &self,
        workspace: &Workspace,
        scan: &Scan,
        command: capture::Command,
    ) -> Result<capture::Running, TxnError> {
        // If nothing can be recorded, that must be found out before the command runs.
        self.protocol.check_lock()?;
        capture::begin(self.protocol.key(), workspace, scan, command, &self.memory)
    }

    /// The captures whose processes died before their effect was recorded.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn interrupted(&self, workspace: &Workspace) -> Result<capture::Journals, TxnError> {
        capture::interrupted(self.protocol.key(), workspace)
    }

    /// What differs from before an interrupted command, by whatever program.
    ///
    /// # Errors
    /// The workspace or the ledger cannot be read.
    pub fn effects_of(
        &self,
        workspace: &Workspace,
        interrupted: &capture::Interrupted,
    ) -> Result<Effects, TxnError> {
        interrupted.effects(&self.protocol, workspace)
    }

    /// What happened to the workspace between two scans, without what other transactions did.
    ///
    /// # Errors
    /// The ledger cannot be read.
    pub fn effects(&self, workspace: &Workspace, before: &Scan, after: &Scan) -> Result<Effects, TxnError> {
        capture::effects(&self.protocol, workspace, before, after)
    }

    /// Scans again, and says what happened since. A transaction that lands during the scan is waited out: the scan has to
    /// show all of it or nothing.
    ///
    /// # Errors
    /// The workspace or the ledger cannot be read.
    pub fn effects_since(&self, workspace: &Workspace, before: &Scan) -> Result<(Effects, Scan), TxnError> {
        let mut after = self.memory.after(&self.protocol, workspace, before)?;
        for _ in 0..MAX_RESCANS {
            if self.protocol.record_names()?.is_subset(after.known()) {
                break;
            }
            after = self.memory.after(&self.protocol, workspace, before)?;
        }
        let effects = self.effects(workspace, before, &after)?;
        Ok((effects, after))
    }

    /// Records what a command did to files before another transaction landed on them, in its place before that one. The
    /// files stay as they are, because they have changed since. The draft has the description.
    ///
    /// # Errors
    /// Any error means that nothing was recorded.
    pub fn enter_overtaken(
        &self,
        draft: Draft,
        overtaken: &capture::Overtaken,
        by: &str,
    ) -> Result<Record, TxnError> {
        self.protocol.enter_overtaken(draft, overtaken, by)
    }

    /// Begins a transaction for changes that have happened already: those of `effects`, made by `by`. The draft has its
    /// header. Also returns what was left to other transactions under way.
    ///
    /// # Errors
    /// Any; nothing was recorded, and the files are as the command left them.
    pub fn adopt(
        &self,
        draft: Draft,
        effects: &Effects,
        by: &str,
    ) -> Result<(Pending, Vec<Unattributed>), TxnError> {
        let uuid = draft.uuid;
        let (open, others) = self.protocol.adopt(draft, effects, by)?;
        Ok((Pending { ledger: self.clone(), uuid, open: Some(open), before: Vec::new() }, others))
    }
}

/// A transaction whose files have landed, waiting for its verdict. Dropping it rolls the files back.
#[must_use = "dropping a pending transaction rolls it back"]
pub struct Pending {
    ledger: Ledger,
    uuid: Uuid,
    /// Gone once the verdict is given.
    open: Option<Open<<Disk as crate::fs::Fs>::Lock>>,
    /// What the files held before, for the case that a command removes the state folder.
    before: Vec<Arc<[u8]>>,
}

impl Pending {
    /// The transaction's identity.
    pub fn uuid(&self) -> Uuid {
        self.uuid
    }

    /// Files and folders that did not get the owner, group or extended attributes the draft wanted for them, because this
    /// process may not give them.
    #[must_use]
    pub fn disowned(&self) -> &[String] {
        self.open.as_ref().map_or(&[], |open| &open.disowned)
    }

    /// Adds what a command did meanwhile, so that it is rolled back, committed and undone with the rest. Returns what
    /// was left to other transactions under way.
    ///
    /// # Errors
    /// The transaction is what it was before the call.
    pub fn extend(&mut self, effects: &Effects, by: &str) -> Result<Vec<Unattributed>, TxnError> {
        self.remake_state()?;
        match &mut self.open {
            Some(open) => self.ledger.protocol.extend(open, effects, by),
            None => Err(TxnError::Empty),
        }
    }

    /// Enters the transaction into the ledger. When this returns, it survives a power cut.
    ///
    /// # Errors
    /// It was rolled back; after [`TxnError::NotDurable`] it has landed all the same.
    pub fn commit(mut self, verdict: Verdict) -> Result<Record, TxnError> {
        match self.open.take() {
            Some(open) => {
                self.remake_state()?;
                self.ledger.protocol.commit(open, verdict)
            }
            None => Err(TxnError::Empty),
        }
    }

    /// Restores every file, and reports anything left to do.
    ///
    /// # Errors
    /// [`TxnError::RollbackFailed`]; the next recovery tries again.
    pub fn rollback(mut self) -> Result<RolledBack, TxnError> {
        match self.open.take() {
            Some(open) => {
                self.remake_state()?;
                self.ledger.protocol.abandon(open)
            }
            None => Ok(RolledBack::default()),
        }
    }

    /// If the state folder is gone and cannot be recreated, the rollback fails.
    fn remake_state(&self) -> Result<(), TxnError> {
        self.ledger.protocol.remake_state(self.uuid, &self.before).map_err(|source| {
            TxnError::RollbackFailed { uuid: self.uuid, cause: None, source: Box::new(source) }
        })
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if let Some(open) = self.open.take()
            // A destructor cannot report an error; the pending record stays, and recovery tries again.
            && let Err(_left_for_recovery) = self.ledger.protocol.abandon(open)
        {}
    }
}
