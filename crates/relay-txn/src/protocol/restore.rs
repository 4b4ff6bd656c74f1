//! Going back for one path: taking away what came, and bringing back what was there.

use std::io;

use uuid::Uuid;

use super::rollback::Work;
use super::{Protocol, Seen};
use crate::error::{At, TxnError};
use crate::fs::{Attributes, Fs, Kind, Like, Rename, is_link};
use crate::layout;
use crate::record::{ChangeRecord, Stored};
use crate::state_folder::unlink_if_there;

impl<F: Fs> Protocol<F> {
    /// Takes away a file that did not exist before.
    pub(super) fn remove_created(
        &self,
        n: usize,
        change: &ChangeRecord,
        work: &mut Work<'_>,
    ) -> Result<(), TxnError> {
        let path = change.path.as_str();
        let slot = layout::slot(work.record.uuid, n);
        let is_ours = |seen: &Seen| change.after.as_ref().is_some_and(|after| seen.has_content(after));
        match self.see(&slot)? {
            Seen::Missing => {}
            staged if is_ours(&staged) => {
                // A rename that a crash cut in two leaves the one file under both names.
                return match self.look(path)? {
                    Some(found) if found.inode.is_some() && found.inode == staged.inode() => {
                        unlink_if_there(&self.fs, path)
                    }
                    // Still staged, or already taken away: whatever is at the path is another program's.
                    _ => Ok(()),
                };
            }
            _ => return self.rescue(n, &slot, path, work),
        }
        // A folder is nothing that a change creates: it was there before, or others made it.
        if matches!(self.see(path)?, Seen::Missing | Seen::Other(Kind::Folder)) {
            return Ok(());
        }
        self.displace(path, &slot)?;
        match self.see(&slot)? {
            seen if is_ours(&seen) => self.free(change, &slot),
            _ => self.rescue(n, &slot, path, work),
        }
    }

    /// Brings back a file that existed before.
    pub(super) fn restore(
        &self,
        n: usize,
        change: &ChangeRecord,
        before: &Stored,
        work: &mut Work<'_>,
    ) -> Result<(), TxnError> {
        let path = change.path.as_str();
        let is_ours = |seen: &Seen| change.after.as_ref().is_some_and(|after| seen.has_content(after));
        // An earlier rollback got as far as moving something out of the way.
        let aside = layout::aside(work.record.uuid, n);
        match self.see(&aside)? {
            Seen::Missing => {}
            seen if is_ours(&seen) || seen.has_content(before) => {}
            _ => self.rescue(n, &aside, path, work)?,
        }
        let displaced = self.sound_displaced(n, change, before, work)?;
        let current = self.see(path)?;
        if current.is(before) && self.belongs(path, &current, change, before)? {
            return match displaced {
                Some((name, seen)) if !seen.is(before) => self.rescue(n, &name, path, work),
                _ => Ok(()),
            };
        }
        let source = match displaced {
            Some((name, _)) => name,
            None if self.had_gone(n, change, &current, work)? => {
                self.rewrite(n, before, like(&current, path), work)?
            }
            // Another program changed the file before this change reached it.
            None => return Ok(()),
        };
        self.fs.touch(&source).at("touch", path)?;
        let is_free = match current {
            Seen::Missing => true,
            Seen::Other(Kind::Folder) => self.remove_if_empty(path)?,
            Seen::File(..) | Seen::Other(_) => false,
        };
        if is_free {
            self.make_way(path, work)?;
            return self.place(&source, path);
        }
        let replaced = self.put_over(&source, path, &aside)?;
        // What was there a moment ago counts, not what was seen before.
        match self.see(&replaced)? {
            seen if is_ours(&seen) => self.free(change, &replaced),
            Seen::Missing => Ok(()),
            _ => self.rescue(n, &replaced, path, work),
        }
    }

    /// The displaced file of the `n`-th change, if it can be trusted. One that was changed in the stage is set aside.
    fn sound_displaced(
        &self,
        n: usize,
        change: &ChangeRecord,
        before: &Stored,
        work: &mut Work<'_>,
    ) -> Result<Option<(String, Seen)>, TxnError> {
        let displaced = self.find_displaced(n, change, work.record.uuid)?;
        match &displaced {
            Some((name, seen)) if work.distrusts_stage && !seen.is(before) => {
                // It was what the record says when it was displaced, so it was changed in the stage. The record itself
                // still has the original; if it does not, both stay where they are.
                self.content(before)?;
                self.keep_damaged(n, name, change.path.as_str(), work)?;
                work.damaged_slots.insert(n);
                Ok(None)
            }
            _ => Ok(displaced),
        }
    }

    /// Whether the file of the `n`-th change was no longer at its path when the transaction stopped, so that its old
    /// content has to be written again.
    fn had_gone(
        &self,
        n: usize,
        change: &ChangeRecord,
        current: &Seen,
        work: &Work<'_>,
    ) -> Result<bool, TxnError> {
        let is_ours = change.after.as_ref().is_some_and(|after| current.has_content(after));
        // A folder that the transaction made takes the place of a file that had gone.
        let is_made =
            matches!(current, Seen::Other(Kind::Folder)) && work.record.folders.contains(&change.path);
        if is_made
            || is_ours
            || work.damaged_slots.contains(&n)
            // What a command changed was never displaced; later changes by other programs are rescued.
            || change.by.is_some()
            || matches!(current, Seen::Missing)
        {
            return Ok(true);
        }
        // If the staged file is gone, it had landed, and another program changed the file afterwards.
        Ok(change.after.is_some() && !self.is_staged(n, work.record.uuid)?)
    }

    /// Whether a file that is what it was also has what it had besides, where the transaction took that away.
    fn belongs(
        &self,
        path: &str,
        current: &Seen,
        change: &ChangeRecord,
        before: &Stored,
    ) -> Result<bool, TxnError> {
        let (Some(had), Some(_), Seen::File(_, stat)) = (&before.belongings, &change.after, current) else {
            return Ok(true);
        };
        Ok(self.belongings(path, *stat)?.is_none_or(|has| has == *had))
    }

    /// What a command wrote is in the record, and the space it takes may be needed to go on. What Relay wrote can wait:
    /// as long as it is staged, a second rollback knows that it was taken away.
    fn free(&self, change: &ChangeRecord, name: &str) -> Result<(), TxnError> {
        if change.by.is_some() { unlink_if_there(&self.fs, name) } else { Ok(()) }
    }

    /// Whether the new content of a change is, or what it displaced is kept, in its slot.
    fn is_staged(&self, n: usize, uuid: Uuid) -> Result<bool, TxnError> {
        let slot = layout::slot(uuid, n);
        Ok(self.fs.stat(&slot).at("look at", &slot)?.is_some())
    }

    /// The file that was displaced by the `n`-th change, if it was and still exists.
    fn find_displaced(
        &self,
        n: usize,
        change: &ChangeRecord,
        uuid: Uuid,
    ) -> Result<Option<(String, Seen)>, TxnError> {
        let name = layout::displaced(uuid, n);
        let seen = self.see(&name)?;
        if !matches!(seen, Seen::Missing) {
            return Ok(Some((name, seen)));
        }
        let name = layout::slot(uuid, n);
        let seen = self.see(&name)?;
        let staged = change.after.as_ref().is_some_and(|after| seen.has_content(after))
            && !change.before.as_ref().is_some_and(|before| seen.is(before));
        Ok((!staged && !matches!(seen, Seen::Missing)).then_some((name, seen)))
    }

    /// Exchanges, or moves one away and the other in; returns the name under which the replaced file is kept.
    fn put_over(&self, source: &str, path: &str, aside: &str) -> Result<String, TxnError> {
        match self.fs.rename(source, path, Rename::Exchange) {
            Ok(()) => Ok(source.to_owned()),
            Err(error) if error.kind() == io::ErrorKind::Unsupported => {
                self.displace(path, aside)?;
                self.place(source, path)?;
                Ok(aside.to_owned())
            }
            Err(error) if self.is_gone(path, &error) => Err(TxnError::Changed { path: path.to_owned() }),
            Err(error) => Err(TxnError::io("restore", path, error)),
        }
    }

    /// Writes the old content anew, where the displaced file did not survive. It takes that file's place in the stage,
    /// so that whatever happens next is the same for both.
    fn rewrite(
        &self,
        n: usize,
        before: &Stored,
        like: Option<&str>,
        work: &mut Work<'_>,
    ) -> Result<String, TxnError> {
        let slot = layout::slot(work.record.uuid, n);
        let name = format!("{slot}.again");
        unlink_if_there(&self.fs, &name)?;
        let bytes = self.content(before)?;
        if is_link(before.mode) {
            self.fs.symlink(&bytes, &name).at("write", &name)?;
            if let Some(belongings) = &before.belongings {
                self.fs.give(&name, belongings.owner).at("restore", &name)?;
            }
        } else {
            let belongings = before.belongings.as_ref();
            let like = like.filter(|_| belongings.is_none()).map(|path| Like { path, bare: None });
            let mode = Some(before.mode & 0o7777);
            let attributes = Attributes { mode, like, belongings, folder: None };
            self.fs.write_new(&name, &bytes, attributes).at("write", &name)?;
            // Durable before it takes the path: half a file there would look like another program's.
            self.fs.sync(std::slice::from_ref(&name), &[]).at("sync", &name)?;
        }
        if let Some(belongings) = &before.belongings
            && let Some(stat) = self.fs.stat(&name).at("look at", &name)?
            && self.belongings(&name, stat)?.is_some_and(|has| has != *belongings)
            && let Some(change) = work.record.changes.get(n)
        {
            work.disowned.push(change.path.clone());
        }
        self.fs.rename(&name, &slot, Rename::Replace).at("restore", &slot)?;
        Ok(slot)
    }
}

/// The file whose owner and attributes a rewritten one takes over.
fn like<'a>(current: &Seen, path: &'a str) -> Option<&'a str> {
    matches!(current, Seen::File(_, stat) if stat.kind == Kind::File).then_some(path)
}
