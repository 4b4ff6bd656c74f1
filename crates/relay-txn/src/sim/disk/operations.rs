//! The operations of the simulated disk. They behave like a real one's, down to which names they refuse.

use std::io;
use std::rc::Rc;

use super::{SimFs, SimLock};
use crate::fs::{Attributes, Found, Fs, Kind, Rename, Stat};
use crate::sim::state::{Data, Node};

impl Fs for SimFs {
    type Lock = SimLock;

    fn permits(&self, path: &str) -> bool {
        !path.starts_with(".relaycode")
    }

    fn stat(&self, path: &str) -> io::Result<Option<Stat>> {
        let state = &self.0.borrow().state;
        Ok(state.find(path)?.map(|inode| state.stat(inode)))
    }

    fn read(&self, path: &str, limit: u64) -> io::Result<Found> {
        let state = &self.0.borrow().state;
        let Some(inode) = state.find(path)? else { return Ok(Found::Missing) };
        match &state.nodes[&inode] {
            Node::Folder { .. } => Ok(Found::Irregular(Kind::Folder)),
            Node::Link { .. } => Ok(Found::Irregular(Kind::Symlink)),
            Node::File { now, .. } if now.bytes.len() as u64 > limit => {
                Err(io::ErrorKind::FileTooLarge.into())
            }
            Node::File { now, .. } => Ok(Found::File(now.bytes.to_vec(), state.stat(inode))),
        }
    }

    fn list(&self, folder: &str) -> io::Result<Vec<String>> {
        let state = &self.0.borrow().state;
        let Some(folder) = state.find(folder)? else { return Ok(Vec::new()) };
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

    fn read_link(&self, path: &str) -> io::Result<Option<Vec<u8>>> {
        let state = &self.0.borrow().state;
        let Some(inode) = state.find(path)? else { return Ok(None) };
        match &state.nodes[&inode] {
            Node::Link { target, .. } => Ok(Some(target.to_vec())),
            Node::Folder { .. } | Node::File { .. } => Err(io::ErrorKind::InvalidInput.into()),
        }
    }

    fn symlink(&self, target: &[u8], path: &str) -> io::Result<()> {
        self.step(true)?;
        let state = &mut self.0.borrow_mut().state;
        state.clock += 1;
        let node = Node::Link { target: target.into(), modified: state.clock };
        state.add(path, node).map(|_| ())
    }

    fn rename(&self, from: &str, to: &str, how: Rename) -> io::Result<()> {
        self.step(false)?;
        let state = &mut self.0.borrow_mut().state;
        let (from, to) = (state.place(from)?, state.place(to)?);
        let moved = *state.names.get(&from).ok_or(io::ErrorKind::NotFound)?;
        let replaced = state.names.get(&to).copied();
        if let (Rename::Replace, Some(replaced)) = (how, replaced) {
            match (state.is_folder(moved), state.is_folder(replaced)) {
                (false, false) => {}
                (true, true) if state.is_empty(replaced) => {}
                (true, true) => return Err(io::ErrorKind::DirectoryNotEmpty.into()),
                (true, false) => return Err(io::ErrorKind::NotADirectory.into()),
                (false, true) => return Err(io::ErrorKind::IsADirectory.into()),
            }
        }
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
        if state.is_folder(inode) {
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
        if !state.is_folder(inode) {
            return Err(io::ErrorKind::NotADirectory.into());
        }
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
        if let Some(Node::File { modified, .. } | Node::Link { modified, .. }) = state.nodes.get_mut(&inode) {
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
            match self.write_new(path, b"", Attributes::PRIVATE) {
                // Another program was quicker.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                other => other?,
            }
        }
        let inode = self.0.borrow().state.lookup(path).ok_or(io::ErrorKind::NotFound)?;
        let fresh = self.0.borrow_mut().locked.insert(inode);
        Ok(fresh.then(|| SimLock(Rc::clone(&self.0), inode)))
    }
}
