//! What happens on the simulated disk besides the protocol, and looking at it from outside.

use std::collections::BTreeMap;

use super::SimFs;
use super::state::{Data, Node, ROOT};

impl SimFs {
    /// Everything that is there now becomes durable.
    pub(crate) fn settle(&self) {
        let state = &mut self.shared().state;
        state.durable_names = state.names.clone();
        state.unsynced.clear();
        for node in state.nodes.values_mut() {
            if let Node::File { now, durable, .. } = node {
                *durable = Some(now.clone());
            }
        }
    }

    /// Somebody else writes a file, in place if it exists.
    pub(crate) fn foreign_write(&self, path: &str, bytes: &[u8]) {
        let existing = self.shared().state.lookup(path);
        let mut shared = self.shared();
        let state = &mut shared.state;
        state.clock += 1;
        let clock = state.clock;
        if let Some(Node::File { now, modified, .. }) = existing.and_then(|inode| state.nodes.get_mut(&inode))
        {
            now.bytes = bytes.into();
            *modified = clock;
            return;
        }
        for folder in crate::fs::ancestors(path).collect::<Vec<_>>().into_iter().rev() {
            if state.lookup(folder).is_none() {
                state.add(folder, Node::Folder { mode: 0o40_755 }).unwrap();
            }
        }
        let now = Data { bytes: bytes.into(), mode: 0o100_644 };
        state.add(path, Node::File { now, durable: None, poisoned: false, modified: clock }).unwrap();
    }

    /// Somebody else removes a file.
    pub(crate) fn foreign_remove(&self, path: &str) {
        let state = &mut self.shared().state;
        let place = state.place(path).unwrap();
        state.change(vec![(place, None)]);
    }

    /// Whether any file has this content, wherever it is.
    pub(crate) fn holds(&self, bytes: &[u8]) -> bool {
        let state = &self.shared().state;
        let mut tree = BTreeMap::new();
        state.walk(ROOT, "", &mut tree);
        tree.values().any(|(_, content)| content == bytes)
    }

    /// All files with mode and content, all folders with a `/` at their end; the state folder left out.
    pub(crate) fn tree(&self) -> BTreeMap<String, (u32, Vec<u8>)> {
        let state = &self.shared().state;
        let mut tree = BTreeMap::new();
        state.walk(ROOT, "", &mut tree);
        tree.retain(|path, _| !path.starts_with(".relaycode"));
        tree
    }
}
