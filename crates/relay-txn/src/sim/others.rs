//! What happens on the simulated disk besides the protocol, and looking at it from outside.

use std::collections::BTreeMap;

use super::SimFs;
use super::scenario::Tree;
use super::volume::{Data, LINK_MODE, Node, ROOT, Volume};
use crate::fs::{ancestors, is_link};

impl SimFs {
    /// Everything that is there now becomes durable.
    pub(crate) fn settle(&self) {
        let volume = &mut self.shared().volume;
        volume.durable_names = volume.names.clone();
        volume.unsynced.clear();
        for node in volume.nodes.values_mut() {
            if let Node::File { now, durable, .. } = node {
                *durable = Some(now.clone());
            }
        }
    }

    /// Another program writes a file, in place if it exists; folders are made for it. If a file or link is in the way,
    /// or a folder at the place itself, it cannot write, and nothing happens.
    pub(crate) fn foreign_write(&self, path: &str, bytes: &[u8]) -> bool {
        let mut shared = self.shared();
        let volume = &mut shared.volume;
        volume.clock += 1;
        let clock = volume.clock;
        let existing = volume.lookup(path);
        if let Some(Node::File { now, modified, .. }) =
            existing.and_then(|inode| volume.nodes.get_mut(&inode))
        {
            now.bytes = bytes.into();
            *modified = clock;
            return true;
        }
        let now = Data { bytes: bytes.into(), mode: 0o100_644 };
        existing.is_none()
            && put(volume, path, Node::File { now, durable: None, poisoned: false, modified: clock })
    }

    /// Another program changes a file's permissions; whether there is a file.
    pub(crate) fn foreign_chmod(&self, path: &str, mode: u32) -> bool {
        let mut shared = self.shared();
        let volume = &mut shared.volume;
        volume.clock += 1;
        let (clock, inode) = (volume.clock, volume.lookup(path));
        let Some(Node::File { now, modified, .. }) = inode.and_then(|inode| volume.nodes.get_mut(&inode))
        else {
            return false;
        };
        now.mode = mode;
        // The simulated disk has one timestamp, which serves for both kinds of change.
        *modified = clock;
        true
    }

    /// Another program makes a link, where nothing is.
    pub(crate) fn foreign_link(&self, path: &str, target: &[u8]) {
        let volume = &mut self.shared().volume;
        assert!(put(volume, path, Node::Link { target: target.into(), modified: 0 }), "{path} is not free");
    }

    /// Another program makes a folder, where nothing is.
    pub(crate) fn foreign_folder(&self, path: &str, mode: u32) {
        let volume = &mut self.shared().volume;
        assert!(put(volume, path, Node::Folder { mode }), "{path} is not free");
    }

    /// Another program removes whatever is there, with all that is in it.
    pub(crate) fn foreign_remove(&self, path: &str) {
        let volume = &mut self.shared().volume;
        if let (Ok(place), Some(_)) = (volume.place(path), volume.lookup(path)) {
            volume.change(vec![(place, None)]);
        }
    }

    /// Another program makes sure that their file survives.
    pub(super) fn foreign_sync(&self, path: &str) {
        let volume = &mut self.shared().volume;
        let file = volume.lookup(path).and_then(|inode| volume.nodes.get_mut(&inode));
        if let Some(Node::File { now, durable, .. }) = file {
            *durable = Some(now.clone());
        }
        for folder in ancestors(path).chain([""]) {
            if let Some(folder) = volume.lookup(folder) {
                volume.sync_names(folder);
            }
        }
    }

    /// Another program, a command for instance, makes the files those of `wanted`, and does so with care.
    pub(super) fn foreign_become(&self, wanted: &Tree) {
        let old = self.tree();
        for path in old.keys().rev().filter(|path| old.get(*path) != wanted.get(*path)) {
            self.foreign_remove(path.trim_end_matches('/'));
        }
        for (path, (mode, bytes)) in wanted.iter().filter(|(path, entry)| old.get(*path) != Some(*entry)) {
            match path.strip_suffix('/') {
                Some(folder) => self.foreign_folder(folder, *mode),
                None if is_link(*mode) => self.foreign_link(path, bytes),
                None => {
                    assert!(self.foreign_write(path, bytes), "{path}");
                    let mut shared = self.shared();
                    let inode = shared.volume.lookup(path).unwrap();
                    if let Some(Node::File { now, .. }) = shared.volume.nodes.get_mut(&inode) {
                        now.mode = *mode;
                    }
                }
            }
        }
        self.settle();
    }

    /// Whether any file has this content, wherever it is.
    pub(crate) fn holds(&self, bytes: &[u8]) -> bool {
        let volume = &self.shared().volume;
        let mut tree = BTreeMap::new();
        volume.walk(ROOT, "", &mut tree);
        tree.values().any(|(mode, content)| content == bytes && *mode != LINK_MODE)
    }

    /// All files and links with mode and content, all folders with a `/` at their end; the state folder left out.
    pub(crate) fn tree(&self) -> Tree {
        let volume = &self.shared().volume;
        let mut tree = BTreeMap::new();
        volume.walk(ROOT, "", &mut tree);
        tree.retain(|path, _| !path.starts_with(".relaycode"));
        tree
    }
}

/// Puts something under a name, and makes folders for it, if nothing else has their place.
fn put(volume: &mut Volume, path: &str, node: Node) -> bool {
    for folder in ancestors(path).collect::<Vec<_>>().into_iter().rev() {
        match volume.lookup(folder) {
            None => drop(volume.add(folder, Node::Folder { mode: 0o40_755 }).unwrap()),
            Some(inode) if volume.is_folder(inode) => {}
            Some(_) => return false,
        }
    }
    volume.add(path, node).is_ok()
}
