//! Artifacts: output that is too long for a conversation, kept beside the session in a folder of its own.
//!
//! They are numbered consecutively, even across restarts, and a model refers to them by number (`artifact://3`). Two
//! tools that finish at once get two numbers: a name that exists is never used again.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::error::StoreError;
use crate::folder::Folder;

/// How many numbers are tried beyond the highest one found; a taken number belongs to a tool that is writing right
/// now.
const ATTEMPTS: u64 = 1_000;
/// The longest part of a file's name that comes from a tool.
const TOOL_CHARS: usize = 60;

/// The artifacts of one session. Creating the value touches nothing on disk.
#[derive(Clone, Debug)]
pub struct Artifacts {
    path: PathBuf,
}

/// An existing artifact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artifact {
    /// Its number.
    pub id: u64,
    /// What made it.
    pub tool: String,
    /// How long it is.
    pub bytes: u64,
    /// Where it is.
    pub path: PathBuf,
}

/// An artifact that is being written. It needs no closing call; what was written is stored.
#[derive(Debug)]
pub struct ArtifactFile {
    /// Its number.
    pub id: u64,
    /// Where it is.
    pub path: PathBuf,
    file: File,
}

impl Write for ArtifactFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}

impl Artifacts {
    /// The artifacts of a session: the folder of the session's name without `.jsonl`.
    pub(super) fn beside(session: &Path) -> Self {
        Self { path: session.with_extension("") }
    }

    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Starts an artifact.
    ///
    /// # Errors
    /// The system refuses.
    pub fn create(&self, tool: &str) -> Result<ArtifactFile, StoreError> {
        let folder = Folder::create(&self.path)?;
        let next = self.list()?.last().map_or(0, |last| last.id + 1);
        let tool = plain(tool);
        for id in next..next.saturating_add(ATTEMPTS) {
            // Creating the file decides, because two tools may try the same number.
            let name = format!("{id}.{tool}.log");
            let claim = format!("{id}.claim");
            match folder.create_new(&claim) {
                Ok(_) => {}
                Err(StoreError::Io { source, .. }) if source.kind() == std::io::ErrorKind::AlreadyExists => {
                    continue;
                }
                Err(error) => return Err(error),
            }
            let is_free = !self.list()?.iter().any(|known| known.id == id);
            let made = if is_free { folder.create_new(&name).map(Some) } else { Ok(None) };
            folder.remove_own(&claim)?;
            if let Some(file) = made? {
                folder.sync()?;
                return Ok(ArtifactFile { id, path: self.path.join(name), file });
            }
        }
        Err(StoreError::Busy { path: self.path.clone() })
    }

    /// Stores a whole artifact and returns its number.
    ///
    /// # Errors
    /// The system refuses.
    pub fn save(&self, tool: &str, bytes: &[u8]) -> Result<u64, StoreError> {
        let mut artifact = self.create(tool)?;
        let written = artifact.file.write_all(bytes).and_then(|()| artifact.file.sync_data());
        written.map_err(|source| StoreError::io(&artifact.path, source))?;
        Ok(artifact.id)
    }

    /// Stores a file under a name of its own, such as `0-Review.md` for a subagent's answer.
    ///
    /// # Errors
    /// The name is not one, or the system refuses.
    pub fn save_named(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, StoreError> {
        let folder = Folder::create(&self.path)?;
        folder.lock()?.replace(name, bytes)?;
        Ok(self.path.join(name))
    }

    /// The artifacts that are there, by number.
    ///
    /// # Errors
    /// The folder is not sound, or the system refuses.
    pub fn list(&self) -> Result<Vec<Artifact>, StoreError> {
        let Some(folder) = Folder::open(&self.path)? else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for name in folder.names()? {
            let Some((id, tool)) = numbered(&name) else { continue };
            if let Some(facts) = folder.facts(&name)? {
                found.push(Artifact {
                    id,
                    tool: tool.to_owned(),
                    bytes: facts.bytes,
                    path: self.path.join(&name),
                });
            }
        }
        found.sort_by_key(|artifact| artifact.id);
        Ok(found)
    }

    /// The names of all files there are, artifacts and others.
    ///
    /// # Errors
    /// The folder is not sound, or the system refuses.
    pub fn names(&self) -> Result<Vec<String>, StoreError> {
        Folder::open(&self.path)?.map_or_else(|| Ok(Vec::new()), |folder| folder.names())
    }

    /// What is in an artifact, at most this many bytes of it; `None` if there is none with this number.
    ///
    /// # Errors
    /// The file is not sound, or the system refuses.
    pub fn read(&self, id: u64, limit_bytes: u64) -> Result<Option<Vec<u8>>, StoreError> {
        let Some(folder) = Folder::open(&self.path)? else { return Ok(None) };
        let names = folder.names()?;
        let name = names.iter().find(|name| numbered(name).is_some_and(|(known, _)| known == id));
        name.map_or(Ok(None), |name| folder.read_log(name, limit_bytes))
    }

    /// What is in a file that has a name of its own; `None` when there is none.
    ///
    /// # Errors
    /// The name is not one, the file is not sound, or the system refuses.
    pub fn read_named(&self, name: &str, limit_bytes: u64) -> Result<Option<Vec<u8>>, StoreError> {
        Folder::open(&self.path)?.map_or(Ok(None), |folder| folder.read_log(name, limit_bytes))
    }

    /// Copies all of them to another session, which has none yet.
    ///
    /// # Errors
    /// The system refuses; then some may have been copied.
    pub fn copy_to(&self, other: &Artifacts) -> Result<(), StoreError> {
        let Some(folder) = Folder::open(&self.path)? else { return Ok(()) };
        let target = Folder::create(&other.path)?;
        for name in folder.names()? {
            let is_kept =
                !name.starts_with('.') && name != crate::folder::LOCK && folder.facts(&name)?.is_some();
            let Some(mut source) = is_kept.then(|| folder.open_log_to_read(&name)).transpose()?.flatten()
            else {
                continue;
            };
            let mut copy = target.create_new(&name)?;
            let copied = std::io::copy(&mut source, &mut copy).and_then(|_| copy.sync_all());
            copied.map_err(|source| StoreError::io(other.path.join(&name), source))?;
        }
        target.sync()
    }

    /// Removes all of them.
    pub(super) fn remove(&self) -> Result<(), StoreError> {
        if Folder::open(&self.path)?.is_none() {
            return Ok(());
        }
        std::fs::remove_dir_all(&self.path).map_err(|source| StoreError::io(&self.path, source))
    }
}

/// Number and tool of `3.bash.log`.
fn numbered(name: &str) -> Option<(u64, &str)> {
    let (id, rest) = name.strip_suffix(".log")?.split_once('.')?;
    (!id.starts_with('+')).then_some(())?;
    Some((id.parse().ok()?, rest))
}

/// A tool's name as a part of a file's name.
fn plain(tool: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let name: String = tool.chars().map(|c| if is_plain(c) { c } else { '_' }).take(TOOL_CHARS).collect();
    if name.is_empty() { "tool".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn artifacts(home: &tempfile::TempDir) -> Artifacts {
        Artifacts::beside(&home.path().join("s.jsonl"))
    }

    #[test]
    fn numbers_continue_after_the_highest() {
        let home = tempfile::tempdir().unwrap();
        let kept = artifacts(&home);
        assert!(kept.list().unwrap().is_empty() && kept.read(0, 10).unwrap().is_none());
        assert_eq!(kept.save("bash", b"one").unwrap(), 0);
        assert_eq!(kept.save("../evil tool", b"two").unwrap(), 1);
        std::fs::write(kept.path().join("7.bash.log"), "x").unwrap();
        let mut streamed = kept.create("bash").unwrap();
        streamed.write_all(b"streamed").unwrap();
        assert_eq!(streamed.id, 8);
        let list = kept.list().unwrap();
        assert_eq!(list.iter().map(|known| known.id).collect::<Vec<_>>(), [0, 1, 7, 8]);
        assert_eq!(list[1].tool, "___evil_tool");
        assert_eq!(kept.read(8, 6).unwrap().unwrap(), b"stream");
        assert!(kept.read(2, 10).unwrap().is_none());
    }

    #[test]
    fn two_at_once_get_two_numbers() {
        let home = tempfile::tempdir().unwrap();
        let kept = artifacts(&home);
        let mut ids: Vec<u64> = std::thread::scope(|scope| {
            let many: Vec<_> = (0..8)
                .map(|n| {
                    scope.spawn({
                        let kept = &kept;
                        move || kept.save(&format!("t{n}"), b"x").unwrap()
                    })
                })
                .collect();
            many.into_iter().map(|one| one.join().unwrap()).collect()
        });
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), 8);
        assert!(!kept.path().join("0.claim").exists());
    }

    #[test]
    fn a_fork_gets_a_copy() {
        let home = tempfile::tempdir().unwrap();
        let kept = artifacts(&home);
        kept.save("bash", b"one").unwrap();
        kept.save_named("0-Review.md", b"fine").unwrap();
        let other = Artifacts::beside(&home.path().join("t.jsonl"));
        kept.copy_to(&other).unwrap();
        assert_eq!(other.read(0, 10).unwrap().unwrap(), b"one");
        assert_eq!(other.read_named("0-Review.md", 10).unwrap().unwrap(), b"fine");
        kept.remove().unwrap();
        assert!(!kept.path().exists() && other.path().exists());
    }
}
