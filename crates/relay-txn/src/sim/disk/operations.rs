//! The operations of the simulated disk. They behave like a real one's, down to which names they refuse.

use std::io;
use std::rc::Rc;

use super::{SimFs, SimLock};
use crate::fs::{Attributes, Found, Fs, Kind, Rename, Stat};
use crate::sim::volume::{Data, Node};

impl Fs for SimFs {
    type Lock = SimLock;

    fn permits(&self, path: &str) -> bool {
        !path.starts_with(".relaycode")
    }

    fn stat(&self, path: &str) -> io::Result<Option<Stat>> {
        let volume = &self.0.borrow().volume;
        Ok(volume.find(path)?.map(|inode| volume.stat(inode)))
    }

    fn read(&self, path: &str, limit: u64) -> io::Result<Found> {
        let volume = &self.0.borrow().volume;
        let Some(inode) = volume.find(path)? else { return Ok(Found::Missing) };
        match &volume.nodes[&inode] {
            Node::Folder { .. } => Ok(Found::Irregular(Kind::Folder)),
            Node::Link { .. } => Ok(Found::Irregular(Kind::Symlink)),
            Node::File { now, .. } if now.bytes.len() as u64 > limit => {
                Err(io::ErrorKind::FileTooLarge.into())
            }
            Node::File { now, .. } => Ok(Found::File(now.bytes.to_vec(), volume.stat(inode))),
        }
    }

    fn list(&self, folder: &str) -> io::Result<Vec<String>> {
        let volume = &self.0.borrow().volume;
        let Some(folder) = volume.find(folder)? else { return Ok(Vec::new()) };
        let names =
            volume.names.range((folder, String::new())..).take_while(|((parent, _), _)| *parent == folder);
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
        let volume = &mut self.0.borrow_mut().volume;
        let inode = volume.lookup(path).ok_or(io::ErrorKind::NotFound)?;
        if let Some(Node::File { now, .. }) = volume.nodes.get_mut(&inode) {
            now.bytes = [&*now.bytes, more].concat().into();
        }
        Ok(())
    }

    fn write_new(&self, path: &str, bytes: &[u8], attributes: Attributes<'_>) -> io::Result<()> {
        self.step(true)?;
        let volume = &mut self.0.borrow_mut().volume;
        volume.clock += 1;
        let now = Data { bytes: bytes.into(), mode: 0o100_000 | attributes.mode.unwrap_or(0o644) };
        let node = Node::File { now, durable: None, poisoned: false, modified: volume.clock };
        volume.add(path, node).map(|_| ())
    }

    fn read_link(&self, path: &str) -> io::Result<Option<Vec<u8>>> {
        let volume = &self.0.borrow().volume;
        let Some(inode) = volume.find(path)? else { return Ok(None) };
        match &volume.nodes[&inode] {
            Node::Link { target, .. } => Ok(Some(target.to_vec())),
            Node::Folder { .. } | Node::File { .. } => Err(io::ErrorKind::InvalidInput.into()),
        }
    }

    fn symlink(&self, target: &[u8], path: &str) -> io::Result<()> {
        self.step(true)?;
        let volume = &mut self.0.borrow_mut().volume;
        volume.clock += 1;
        let node = Node::Link { target: target.into(), modified: volume.clock };
        volume.add(path, node).map(|_| ())
    }

    fn rename(&self, from: &str, to: &str, how: Rename) -> io::Result<()> {
        self.step(false)?;
        let volume = &mut self.0.borrow_mut().volume;
        let (from, to) = (volume.place(from)?, volume.place(to)?);
        let moved = *volume.names.get(&from).ok_or(io::ErrorKind::NotFound)?;
        let replaced = volume.names.get(&to).copied();
        if let (Rename::Replace, Some(replaced)) = (how, replaced) {
            match (volume.is_folder(moved), volume.is_folder(replaced)) {
                (false, false) => {}
                (true, true) if volume.is_empty(replaced) => {}
                (true, true) => return Err(io::ErrorKind::DirectoryNotEmpty.into()),
                (true, false) => return Err(io::ErrorKind::NotADirectory.into()),
                (false, true) => return Err(io::ErrorKind::IsADirectory.into()),
            }
        }
        match (how, replaced) {
            (Rename::NoReplace, Some(_)) => Err(io::ErrorKind::AlreadyExists.into()),
            (Rename::Exchange, _) if !volume.promise.exchange => Err(io::ErrorKind::Unsupported.into()),
            (Rename::Exchange, None) => Err(io::ErrorKind::NotFound.into()),
            (Rename::Exchange, Some(replaced)) => {
                volume.change(vec![(to, Some(moved)), (from, Some(replaced))]);
                Ok(())
            }
            (Rename::NoReplace | Rename::Replace, _) => {
                volume.change(vec![(to, Some(moved)), (from, None)]);
                Ok(())
            }
        }
    }

    fn unlink(&self, path: &str) -> io::Result<()> {
        self.step(false)?;
        let volume = &mut self.0.borrow_mut().volume;
        let place = volume.place(path)?;
        let inode = *volume.names.get(&place).ok_or(io::ErrorKind::NotFound)?;
        if volume.is_folder(inode) {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        volume.change(vec![(place, None)]);
        Ok(())
    }

    fn mkdir(&self, path: &str, mode: Option<u32>) -> io::Result<()> {
        self.step(true)?;
        let node = Node::Folder { mode: 0o40_000 | mode.unwrap_or(0o755) };
        self.0.borrow_mut().volume.add(path, node).map(|_| ())
    }

    fn rmdir(&self, path: &str) -> io::Result<()> {
        self.step(false)?;
        let volume = &mut self.0.borrow_mut().volume;
        let place = volume.place(path)?;
        let inode = *volume.names.get(&place).ok_or(io::ErrorKind::NotFound)?;
        if !volume.is_folder(inode) {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        if !volume.is_empty(inode) {
            return Err(io::ErrorKind::DirectoryNotEmpty.into());
        }
        volume.change(vec![(place, None)]);
        Ok(())
    }

    fn set_mode(&self, path: &str, new: u32) -> io::Result<()> {
        self.step(false)?;
        let volume = &mut self.0.borrow_mut().volume;
        let inode = volume.lookup(path).ok_or(io::ErrorKind::NotFound)?;
        if let Some(Node::Folder { mode }) = volume.nodes.get_mut(&inode) {
            *mode = 0o40_000 | new;
        }
        Ok(())
    }

    fn touch(&self, path: &str) -> io::Result<()> {
        self.step(false)?;
        let volume = &mut self.0.borrow_mut().volume;
        volume.clock += 1;
        let clock = volume.clock;
        let inode = volume.lookup(path).ok_or(io::ErrorKind::NotFound)?;
        if let Some(Node::File { modified, .. } | Node::Link { modified, .. }) = volume.nodes.get_mut(&inode)
        {
            *modified = clock;
        }
        Ok(())
    }

    fn sync(&self, files: &[String], folders: &[String]) -> io::Result<()> {
        for file in files {
            let failed = self.step(false);
            let volume = &mut self.0.borrow_mut().volume;
            let inode = volume.lookup(file).ok_or(io::ErrorKind::NotFound)?;
            if let Some(Node::File { now, durable, poisoned, .. }) = volume.nodes.get_mut(&inode) {
                *poisoned |= failed.is_err();
                if !*poisoned {
                    *durable = Some(now.clone());
                }
            }
            failed?;
        }
        for folder in folders {
            self.step(false)?;
            let volume = &mut self.0.borrow_mut().volume;
            let inode = volume.lookup(folder).ok_or(io::ErrorKind::NotFound)?;
            volume.sync_names(inode);
        }
        Ok(())
    }

    fn try_lock(&self, path: &str, create: bool) -> io::Result<Option<SimLock>> {
        let found = self.0.borrow().volume.lookup(path);
        if found.is_none() && create {
            match self.write_new(path, b"", Attributes::PRIVATE) {
                // Another program was quicker.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                other => other?,
            }
        }
        let inode = self.0.borrow().volume.lookup(path).ok_or(io::ErrorKind::NotFound)?;
        let fresh = self.0.borrow_mut().locked.insert(inode);
        Ok(fresh.then(|| SimLock(Rc::clone(&self.0), inode)))
    }
}
