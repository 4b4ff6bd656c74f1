//! Background work: questions, and agents' jobs. What is known about each, and whether it is still alive.

use relay_store::{Jobs, StoreError};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A background job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// Its name.
    pub id: String,
    /// When it began, in seconds since 1970.
    pub started: i64,
    /// The arguments with which `relay` was called for it.
    pub arguments: Vec<String>,
    /// The prompt.
    pub prompt: String,
    /// Where it was asked.
    pub folder: String,
    /// Its state.
    pub state: State,
    /// The exit code, once it has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<u8>,
    /// Its result, as `relay ask --json` prints it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Value>,
    /// The agent that runs it; `None` for a question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<OfAgent>,
}

/// Which agent a job belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfAgent {
    /// Its session.
    pub session: String,
    /// What the agent calls the job.
    pub job: String,
    /// What it runs: `bash`, `task`.
    #[serde(rename = "type")]
    pub kind: String,
}

/// The state of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// No process has taken it yet.
    Starting,
    /// It is being answered.
    Running,
    /// It was answered, successfully or not.
    Done,
    /// The user cancelled it.
    Cancelled,
    /// Its process died without reporting a result.
    Lost,
}

impl State {
    /// Whether it has not ended yet.
    #[must_use]
    pub const fn is_open(self) -> bool {
        matches!(self, State::Starting | State::Running)
    }

    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            State::Starting => "starting",
            State::Running => "running",
            State::Done => "done",
            State::Cancelled => "cancelled",
            State::Lost => "lost",
        }
    }
}

impl Job {
    /// A job in its current state; `None` if there is none with this name, or its file cannot be parsed.
    ///
    /// # Errors
    /// The file is not sound.
    pub fn load(jobs: &Jobs, id: &str) -> Result<Option<Self>, StoreError> {
        let Some(mut job) = Self::load_held(jobs, id)? else { return Ok(None) };
        if job.state == State::Running && jobs.hold(id)?.is_some() {
            // It may have ended between the two checks.
            job = Self::load_held(jobs, id)?.unwrap_or(job);
            if job.state == State::Running {
                job.state = State::Lost;
            }
        }
        Ok(Some(job))
    }

    /// A job as it is on disk, for the process that holds it.
    ///
    /// # Errors
    /// The file is not sound.
    pub fn load_held(jobs: &Jobs, id: &str) -> Result<Option<Self>, StoreError> {
        Ok(jobs.read(id)?.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
    }

    /// All jobs, the newest first.
    ///
    /// # Errors
    /// A file is not sound.
    pub fn all(jobs: &Jobs) -> Result<Vec<Self>, StoreError> {
        let mut all = Vec::new();
        for id in jobs.ids()? {
            all.extend(Self::load(jobs, &id)?);
        }
        all.sort_by(|a: &Self, b: &Self| b.started.cmp(&a.started).then_with(|| a.id.cmp(&b.id)));
        Ok(all)
    }

    /// Writes the job's file.
    ///
    /// # Errors
    /// The system refuses.
    pub fn save(&self, jobs: &Jobs) -> Result<(), StoreError> {
        let document = serde_json::to_vec_pretty(self).map_err(|error| StoreError::Corrupt {
            path: format!("{}.json", self.id).into(),
            reason: error.to_string(),
        })?;
        jobs.write(&self.id, &document)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use relay_store::Store;

    fn job(id: &str, state: State) -> Job {
        Job {
            id: id.to_owned(),
            started: 1,
            arguments: Vec::new(),
            prompt: "p".to_owned(),
            folder: "/".to_owned(),
            state,
            exit_code: None,
            result: None,
            agent: None,
        }
    }

    #[test]
    fn a_job_without_a_process_is_lost() {
        let home = tempfile::tempdir().unwrap();
        let jobs = Store::at(home.path()).jobs().unwrap();
        for (id, state) in [("a", State::Running), ("b", State::Done), ("c", State::Running)] {
            job(id, state).save(&jobs).unwrap();
        }
        let _held = jobs.hold("a").unwrap();
        let states: Vec<_> = Job::all(&jobs).unwrap().into_iter().map(|job| job.state).collect();
        assert_eq!(states, [State::Running, State::Done, State::Lost]);
        assert_eq!(Job::load(&jobs, "zz").unwrap(), None);
    }
}
