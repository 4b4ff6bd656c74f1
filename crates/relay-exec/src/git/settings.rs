//! What a repository's own config says. Git only parses it here; it is never handed to a git that works on the repository.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use relay_diagnostics::Cancel;

use super::error::{GitError, said};
use super::place::Place;
use super::shelter::Shelter;
use super::{Purpose, surroundings};

/// Configs are not larger than this.
const CONFIG_LIMIT_BYTES: u64 = 4 << 20;
/// Nor are they when git has written them out.
const LISTED_LIMIT_BYTES: usize = 16 << 20;

/// Settings that say how files are stored and compared. All of them are switches or single words; none can name a
/// program, a place or an address.
const HARMLESS: [&str; 13] = [
    "core.repositoryformatversion",
    "core.autocrlf",
    "core.eol",
    "core.safecrlf",
    "core.filemode",
    "core.symlinks",
    "core.ignorecase",
    "core.precomposeunicode",
    "core.trustctime",
    "core.sharedrepository",
    "core.sparsecheckout",
    "core.sparsecheckoutcone",
    "index.sparse",
];
/// Extensions that make git read other files or fetch what is missing.
const WIDENING: [&str; 2] = ["extensions.worktreeconfig", "extensions.partialclone"];
/// The hook that git runs after it has written its index.
const INDEX_HOOK: &str = "post-index-change";

/// A program that a repository asks git to run, and that was not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ignored {
    /// The setting, as git writes it, or a hook's name.
    pub setting: String,
    /// The file that has it, relative to the work tree if it is below.
    pub file: PathBuf,
}

#[derive(Debug)]
struct Entry {
    /// Lower case but for the part in the middle, as git lists it.
    key: String,
    value: String,
    file: PathBuf,
}

/// Everything the repository's config says, in its order.
#[derive(Debug)]
pub(super) struct Settings {
    entries: Vec<Entry>,
}

impl Settings {
    /// Reads the config, and that of the work tree where there is one. Includes are not followed.
    pub(super) fn read(
        git: &Path,
        place: &Place,
        shelter: &Shelter,
        cancel: &Cancel,
    ) -> Result<Self, GitError> {
        let read = |path: PathBuf| -> Result<Vec<Entry>, GitError> {
            let text = contents(&path)?;
            if text.is_empty() {
                return Ok(Vec::new());
            }
            let mut command = surroundings::command(git, shelter.folder());
            // Not a repository, so that none is looked for above the temporary folder.
            command.env("GIT_DIR", shelter.folder());
            command.args(["config", "--file", "-", "--no-includes", "--list", "-z"]);
            let output = super::run(command, Some(&text), LISTED_LIMIT_BYTES, cancel);
            if !output.success() || output.stdout.omitted_bytes > 0 {
                return Err(GitError::Config { path: place.shown(&path), said: said(&output) });
            }
            Ok(entries(&output.stdout.text(), &place.shown(&path)))
        };
        let mut found = Self { entries: read(place.common_dir.join("config"))? };
        if found.is_on("extensions.worktreeconfig") {
            found.entries.extend(read(place.git_dir.join("config.worktree"))?);
        }
        Ok(found)
    }

    /// The value that counts: the last one.
    pub(super) fn last(&self, key: &str) -> Option<&str> {
        self.entries.iter().rfind(|entry| entry.key == key).map(|entry| entry.value.as_str())
    }

    pub(super) fn is_on(&self, key: &str) -> bool {
        self.last(key).is_some_and(|value| switch(value) == Some(true))
    }

    /// Whether objects may be missing.
    pub(super) fn is_partial_clone(&self) -> bool {
        let is_promisor = |key: &str| key.starts_with("remote.") && key.ends_with(".promisor");
        self.entries.iter().any(|entry| entry.key == "extensions.partialclone" || is_promisor(&entry.key))
    }

    /// A config with nothing but harmless settings.
    ///
    /// # Errors
    /// The repository is stored in a way that cannot be said in single words.
    pub(super) fn harmless(&self) -> Result<String, GitError> {
        let mut text = String::new();
        for Entry { key, value, .. } in &self.entries {
            let Some((section, name)) = key.split_once('.') else { continue };
            let is_extension = section == "extensions" && !WIDENING.contains(&key.as_str());
            if !is_extension && !HARMLESS.contains(&key.as_str()) {
                continue;
            }
            if is_word(name) && is_word(value) {
                text.push_str(&format!("[{section}]\n\t{name} = {value}\n"));
            } else if is_extension {
                return Err(GitError::Extension { setting: key.clone() });
            }
        }
        Ok(text)
    }

    /// Programs that git would have started for this purpose.
    pub(super) fn ignored(&self, place: &Place, purpose: Purpose) -> Vec<Ignored> {
        let starts = |entry: &&Entry| starts_program(&entry.key, &entry.value, purpose);
        let setting = |entry: &Entry| Ignored { setting: entry.key.clone(), file: entry.file.clone() };
        let mut found: Vec<Ignored> = self.entries.iter().filter(starts).map(setting).collect();
        found.dedup();
        if purpose == Purpose::Stage {
            found.extend(self.index_hook(place));
        }
        found
    }

    fn index_hook(&self, place: &Place) -> Option<Ignored> {
        let folder = match self.last("core.hookspath") {
            Some(folder) => place.work_tree.join(folder),
            None => place.common_dir.join("hooks"),
        };
        let file = folder.join(INDEX_HOOK);
        file.exists().then(|| Ignored { setting: INDEX_HOOK.to_owned(), file: place.shown(&file) })
    }
}

/// Whether a setting makes git start a program, or read more settings, for this purpose.
fn starts_program(key: &str, value: &str, purpose: Purpose) -> bool {
    let Some((section, rest)) = key.split_once('.') else { return false };
    let name = rest.rsplit_once('.').map_or(rest, |(_, name)| name);
    match (section, name) {
        ("core", "fsmonitor") => switch(value).is_none(),
        ("include" | "includeif", "path") | ("hook", "command") => true,
        ("filter", "clean" | "process") => purpose != Purpose::State,
        ("diff", "external" | "command" | "textconv") => purpose == Purpose::Diff,
        _ => false,
    }
}

/// How git reads a switch; `None` if it is not one.
fn switch(value: &str) -> Option<bool> {
    match value.to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" => Some(true),
        "false" | "no" | "off" | "" => Some(false),
        number => number.parse::<i64>().ok().map(|number| number != 0),
    }
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// A config's bytes; empty if it is missing. A pipe or a device would be read for ever.
fn contents(path: &Path) -> Result<Vec<u8>, GitError> {
    let failed = |source| GitError::Unreadable { path: path.to_path_buf(), source };
    if path.symlink_metadata().is_err() {
        return Ok(Vec::new());
    }
    if !path.is_file() {
        return Err(failed(std::io::Error::other("it is not a file")));
    }
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(failed)?;
    file.take(CONFIG_LIMIT_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > CONFIG_LIMIT_BYTES {
        return Err(failed(std::io::Error::other(format!("it has more than {CONFIG_LIMIT_BYTES} bytes"))));
    }
    Ok(bytes)
}

/// What git lists: a key, a line break and the value; a key alone is a switch that is on.
fn entries(listed: &str, file: &Path) -> Vec<Entry> {
    let entry = |item: &str| {
        let (key, value) = item.split_once('\n').unwrap_or((item, "true"));
        Entry { key: key.to_owned(), value: value.to_owned(), file: file.to_path_buf() }
    };
    listed.split('\0').filter(|item| !item.is_empty()).map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(listed: &str) -> Settings {
        Settings { entries: entries(listed, Path::new(".git/config")) }
    }

    #[test]
    fn only_words_of_harmless_settings_are_passed_on() {
        let listed = "core.autocrlf\ninput\0core.filemode\0core.fsmonitor\n/evil\0core.eol\nlf\n[x]\ny=z\0\
                      core.hookspath\nhooks\0filter.x.clean\ncat\0extensions.worktreeconfig\ntrue\0\
                      extensions.objectformat\nsha256\0extensions.partialclone\norigin\0core.worktree\n/\0";
        let expected =
            "[core]\n\tautocrlf = input\n[core]\n\tfilemode = true\n[extensions]\n\tobjectformat = sha256\n";
        assert_eq!(settings(listed).harmless().unwrap(), expected);
        for odd in ["extensions.refstorage\nfile:///evil\0", "extensions.a\nb\n[core]\0"] {
            assert!(matches!(settings(odd).harmless(), Err(GitError::Extension { .. })), "{odd}");
        }
    }

    #[test]
    fn the_programs_that_would_have_run_depend_on_the_purpose() {
        let listed = "core.fsmonitor\n/evil\0filter.a.b.clean\nx\0filter.y.smudge\nx\0diff.external\nx\0\
                      diff.z.textconv\nx\0include.path\nmore\0core.pager\nx\0diff.z.binary\ntrue\0";
        let expected: [(Purpose, &[&str]); 2] = [
            (Purpose::State, &["core.fsmonitor", "include.path"]),
            (
                Purpose::Diff,
                &["core.fsmonitor", "filter.a.b.clean", "diff.external", "diff.z.textconv", "include.path"],
            ),
        ];
        let place = Place { work_tree: "/w".into(), git_dir: "/w/.git".into(), common_dir: "/w/.git".into() };
        for (purpose, names) in expected {
            let found = settings(listed).ignored(&place, purpose);
            assert_eq!(found.iter().map(|found| found.setting.as_str()).collect::<Vec<_>>(), names);
            assert!(found.iter().all(|found| found.file == Path::new(".git/config")));
        }
        assert!(
            settings("core.fsmonitor\ntrue\0").ignored(&place, Purpose::Diff).is_empty(),
            "git's own monitor"
        );
    }

    #[test]
    fn a_partial_clone_is_known_by_its_remote_or_its_extension() {
        assert!(settings("remote.a.b.promisor\ntrue\0").is_partial_clone());
        assert!(settings("extensions.partialclone\norigin\0").is_partial_clone());
        assert!(!settings("remote.origin.url\nx\0").is_partial_clone());
    }
}
