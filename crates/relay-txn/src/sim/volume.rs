//! What is on the simulated disk: as programs see it, and as a power cut would leave it.

use std::collections::BTreeMap;
use std::io;
use std::rc::Rc;

use crate::fs::{Kind, Stat, ancestors, parent};

/// What the simulated file system promises beyond the minimum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Promise {
    /// A rename, also an exchange, survives a crash as a whole or not at all.
    pub(crate) atomic_renames: bool,
    /// Two names can be exchanged.
    pub(crate) exchange: bool,
}

/// The number of a file or folder, whatever its name.
pub(super) type Inode = u64;
pub(super) const ROOT: Inode = 0;
/// What the system says about every link.
pub(super) const LINK_MODE: u32 = 0o120_777;

/// The content of a file with what belongs to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Data {
    pub(super) bytes: Rc<[u8]>,
    pub(super) mode: u32,
}

#[derive(Debug, Clone)]
pub(super) enum Node {
    Folder {
        mode: u32,
    },
    File {
        now: Data,
        /// What a sync wrote; `None` if none ever did.
        durable: Option<Data>,
        /// A sync failed: no later one brings the data back.
        poisoned: bool,
        modified: i64,
    },
    /// A symbolic link. Its target is part of it from the beginning: a link cannot be synced by itself.
    Link {
        target: Rc<[u8]>,
        modified: i64,
    },
}

/// A name in a folder, and what it refers to after a change.
pub(super) type NameChange = ((Inode, String), Option<Inode>);

/// Everything about a disk at one moment.
#[derive(Debug, Clone)]
pub(super) struct Volume {
    pub(super) nodes: BTreeMap<Inode, Node>,
    /// The names as programs see them.
    pub(super) names: BTreeMap<(Inode, String), Inode>,
    /// The names a power cut could not take away.
    pub(super) durable_names: BTreeMap<(Inode, String), Inode>,
    /// Changes of names that are not durable, in their order; those of one entry happen together or not at all.
    pub(super) unsynced: Vec<Vec<NameChange>>,
    pub(super) promise: Promise,
    next_inode: Inode,
    pub(super) clock: i64,
}

impl Volume {
    /// An empty disk.
    pub(super) fn new(promise: Promise) -> Self {
        Self {
            nodes: BTreeMap::from([(ROOT, Node::Folder { mode: 0o40_755 })]),
            names: BTreeMap::new(),
            durable_names: BTreeMap::new(),
            unsynced: Vec::new(),
            promise,
            next_inode: 1,
            clock: 0,
        }
    }

    pub(super) fn lookup(&self, path: &str) -> Option<Inode> {
        if path.is_empty() {
            return Some(ROOT);
        }
        path.split('/').try_fold(ROOT, |folder, name| self.names.get(&(folder, name.to_owned())).copied())
    }

    /// As [`Self::lookup`], but like the real disk it refuses to follow a link.
    pub(super) fn find(&self, path: &str) -> io::Result<Option<Inode>> {
        let is_link = |folder: &str| {
            self.lookup(folder).is_some_and(|inode| matches!(self.nodes[&inode], Node::Link { .. }))
        };
        if ancestors(path).any(is_link) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        Ok(self.lookup(path))
    }

    pub(super) fn is_folder(&self, inode: Inode) -> bool {
        matches!(self.nodes.get(&inode), Some(Node::Folder { .. }))
    }

    pub(super) fn place(&self, path: &str) -> io::Result<(Inode, String)> {
        let folder = self.find(parent(path))?.ok_or(io::ErrorKind::NotFound)?;
        match self.nodes.get(&folder) {
            Some(Node::Folder { .. }) => {}
            Some(Node::Link { .. }) => return Err(io::ErrorKind::InvalidInput.into()),
            _ => return Err(io::ErrorKind::NotADirectory.into()),
        }
        let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
        Ok((folder, name.to_owned()))
    }

    pub(super) fn add(&mut self, path: &str, node: Node) -> io::Result<Inode> {
        let place = self.place(path)?;
        if self.names.contains_key(&place) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        let inode = self.next_inode;
        self.next_inode += 1;
        self.nodes.insert(inode, node);
        self.change(vec![(place, Some(inode))]);
        Ok(inode)
    }

    /// Changes names for everybody to see; durable they are not.
    pub(super) fn change(&mut self, changes: Vec<NameChange>) {
        for (place, inode) in &changes {
            match inode {
                Some(inode) => self.names.insert(place.clone(), *inode),
                None => self.names.remove(place),
            };
        }
        // A folder has one name at a time on every file system.
        let moves_folder =
            || changes.iter().filter_map(|(_, inode)| *inode).any(|inode| self.is_folder(inode));
        if self.promise.atomic_renames || moves_folder() {
            self.unsynced.push(changes);
        } else {
            self.unsynced.extend(changes.into_iter().map(|change| vec![change]));
        }
    }

    pub(super) fn is_empty(&self, folder: Inode) -> bool {
        self.names.range((folder, String::new())..).next().is_none_or(|((parent, _), _)| *parent != folder)
    }

    pub(super) fn walk(&self, folder: Inode, prefix: &str, tree: &mut BTreeMap<String, (u32, Vec<u8>)>) {
        for ((_, name), inode) in
            self.names.range((folder, String::new())..).take_while(|((parent, _), _)| *parent == folder)
        {
            match &self.nodes[inode] {
                Node::Folder { mode } => {
                    tree.insert(format!("{prefix}{name}/"), (*mode, Vec::new()));
                    self.walk(*inode, &format!("{prefix}{name}/"), tree);
                }
                Node::File { now, .. } => {
                    tree.insert(format!("{prefix}{name}"), (now.mode, now.bytes.to_vec()));
                }
                Node::Link { target, .. } => {
                    tree.insert(format!("{prefix}{name}"), (LINK_MODE, target.to_vec()));
                }
            }
        }
    }

    pub(super) fn stat(&self, inode: Inode) -> Stat {
        let (kind, mode, size, modified) = match &self.nodes[&inode] {
            Node::Folder { mode } => (Kind::Folder, *mode, 0, 0),
            Node::File { now, modified, .. } => (Kind::File, now.mode, now.bytes.len() as u64, *modified),
            Node::Link { target, modified } => (Kind::Symlink, LINK_MODE, target.len() as u64, *modified),
        };
        let (modified, changed) = ((modified, 0), (modified, 0));
        Stat { kind, mode, size, links: 1, owner: None, inode: Some(inode), modified, changed }
    }
}
