//! The simulated disk: what is kept of a run, and what goes wrong in it.

mod operations;

use std::cell::{RefCell, RefMut};
use std::collections::BTreeSet;
use std::io;
use std::rc::Rc;

use super::Dice;
use super::volume::{Inode, Promise, Volume};
use crate::layout::LOCK;

/// What goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Operation `n` fails with this error; what it had to sync is lost.
    Fail(usize, io::ErrorKind),
    /// From operation `n` on, the disk is full.
    Full(usize),
    /// Just before operation `n`, another program writes a file, in place or by renaming another one over it, if the
    /// folder for it is there. From then on a volume is picked, as by [`SimFs::sample`].
    Meddle(usize, &'static str, How),
}

/// The two ways in which editors save, a change of permissions alone, and a removal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    InPlace,
    Replacing,
    Permissions,
    Removing,
}

/// What the meddler writes.
pub(crate) const FOREIGN: &[u8] = b"another program's\n";

pub(super) struct Shared {
    pub(super) volume: Volume,
    operations: usize,
    fault: Option<Fault>,
    /// The volume before every operation, if they are recorded.
    snapshots: Option<Vec<Volume>>,
    /// The volume before one operation, each being as likely.
    sample: Option<Sample>,
    locked: BTreeSet<Inode>,
    /// Whether another program wrote something.
    meddled: bool,
    /// What another process does, once this many moments have passed at which it can.
    interlude: Option<(usize, Box<dyn FnOnce()>)>,
}

/// Picks one of the states that pass by, without keeping the others or knowing how many will come.
struct Sample {
    dice: Dice,
    seen: usize,
    volume: Option<Volume>,
}

/// A disk in memory.
#[derive(Clone)]
pub(crate) struct SimFs(Rc<RefCell<Shared>>);

/// A lock that is released when it is dropped.
pub(crate) struct SimLock(Rc<RefCell<Shared>>, Inode);

impl Drop for SimLock {
    fn drop(&mut self) {
        self.0.borrow_mut().locked.remove(&self.1);
        interlude(&self.0);
    }
}

/// One moment passes, if the ledger's lock is free.
fn interlude(shared: &RefCell<Shared>) {
    let act = {
        let mut shared = shared.borrow_mut();
        let lock = shared.volume.lookup(LOCK);
        if lock.is_some_and(|lock| shared.locked.contains(&lock)) {
            return;
        }
        match shared.interlude.take() {
            Some((0, act)) => act,
            Some((n, act)) => {
                shared.interlude = Some((n - 1, act));
                return;
            }
            None => return,
        }
    };
    act();
}

impl SimFs {
    /// An empty disk.
    pub(crate) fn new(promise: Promise) -> Self {
        Self::from_volume(Volume::new(promise))
    }

    pub(super) fn from_volume(volume: Volume) -> Self {
        Self(Rc::new(RefCell::new(Shared {
            volume,
            operations: 0,
            fault: None,
            snapshots: None,
            sample: None,
            locked: BTreeSet::new(),
            meddled: false,
            interlude: None,
        })))
    }

    /// Lets another process act at the `n`-th moment from now on at which the ledger's lock is free: before an
    /// operation, or when the lock has just become free.
    pub(super) fn set_interlude(&self, n: usize, act: impl FnOnce() + 'static) {
        self.0.borrow_mut().interlude = Some((n, Box::new(act)));
    }

    /// Whether the other process has had its turn.
    pub(super) fn had_interlude(&self) -> bool {
        self.0.borrow().interlude.is_none()
    }

    pub(super) fn shared(&self) -> RefMut<'_, Shared> {
        self.0.borrow_mut()
    }

    pub(super) fn volume(&self) -> Volume {
        self.0.borrow().volume.clone()
    }

    /// From now on, keeps the volume before every operation.
    pub(crate) fn record(&self) {
        self.0.borrow_mut().snapshots = Some(Vec::new());
    }

    pub(super) fn take_snapshots(&self) -> Vec<Volume> {
        self.0.borrow_mut().snapshots.replace(Vec::new()).unwrap_or_default()
    }

    /// From now on, picks the volume before one of the operations.
    pub(super) fn sample(&self, dice: &mut Dice) {
        let dice = Dice::new(dice.next());
        self.0.borrow_mut().sample = Some(Sample { dice, seen: 0, volume: None });
    }

    /// The volume that was picked, unless there was no operation.
    pub(super) fn take_sample(&self) -> Option<Volume> {
        self.0.borrow_mut().sample.take()?.volume
    }

    /// Counts operations from zero, and lets one go wrong.
    pub(crate) fn set_fault(&self, fault: Option<Fault>) {
        let mut shared = self.0.borrow_mut();
        shared.operations = 0;
        shared.fault = fault;
    }

    /// Whether [`Fault::Meddle`] came to pass.
    pub(super) fn was_meddled(&self) -> bool {
        self.0.borrow().meddled
    }

    /// How many operations there were since the fault was set.
    pub(crate) fn operations(&self) -> usize {
        self.0.borrow().operations
    }

    /// Starts one operation: the others' turn, snapshot, fault, count.
    fn step(&self, needs_space: bool) -> io::Result<()> {
        interlude(&self.0);
        let mut shared = self.0.borrow_mut();
        if shared.snapshots.is_some() {
            let volume = shared.volume.clone();
            shared.snapshots.as_mut().unwrap().push(volume);
        }
        if let Some(mut sample) = shared.sample.take() {
            sample.seen += 1;
            if sample.dice.below(sample.seen) == 0 {
                sample.volume = Some(shared.volume.clone());
            }
            shared.sample = Some(sample);
        }
        let n = shared.operations;
        shared.operations += 1;
        match shared.fault {
            Some(Fault::Meddle(at, path, how)) if at == n => {
                drop(shared);
                if how == How::Replacing {
                    self.foreign_remove(path);
                }
                let meddled = match how {
                    How::Removing => {
                        self.foreign_remove(path);
                        true
                    }
                    How::Permissions => self.foreign_chmod(path, 0o100_600),
                    How::InPlace | How::Replacing => self.foreign_write(path, FOREIGN),
                };
                if meddled {
                    self.foreign_sync(path);
                    self.sample(&mut Dice::new(n as u64));
                }
                self.0.borrow_mut().meddled = meddled;
                Ok(())
            }
            Some(Fault::Fail(at, kind)) if at == n => Err(kind.into()),
            Some(Fault::Full(from)) if n >= from && needs_space => Err(io::ErrorKind::StorageFull.into()),
            _ => Ok(()),
        }
    }
}
