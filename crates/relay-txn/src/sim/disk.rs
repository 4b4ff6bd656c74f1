//! The simulated disk: the operations, their faults, and what other programs do meanwhile.

use std::cell::{RefCell, RefMut};
use std::collections::BTreeSet;
use std::io;
use std::rc::Rc;

use super::Dice;
use super::state::{Data, Inode, Node, Promise, State};
use crate::fs::{Attributes, Found, Fs, Kind, Rename, Stat};

/// What goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Operation `n` fails with this error; what it had to sync is lost.
    Fail(usize, io::ErrorKind),
    /// From operation `n` on, the disk is full.
    Full(usize),
    /// Just before operation `n`, somebody else writes a file, in place or by renaming another one over it.
    Meddle(usize, &'static str, How),
}

/// The two ways in which editors save.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    InPlace,
    Replacing,
}

/// What the meddler writes.
pub(crate) const FOREIGN: &[u8] = b"somebody else's\n";

pub(super) struct Shared {
    pub(super) state: State,
    operations: usize,
    fault: Option<Fault>,
    /// The state before every operation, if they are recorded.
    snapshots: Option<Vec<State>>,
    /// The state before one operation, each being as likely.
    sample: Option<Sample>,
    locked: BTreeSet<Inode>,
}

/// Picks one of the states that pass by, without keeping the others or knowing how many will come.
struct Sample {
    dice: Dice,
    seen: usize,
    state: Option<State>,
}

/// A disk in memory.
#[derive(Clone)]
pub(crate) struct SimFs(Rc<RefCell<Shared>>);

/// A lock that is released when it is dropped.
pub(crate) struct SimLock(Rc<RefCell<Shared>>, Inode);

impl Drop for SimLock {
    fn drop(&mut self) {
        self.0.borrow_mut().locked.remove(&self.1);
    }
}

impl SimFs {
    /// An empty disk.
    pub(crate) fn new(promise: Promise) -> Self {
        Self::from_state(State::new(promise))
    }

    pub(super) fn from_state(state: State) -> Self {
        Self(Rc::new(RefCell::new(Shared {
            state,
            operations: 0,
            fault: None,
            snapshots: None,
            sample: None,
            locked: BTreeSet::new(),
        })))
    }

    pub(super) fn shared(&self) -> RefMut<'_, Shared> {
        self.0.borrow_mut()
    }

    pub(super) fn state(&self) -> State {
        self.0.borrow().state.clone()
    }

    /// From now on, keeps the state before every operation.
    pub(crate) fn record(&self) {
        self.0.borrow_mut().snapshots = Some(Vec::new());
    }

    pub(super) fn take_snapshots(&self) -> Vec<State> {
        self.0.borrow_mut().snapshots.replace(Vec::new()).unwrap_or_default()
    }

    /// From now on, picks the state before one of the operations.
    pub(super) fn sample(&self, dice: &mut Dice) {
        let dice = Dice::new(dice.next());
        self.0.borrow_mut().sample = Some(Sample { dice, seen: 0, state: None });
    }

    /// The state that was picked, unless there was no operation.
    pub(super) fn take_sample(&self) -> Option<State> {
        self.0.borrow_mut().sample.take()?.state
    }

    /// Counts operations from zero, and lets one go wrong.
    pub(crate) fn set_fault(&self, fault: Option<Fault>) {
        let mut shared = self.0.borrow_mut();
        shared.operations = 0;
        shared.fault = fault;
    }

    /// How many operations there were since the fault was set.
    pub(crate) fn operations(&self) -> usize {
        self.0.borrow().operations
    }

    /// Starts one operation: snapshot, fault, count.
    fn step(&self, needs_space: bool) -> io::Result<()> {
        let mut shared = self.0.borrow_mut();
        if shared.snapshots.is_some() {
            let state = shared.state.clone();
            shared.snapshots.as_mut().unwrap().push(state);
        }
        if let Some(mut sample) = shared.sample.take() {
            sample.seen += 1;
            if sample.dice.below(sample.seen) == 0 {
                sample.state = Some(shared.state.clone());
            }
            shared.sample = Some(sample);
        }
        let n = shared.operations;
        shared.operations += 1;
        match shared.fault {
            Some(Fault::Meddle(at, path, how)) if at == n => {
                drop(shared);
                if how == How::Replacing && self.stat(path)?.is_some() {
                    self.foreign_remove(path);
                }
                self.foreign_write(path, FOREIGN);
                Ok(())
            }
            Some(Fault::Fail(at, kind)) if at == n => Err(kind.into()),
            Some(Fault::Full(from)) if n >= from && needs_space => Err(io::ErrorKind::StorageFull.into()),
            _ => Ok(()),
        }
    }
}

impl Fs for SimFs {
    type Lock = SimLock;

    fn permits(&self, path: &str) -> bool {
        !path.starts_with(".relaycode")
    }

    fn stat(&self, path: &str) -> io::Result<Option<Stat>> {
        let state = &self.0.borrow().state;
        Ok(state.lookup(path).map(|inode| state.stat(inode)))
    }

    fn read(&self, path: &str, limit: u64) -> io::Result<Found> {
        let state = &self.0.borrow().state;
        let Some(inode) = state.lookup(path) else { return Ok(Found::Missing) };
        match &state.nodes[&inode] {
            Node::Folder { .. } => Ok(Found::Irregular(Kind::Folder)),
            Node::File { now, .. } if now.bytes.len() as u64 > limit => {
                Err(io::ErrorKind::FileTooLarge.into())
            }
            Node::File { now, .. } => Ok(Found::File(now.bytes.to_vec(), state.stat(inode))),
        }
    }

    fn list(&self, folder: &str) -> io::Result<Vec<String>> {
        let state = &self.0.borrow().state;
        let Some(folder) = state.lookup(folder) else { return Ok(Vec::new()) };
        let names =
            state.names.range((folder, String::new())..).take_while(|((parent, _), _)| *parent == folder);
        Ok(names.map(|((_, name), _)| name.clone()).collect())
    }

    fn list_stats(&self, folder: &str) -> io::Result<Vec<(String, Stat)>> {
        let names = self.list(folder)?;
        let stat = |name: String| {
            let stat = self.stat(&format!("{folder}/{name}"))?.ok_or(io::ErrorKind::NotFound)?;
            Ok((name, stat))
        };
        names.into_iter().map(stat).collect()
    }

    fn append(&self, path: &str, more: &[u8]) -> io::Result<()> {
        if self.stat(path)?.is_none() {
            return self.write_new(path, more, Attributes::PRIVATE);
        }
        self.step(true)?;
        let state = &mut self.0.borrow_mut().state;
        let inode = state.lookup(path).ok_or(io::ErrorKind::NotFound)?;
        if let Some(Node::File { now, .. }) = state.nodes.get_mut(&inode) {
            now.bytes = [&*now.bytes, more].concat().into();
        }
        Ok(())
    }

    fn write_new(&self, path: &str, bytes: &[u8], attributes: Attributes<'_>) -> io::Result<()> {
        self.step(true)?;
        let state = &mut self.0.borrow_mut().state;
        state.clock += 1;
        let now = Data { bytes: bytes.into(), mode: 0o100_000 | attributes.mode.unwrap_or(0o644) };
        let node = Node::File { now, durable: None, poisoned: false, modified: state.clock };
        state.add(path, node).map(|_| ())
    }

    fn rename(&self, from: &str, to: &str, how: Rename) -> io::Result<()> {
        self.step(false)?;
        let state = &mut self.0.borrow_mut().state;
        let (from, to) = (state.place(from)?, state.place(to)?);
        let moved = *state.names.get(&from).ok_or(io::ErrorKind::NotFound)?;
        let replaced = state.names.get(&to).copied();
        match (how, replaced) {
            (Rename::NoReplace, Some(_)) => Err(io::ErrorKind::AlreadyExists.into()),
            (Rename::Exchange, _) if !state.promise.exchange => Err(io::ErrorKind::Unsupported.into()),
            (Rename::Exchange, None) => Err(io::ErrorKind::NotFound.into()),
            (Rename::Exchange, Some(replaced)) => {
                state.change(vec![(to, Some(moved)), (from, Some(replaced))]);
                Ok(())
            }
            (Rename::NoReplace | Rename::Replace, _) => {
                state.change(vec![(to, Some(moved)), (from, None)]);
                Ok(())
            }
        }
    }

    fn unlink(&self, path: &str) -> io::Result<()> {
        self.step(false)?;
        let state = &mut self.0.borrow_mut().state;
        let place = state.place(path)?;
        let inode = *state.names.get(&place).ok_or(io::ErrorKind::NotFound)?;
        if matches!(state.nodes[&inode], Node::Folder { .. }) {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        state.change(vec![(place, None)]);
        Ok(())
    }

    fn mkdir(&self, path: &str, mode: Option<u32>) -> io::Result<()> {
        self.step(true)?;
        let node = Node::Folder { mode: 0o40_000 | mode.unwrap_or(0o755) };
        self.0.borrow_mut().state.add(path, node).map(|_| ())
    }

    fn rmdir(&self, path: &str) -> io::Result<()> {
        self.step(false)?;
        let state = &mut self.0.borrow_mut().state;
        let place = state.place(path)?;
        let inode = *state.names.get(&place).ok_or(io::ErrorKind::NotFound)?;
        if !state.is_empty(inode) {
            return Err(io::ErrorKind::DirectoryNotEmpty.into());
        }
        state.change(vec![(place, None)]);
        Ok(())
    }

    fn set_mode(&self, path: &str, new: u32) -> io::Result<()> {
        self.step(false)?;
        let state = &mut self.0.borrow_mut().state;
        let inode = state.lookup(path).ok_or(io::ErrorKind::NotFound)?;
        if let Some(Node::Folder { mode }) = state.nodes.get_mut(&inode) {
            *mode = 0o40_000 | new;
        }
        Ok(())
    }

    fn touch(&self, path: &str) -> io::Result<()> {
        self.step(false)?;
        let state = &mut self.0.borrow_mut().state;
        state.clock += 1;
        let clock = state.clock;
        let inode = state.lookup(path).ok_or(io::ErrorKind::NotFound)?;
        if let Some(Node::File { modified, .. }) = state.nodes.get_mut(&inode) {
            *modified = clock;
        }
        Ok(())
    }

    fn sync(&self, files: &[String], folders: &[String]) -> io::Result<()> {
        for file in files {
            let failed = self.step(false);
            let state = &mut self.0.borrow_mut().state;
            let inode = state.lookup(file).ok_or(io::ErrorKind::NotFound)?;
            if let Some(Node::File { now, durable, poisoned, .. }) = state.nodes.get_mut(&inode) {
                *poisoned |= failed.is_err();
                if !*poisoned {
                    *durable = Some(now.clone());
                }
            }
            failed?;
        }
        for folder in folders {
            self.step(false)?;
            let state = &mut self.0.borrow_mut().state;
            let inode = state.lookup(folder).ok_or(io::ErrorKind::NotFound)?;
            state.sync_names(inode);
        }
        Ok(())
    }

    fn try_lock(&self, path: &str, create: bool) -> io::Result<Option<SimLock>> {
        let found = self.0.borrow().state.lookup(path);
        if found.is_none() && create {
            self.write_new(path, b"", Attributes::PRIVATE)?;
        }
        let inode = self.0.borrow().state.lookup(path).ok_or(io::ErrorKind::NotFound)?;
        let fresh = self.0.borrow_mut().locked.insert(inode);
        Ok(fresh.then(|| SimLock(Rc::clone(&self.0), inode)))
    }
}
