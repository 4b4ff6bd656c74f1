//! Old artifacts: command output that no one needed again.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::Sessions;
use crate::error::StoreError;
use crate::folder::Folder;

impl Sessions {
    /// Deletes the artifacts of all sessions that were not written for this long, or only counts them. How many there were,
    /// and their bytes. Sessions themselves stay.
    ///
    /// # Errors
    /// A folder is not sound, or the system refuses; then some may have been deleted.
    pub fn clear_artifacts(&self, age: Duration, is_dry: bool) -> Result<(usize, u64), StoreError> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let before = i64::try_from(now.saturating_sub(age).as_nanos()).unwrap_or(i64::MAX);
        let (mut count, mut bytes) = (0, 0);
        for project in self.folders()? {
            for session in self.files_in(&project)? {
                let shelf = self.artifacts(&session.path);
                let Some(folder) = Folder::open(shelf.path())? else { continue };
                for artifact in shelf.list()? {
                    let Some(name) = artifact.path.file_name().and_then(|name| name.to_str()) else {
                        continue;
                    };
                    let facts = folder.facts(name)?;
                    if facts.is_none_or(|facts| facts.modified_ns >= before) {
                        continue;
                    }
                    count += 1;
                    bytes += artifact.bytes;
                    if !is_dry {
                        folder.remove_own(name)?;
                    }
                }
            }
        }
        Ok((count, bytes))
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;
    use crate::store::Store;

    #[test]
    fn only_old_artifacts_go() {
        let place = tempfile::tempdir().unwrap();
        let sessions = Store::at(place.path()).sessions();
        let session = sessions.folder_of(place.path()).join("2026_a.jsonl");
        drop(sessions.create(&session, b"{}\n").unwrap());
        let shelf = sessions.artifacts(&session);
        let (old, new) = (shelf.save("bash", b"old").unwrap(), shelf.save("bash", b"newer").unwrap());
        let month = Duration::from_secs(30 * 24 * 3600);
        let file = File::options().write(true).open(shelf.path().join(format!("{old}.bash.log"))).unwrap();
        file.set_modified(SystemTime::now() - month * 2).unwrap();
        assert_eq!(sessions.clear_artifacts(month, true).unwrap(), (1, 3));
        assert_eq!(shelf.list().unwrap().len(), 2, "nothing was deleted");
        assert_eq!(sessions.clear_artifacts(month, false).unwrap(), (1, 3));
        assert_eq!(shelf.list().unwrap().iter().map(|artifact| artifact.id).collect::<Vec<_>>(), [new]);
        assert!(session.exists());
    }
}
