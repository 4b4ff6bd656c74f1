//! Jobs: background work, and its results, which outlive every process.
//!
//! A job is a file with what its owner last knew, and a lock held while a process works on it. Whether a job is alive
//! is therefore never a guess by process number: the system releases the lock when the process dies.

use crate::error::StoreError;
use crate::folder::Folder;
use crate::locked::Locked;
use crate::store::Store;

/// The folder in the state folder.
const FOLDER: &str = "jobs";

/// The jobs of the user.
#[derive(Debug)]
pub struct Jobs {
    folder: Folder,
}

/// The holder of this lock works on the job.
#[derive(Debug)]
pub struct JobLock {
    _lock: Locked,
}

impl Store {
    /// The jobs; the folder is made if it is missing.
    ///
    /// # Errors
    /// The folder is not sound, or the system refuses.
    pub fn jobs(&self) -> Result<Jobs, StoreError> {
        Ok(Jobs { folder: Folder::create(&self.state_dir().join(FOLDER))? })
    }
}

impl Jobs {
    /// What is known about a job; `None` if there is none with this name.
    ///
    /// # Errors
    /// The name is none, or the file is not sound.
    pub fn read(&self, id: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.folder.read(&format!("{id}.json"))
    }

    /// Writes what is known about a job.
    ///
    /// # Errors
    /// The system refuses.
    pub fn write(&self, id: &str, document: &[u8]) -> Result<(), StoreError> {
        self.folder.lock()?.replace(&format!("{id}.json"), document)
    }

    /// The names of all jobs.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn ids(&self) -> Result<Vec<String>, StoreError> {
        let names = self.folder.names()?;
        // A file that another process is writing has a hidden name.
        let ids =
            names.iter().filter(|name| !name.starts_with('.')).filter_map(|name| name.strip_suffix(".json"));
        Ok(ids.map(str::to_owned).collect())
    }

    /// Takes a job; `None` if another process works on it already.
    ///
    /// # Errors
    /// The system refuses.
    pub fn hold(&self, id: &str) -> Result<Option<JobLock>, StoreError> {
        let (file, place) = self.folder.lock_file(&format!("{id}.lock"))?;
        Ok(Locked::try_new(file, &place)?.ok().map(|lock| JobLock { _lock: lock }))
    }

    /// Asks the process that works on a job to stop.
    ///
    /// # Errors
    /// The system refuses.
    pub fn request_end(&self, id: &str) -> Result<(), StoreError> {
        self.folder.lock()?.replace(&format!("{id}.end"), b"")
    }

    /// Whether the job was asked to stop.
    ///
    /// # Errors
    /// The file is not sound.
    pub fn is_end_requested(&self, id: &str) -> Result<bool, StoreError> {
        Ok(self.folder.read(&format!("{id}.end"))?.is_some())
    }

    /// Removes all traces of a job.
    ///
    /// # Errors
    /// The system refuses.
    pub fn remove(&self, id: &str) -> Result<(), StoreError> {
        let writer = self.folder.lock()?;
        for suffix in ["end", "lock", "json"] {
            writer.remove(&format!("{id}.{suffix}"))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_is_alive_while_its_lock_is_held() {
        let home = tempfile::tempdir().unwrap();
        let jobs = Store::at(home.path()).jobs().unwrap();
        jobs.write("a1", b"{}").unwrap();
        let held = jobs.hold("a1").unwrap();
        assert!(held.is_some() && jobs.hold("a1").unwrap().is_none());
        drop(held);
        assert!(jobs.hold("a1").unwrap().is_some());
        assert!(!jobs.is_end_requested("a1").unwrap());
        jobs.request_end("a1").unwrap();
        assert!(jobs.is_end_requested("a1").unwrap());
        std::fs::write(jobs.folder.path().join(".tmp-a2.json"), "{").unwrap();
        assert_eq!(jobs.ids().unwrap(), ["a1"], "one that is being written is none yet");
        jobs.remove("a1").unwrap();
        assert!(jobs.ids().unwrap().is_empty() && jobs.read("a1").unwrap().is_none());
        assert!(jobs.read("../x").is_err());
    }
}
