//! Hosts for the agent's `ssh`: the user's file, and the project's once the user trusts exactly its text.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use relay_engine::Engine;
use relay_store::{Scratch, Shelf, Store, StoreError};
use relay_tools::{SshFiles, SshSetup};
use relay_workspace::RelPath;

/// The user's own file, in the folder of settings.
pub const FILE: &str = "ssh.json";
/// The project's files: the one that comes before the user's, and those that come after it.
pub const BEFORE: &str = ".relay/ssh.json";
const AFTER: [&str; 2] = ["ssh.json", ".ssh.json"];
/// What is remembered about hosts, in the cache.
const REMOTE: &str = "remote-host";

/// What the tool needs from the user's files.
pub fn setup(store: &Store, engine: &Engine, notes: &mut Vec<String>) -> Result<SshSetup, StoreError> {
    let mut trusted = |name: &str| -> Option<(String, String)> {
        let text = text(engine, name)?;
        if is_trusted(store, engine, name, &text) {
            return Some((name.to_owned(), text));
        }
        notes.push(format!("{name} is not used until you trust it; see `relay trust`"));
        None
    };
    let mut sources: Vec<(String, String)> = trusted(BEFORE).into_iter().collect();
    sources.extend(store.settings_file(FILE)?.map(|text| (FILE.to_owned(), text)));
    sources.extend(AFTER.iter().filter_map(|name| trusted(name)));
    let files = Files { store: store.clone(), scratch: Mutex::default() };
    Ok(SshSetup { sources, files: Box::new(files) })
}

/// Where the tool keeps its data: sockets in a folder that exists only while the tool does, the rest in the user's
/// folders.
struct Files {
    store: Store,
    scratch: Mutex<Option<Scratch>>,
}

impl SshFiles for Files {
    fn folder(&self) -> Result<PathBuf, String> {
        let mut scratch = self.scratch.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(scratch) = &*scratch {
            return Ok(scratch.path().to_owned());
        }
        let made = self.store.short_scratch(&std::env::temp_dir()).map_err(|error| error.to_string())?;
        Ok(scratch.insert(made).path().to_owned())
    }

    fn known_hosts(&self) -> PathBuf {
        self.store.state_dir().join("ssh_known_hosts")
    }

    fn load(&self, host: &str) -> Option<String> {
        self.store.cached(REMOTE, &file(host)).ok().flatten()
    }

    fn save(&self, host: &str, text: &str) {
        // If it cannot be stored, it is detected again next time.
        self.store.cache(REMOTE, &file(host), text).ok();
    }
}

/// A safe file name, unique for every host.
fn file(name: &str) -> String {
    let plain: String =
        name.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')).collect();
    let sum = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{plain}-{sum:016x}.json")
}

/// The text of a project's file.
pub fn text(engine: &Engine, name: &str) -> Option<String> {
    let snapshot = engine.workspace().read(&RelPath::new(name).ok()?).ok()??;
    String::from_utf8(snapshot.bytes).ok()
}

fn is_trusted(store: &Store, engine: &Engine, name: &str, text: &str) -> bool {
    let agreed = store.look_up(Shelf::Trusted, engine.workspace().root(), name).unwrap_or_default();
    agreed.iter().any(|agreed| agreed == text)
}

/// The project's host files, with whether the user trusts them.
pub fn project_files(store: &Store, engine: &Engine) -> Vec<(&'static str, String, bool)> {
    let names = std::iter::once(BEFORE).chain(AFTER);
    let files = names.filter_map(|name| Some((name, text(engine, name)?)));
    files
        .map(|(name, text)| {
            let is_trusted = is_trusted(store, engine, name, &text);
            (name, text, is_trusted)
        })
        .collect()
}

/// Stores that the user trusts a host file, or, without a text, removes that trust.
pub fn agree(store: &Store, root: &Path, name: &str, text: Option<String>) -> Result<(), StoreError> {
    store.put(Shelf::Trusted, root, name, text.into_iter().collect())
}
