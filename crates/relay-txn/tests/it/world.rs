//! A workspace in a temporary folder, and short ways to say what is in it.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use relay_txn::{
    Draft, FileChange, Header, Image, Ledger, LedgerKey, Record, Target, TxnError, Undoes, Verdict,
};
use relay_workspace::{RelPath, Workspace};
use uuid::Uuid;

/// A workspace with a ledger, removed at the end of the test.
pub(crate) struct World {
    folder: Folder,
    pub(crate) workspace: Workspace,
    pub(crate) ledger: Ledger,
}

enum Folder {
    Own(tempfile::TempDir),
    /// Another process removes it.
    Other(PathBuf),
}

impl Folder {
    fn path(&self) -> &Path {
        match self {
            Self::Own(folder) => folder.path(),
            Self::Other(path) => path,
        }
    }
}

impl World {
    /// One that another process made.
    pub(crate) fn at_root(root: &Path) -> Self {
        let workspace = Workspace::open(root).unwrap();
        let ledger = Ledger::open(&workspace, key()).unwrap();
        Self { folder: Folder::Other(root.to_owned()), workspace, ledger }
    }

    /// With these files.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let workspace = Workspace::open(folder.path()).unwrap();
        let ledger = Ledger::open(&workspace, key()).unwrap();
        Self { folder: Folder::Own(folder), workspace, ledger }
    }

    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        std::fs::write(self.at(path), text).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.at(path)).unwrap()
    }

    pub(crate) fn mode(&self, path: &str) -> u32 {
        std::fs::metadata(self.at(path)).unwrap().permissions().mode() & 0o7777
    }

    pub(crate) fn set_mode(&self, path: &str, mode: u32) {
        std::fs::set_permissions(self.at(path), std::fs::Permissions::from_mode(mode)).unwrap();
    }

    /// Everything in the workspace but the state folder: folders end in `/`, files have their mode and content.
    pub(crate) fn tree(&self) -> BTreeMap<String, Vec<u8>> {
        let mut tree = BTreeMap::new();
        walk(self.folder.path(), "", &mut tree);
        tree.retain(|path, _| !path.starts_with(".relaycode"));
        tree
    }

    /// What is in the state folder, records and the usual files left out.
    pub(crate) fn leftovers(&self) -> Vec<String> {
        let mut tree = BTreeMap::new();
        if self.at(".relaycode").exists() {
            walk(&self.at(".relaycode"), "", &mut tree);
        }
        tree.retain(|path, _| {
            !matches!(path.as_str(), ".gitignore" | "lock" | "index" | "stage/" | "blobs/")
        });
        tree.retain(|path, _| {
            !path.starts_with("blobs/") && (path.contains("pending") || !path.ends_with(".yml"))
        });
        tree.into_keys().collect()
    }

    pub(crate) fn apply(&self, draft: Draft) -> Result<Record, TxnError> {
        self.ledger.begin(draft)?.commit(Verdict { checks: Vec::new(), approved_by: "test".to_owned() })
    }

    /// The transaction that takes `record` back.
    pub(crate) fn inverse(&self, record: &Record) -> Draft {
        let image = |stored: &relay_txn::Stored| (self.ledger.content(stored).unwrap(), stored.mode);
        let changes = record
            .changes
            .iter()
            .map(|change| {
                let before = change.after.as_ref().map(image);
                let after = change.before.as_ref().map(image);
                FileChange::new(
                    RelPath::new(&change.path).unwrap(),
                    before.map(|(bytes, mode)| Image::new(bytes, mode)),
                    after.map(|(bytes, mode)| Target::new(bytes).with_mode(mode)),
                )
            })
            .collect();
        Draft {
            changes,
            make: record.removed_folders.clone(),
            belongings: record
                .changes
                .iter()
                .filter_map(|change| Some((change.path.clone(), change.before.as_ref()?.belongings.clone()?)))
                .collect(),
            prune: record.folders.iter().map(|folder| RelPath::new(folder).unwrap()).collect(),
            header: Header { undoes: vec![Undoes::whole(record.uuid)], ..header() },
            ..draft(&[])
        }
    }
}

fn walk(folder: &Path, prefix: &str, tree: &mut BTreeMap<String, Vec<u8>>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{prefix}{}", entry.file_name().to_str().unwrap());
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            tree.insert(format!("{name}/"), Vec::new());
            walk(&entry.path(), &format!("{name}/"), tree);
        } else if kind.is_symlink() {
            tree.insert(
                name,
                format!("-> {}", std::fs::read_link(entry.path()).unwrap().display()).into_bytes(),
            );
        } else if kind.is_file() {
            let mode = entry.metadata().unwrap().permissions().mode();
            let mut content = format!("{mode:o} ").into_bytes();
            content.extend(std::fs::read(entry.path()).unwrap());
            tree.insert(name, content);
        } else {
            tree.insert(name, b"special".to_vec());
        }
    }
}

pub(crate) fn key() -> LedgerKey {
    LedgerKey::new([9; 32])
}

pub(crate) fn header() -> Header {
    Header { channel: "test".to_owned(), reasoning: "Because.\n".to_owned(), ..Header::default() }
}

/// A draft from `(path, before, after)`.
pub(crate) fn draft(changes: &[(&str, Option<&str>, Option<&str>)]) -> Draft {
    let changes = changes.iter().map(|(path, before, after)| change(path, before.map(str::as_bytes), *after));
    Draft { uuid: Uuid::new_v4(), header: header(), changes: changes.collect(), ..Draft::default() }
}

pub(crate) fn change(path: &str, before: Option<&[u8]>, after: Option<&str>) -> FileChange {
    let before = before.map(|bytes| Image::new(bytes, 0o100_644));
    let after = after.map(|text| Target::new(text.as_bytes()));
    FileChange::new(RelPath::new(path).unwrap(), before, after)
}

/// Whether this is the long run (`./test --long`).
pub fn long() -> bool {
    std::env::var_os("RELAY_LONG_TESTS").is_some_and(|value| value == "yes")
}
