//! The hooks of a repository, as a text that a person can read and agree to.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use relay_diagnostics::Cancel;

use super::place::Place;
use super::program;
use super::settings::Settings;
use super::shelter::Shelter;

/// Larger hooks are not shown, so they cannot be trusted.
const LIMIT_BYTES: u64 = 256 << 10;
/// More than this are not read.
const MOST: usize = 64;
/// The end of the names of examples, which git does not run.
const EXAMPLE: &str = ".sample";

/// The hooks that git would run for a work tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hooks {
    /// Where they are, from the work tree if they are below.
    pub folder: PathBuf,
    /// Their names, each with what is in it.
    pub hooks: Vec<(String, String)>,
}

impl Hooks {
    /// All of it, as one text.
    #[must_use]
    pub fn text(&self) -> String {
        let hook = |(name, text): &(String, String)| {
            format!("--- {}/{name}\n{}\n", self.folder.display(), text.trim_end())
        };
        self.hooks.iter().map(hook).collect()
    }
}

/// The hooks of the repository a folder belongs to. `None` if it has none, or one that cannot be shown.
#[must_use]
pub fn hooks(folder: &Path, cancel: &Cancel) -> Option<Hooks> {
    let place = Place::find(&folder.canonicalize().ok()?).ok()?;
    let shelter = Shelter::make().ok()?;
    let settings = Settings::read(&program()?, &place, &shelter, cancel).ok()?;
    let folder = match settings.last("core.hookspath") {
        Some(named) => place.work_tree.join(named),
        None => place.common_dir.join("hooks"),
    };
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .ok()?
        .filter_map(Result::ok)
        .filter(|entry| is_executable(&entry.path()))
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| !name.ends_with(EXAMPLE))
        .collect();
    names.sort();
    if names.is_empty() || names.len() > MOST {
        return None;
    }
    let hooks = names.into_iter().map(|name| {
        let text = read(&folder.join(&name))?;
        Some((name, text))
    });
    Some(Hooks { folder: place.shown(&folder), hooks: hooks.collect::<Option<_>>()? })
}

fn read(path: &Path) -> Option<String> {
    let mut text = String::new();
    std::fs::File::open(path).ok()?.take(LIMIT_BYTES + 1).read_to_string(&mut text).ok()?;
    (text.len() as u64 <= LIMIT_BYTES).then_some(text)
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.is_file()
}
