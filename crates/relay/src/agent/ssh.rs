//! Hosts for the agent's `ssh`: the user's file, and the project's once the user trusts exactly its text.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use relay_engine::config::ConfiguredCommand;
use relay_engine::{Approver, Decision, Engine, Exact, Proposal, Status, Unobserved, land_exact};
use relay_store::{Scratch, Shelf, Store, StoreError};
use relay_tools::{SshFiles, SshSetup};
use relay_workspace::{RelPath, Sensitive};

/// The user's own file, in the folder of settings.
pub const FILE: &str = "ssh.json";
/// The project's files: the one that comes before the user's, and those that come after it.
pub const BEFORE: &str = ".relay/ssh.json";
const AFTER: [&str; 2] = ["ssh.json", ".ssh.json"];
/// Where the files of hosts are mounted, in the state folder.
const MOUNTS: &str = "remote";
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

    fn mount_point(&self, host: &str) -> Option<PathBuf> {
        let place = self.store.state_dir().join(MOUNTS).join(file(host).trim_end_matches(".json"));
        // Where a mount was left that leads nowhere, the folder seems to be missing; mounting again clears that up.
        self.store.make_folder(&place).ok();
        Some(place)
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

/// Which file a host is written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The user's own.
    User,
    /// The project's.
    Project,
}

impl Scope {
    /// `user` or `project`; the user's own unless something else is said.
    pub fn named(name: Option<&str>) -> Result<Self, String> {
        match name.unwrap_or("user") {
            "user" => Ok(Self::User),
            "project" => Ok(Self::Project),
            other => Err(format!("unknown scope `{other}`; use `user` or `project`")),
        }
    }
}

/// Changes a file of hosts, as its user asks for it, and says which one. The project's lands as a transaction, and the user
/// trusts what they wrote, if they trusted all of it before.
pub fn change(
    store: &Store,
    engine: &Engine,
    scope: Scope,
    change: impl FnOnce(Option<&str>) -> Result<String, String>,
) -> Result<&'static str, String> {
    if scope == Scope::User {
        let before = store.settings_file(FILE).map_err(|error| error.to_string())?;
        let after = change(before.as_deref()).map_err(|why| format!("{FILE}: {why}"))?;
        store.replace_settings_file(FILE, &after).map_err(|error| error.to_string())?;
        return Ok(FILE);
    }
    let before = text(engine, BEFORE);
    let was_trusted = before.as_ref().is_none_or(|text| is_trusted(store, engine, BEFORE, text));
    let after = change(before.as_deref()).map_err(|why| format!("{BEFORE}: {why}"))?;
    let path = RelPath::new(BEFORE).map_err(|error| error.to_string())?;
    let exact = Exact {
        channel: "terminal",
        reason: "hosts for ssh",
        model: None,
        group: None,
        path: &path,
        before: before.as_deref().map(str::as_bytes),
        after: after.clone().into_bytes(),
    };
    let outcome = land_exact(engine, exact, &mut Asked, &mut Unobserved);
    if !matches!(outcome.status, Status::Committed | Status::Unchanged) {
        let errors = outcome.diagnostics.iter().filter(|found| found.is_error());
        return Err(errors.map(|found| found.message.clone()).collect::<Vec<_>>().join("; "));
    }
    if was_trusted {
        agree(store, engine.workspace().root(), BEFORE, Some(after)).map_err(|error| error.to_string())?;
    }
    Ok(BEFORE)
}

/// The user, who has just asked for exactly this change.
struct Asked;

impl Approver for Asked {
    fn can_approve(&self) -> bool {
        true
    }

    fn approved_by(&self) -> &str {
        "user"
    }

    fn approve(&mut self, _: &Proposal<'_>) -> Decision {
        Decision::Yes
    }

    fn trust(&mut self, _: &[ConfiguredCommand<'_>], _: bool) -> Decision {
        Decision::NobodyThere
    }

    fn allow_sensitive(&mut self, _: &[(RelPath, Sensitive)]) -> Decision {
        Decision::Yes
    }
}

/// Remembers that the user agreed to a host file, or, without a text, that they do not any more.
pub fn agree(store: &Store, root: &Path, name: &str, text: Option<String>) -> Result<(), StoreError> {
    store.put(Shelf::Trusted, root, name, text.into_iter().collect())
}
