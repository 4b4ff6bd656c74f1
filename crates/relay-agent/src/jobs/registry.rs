//! All jobs of a process, as plain data: every change names the time, so tests need no clock.

use std::collections::VecDeque;
use std::time::Instant;

use relay_diagnostics::Cancel;

use super::delivery::{Deliveries, Delivery, Parcel};
use super::output::Slice;
use super::record::{Record, label};
use super::{Cancelled, JobEvent, NewJob, Refused, Snapshot, Status};
use crate::turn::Prompt;

/// How many messages of one job may wait for the conversation. A log that floods must not fill the memory.
const WAITING_MESSAGES: usize = 200;
/// How many events may wait for a front end.
const WAITING_EVENTS: usize = 1_000;

/// Runs once, when its owner is torn down.
pub(super) type Cleanup = Box<dyn FnOnce() + Send>;

/// All jobs, what waits to be delivered, and what is to be done at a teardown.
pub(super) struct Registry {
    records: Vec<Record>,
    pub deliveries: Deliveries,
    cleanups: Vec<(String, Cleanup)>,
    events: VecDeque<(String, JobEvent)>,
    max_running: usize,
    started: u64,
    pub is_disposed: bool,
}

impl Registry {
    pub fn new(max_running: usize) -> Self {
        Self {
            records: Vec::new(),
            deliveries: Deliveries::default(),
            cleanups: Vec::new(),
            events: VecDeque::new(),
            max_running,
            started: 0,
            is_disposed: false,
        }
    }

    /// Enters a job that starts now: its id, and what ends it.
    pub fn enter(&mut self, owner: &str, new: NewJob, now: Instant) -> Result<(String, Cancel), Refused> {
        self.evict(now);
        if self.is_disposed {
            return Err(Refused::Disposed);
        }
        if self.records.iter().filter(|record| !record.settled).count() >= self.max_running {
            return Err(Refused::Limit(self.max_running));
        }
        let id = match new.id {
            Some(id) if self.records.iter().all(|record| record.id != id) => id,
            _ => {
                self.started += 1;
                format!("bg_{}", self.started)
            }
        };
        let record = Record {
            id: id.clone(),
            owner: owner.to_owned(),
            kind: new.kind,
            label: label(&new.label),
            status: Status::Running,
            started: now,
            ended: None,
            settled: false,
            result: None,
            error: None,
            metadata: new.metadata,
            cancel: Cancel::new(),
            output: super::output::Kept::default(),
            watchers: 0,
            acknowledged: false,
        };
        let cancel = record.cancel.clone();
        self.tell(owner, JobEvent::Started(record.snapshot(now)));
        self.records.push(record);
        Ok((id, cancel))
    }

    /// The job as it will be once its thread is over with this result.
    pub fn foresee(&self, id: &str, result: &Result<String, String>, now: Instant) -> Option<Snapshot> {
        let record = self.records.iter().find(|record| record.id == id)?;
        let mut job = record.snapshot(now);
        match result {
            Ok(text) => job.result_text = Some(text.clone()),
            Err(text) => job.error_text = Some(text.clone()),
        }
        if job.status == Status::Running {
            job.status = if result.is_ok() { Status::Completed } else { Status::Failed };
        }
        Some(job)
    }

    /// A job's thread is over. A job that was cancelled stays so; what it says is kept all the same.
    pub fn settle(&mut self, id: &str, result: Result<String, String>, now: Instant) {
        let Some(record) = self.records.iter_mut().find(|record| record.id == id) else { return };
        record.settled = true;
        record.ended.get_or_insert(now);
        let (status, text) = match result {
            Ok(text) => (Status::Completed, Some((text, true))),
            Err(text) => (Status::Failed, Some((text, false))),
        };
        if let Some((text, is_result)) = text.filter(|(text, _)| !text.is_empty()) {
            *(if is_result { &mut record.result } else { &mut record.error }) = Some(text);
        }
        if record.status != Status::Running {
            return;
        }
        record.status = status;
        let (owner, snapshot, known) = (record.owner.clone(), record.snapshot(now), record.acknowledged);
        if !known && !self.is_disposed {
            self.deliveries.add(&owner, Parcel::Ended(id.to_owned()), now);
        }
        self.tell(&owner, JobEvent::Ended(snapshot));
    }

    pub fn cancel(&mut self, owner: &str, id: &str, now: Instant) -> Cancelled {
        self.evict(now);
        let found = self.records.iter_mut().find(|record| record.owner == owner && record.id == id);
        let Some(record) = found else { return Cancelled::NotFound };
        if record.status != Status::Running {
            return Cancelled::AlreadyCompleted;
        }
        record.status = Status::Cancelled;
        record.ended = Some(now);
        record.cancel.cancel();
        let snapshot = record.snapshot(now);
        self.tell(owner, JobEvent::Ended(snapshot));
        Cancelled::Cancelled
    }

    /// Cancels all jobs of an owner, or of all.
    pub fn cancel_all(&mut self, owner: Option<&str>, now: Instant) {
        let running: Vec<(String, String)> = self
            .records
            .iter()
            .filter(|record| owner.is_none_or(|owner| record.owner == owner))
            .filter(|record| record.status == Status::Running)
            .map(|record| (record.owner.clone(), record.id.clone()))
            .collect();
        for (owner, id) in running {
            self.cancel(&owner, &id, now);
        }
    }

    /// An owner's jobs, in the order in which they were started.
    pub fn of(&mut self, owner: &str, now: Instant) -> Vec<Snapshot> {
        self.evict(now);
        let own = self.records.iter().filter(|record| record.owner == owner);
        own.map(|record| record.snapshot(now)).collect()
    }

    /// Whether a thread of an owner's job is not over yet.
    pub fn is_unsettled(&self, owner: Option<&str>) -> bool {
        let mut own = self.records.iter().filter(|record| owner.is_none_or(|owner| record.owner == owner));
        own.any(|record| !record.settled)
    }

    pub fn append(&mut self, id: &str, chunk: &str) {
        if self.is_disposed {
            return;
        }
        if let Some(record) = self.records.iter_mut().find(|record| record.id == id) {
            record.output.append(chunk);
        }
    }

    pub fn read(&mut self, owner: &str, id: &str, offset: u64, now: Instant) -> Option<Slice> {
        self.evict(now);
        let record = self.records.iter().find(|record| record.owner == owner && record.id == id)?;
        let (text, start_offset, truncated) = record.output.since(offset);
        let next_offset = if text.is_empty() { offset } else { record.output.end() };
        Some(Slice {
            job_id: id.to_owned(),
            status: record.status,
            text,
            start_offset,
            next_offset,
            truncated,
        })
    }

    /// Counts the calls that wait for these jobs.
    pub fn watch(&mut self, owner: &str, ids: &[String], begins: bool) {
        let own = self.records.iter_mut().filter(|record| record.owner == owner && ids.contains(&record.id));
        for record in own {
            record.watchers = if begins { record.watchers + 1 } else { record.watchers.saturating_sub(1) };
        }
    }

    /// The conversation knows how these jobs ended.
    pub fn acknowledge(&mut self, owner: &str, ids: &[String]) {
        let own = self.records.iter_mut().filter(|record| record.owner == owner && ids.contains(&record.id));
        for record in own {
            record.acknowledged = true;
        }
        self.deliveries.forget(|id| ids.iter().any(|known| known == id));
    }

    /// Forgets a job that has ended, as if it had never been one.
    pub fn forget(&mut self, owner: &str, id: &str) {
        self.acknowledge(owner, &[id.to_owned()]);
        self.records.retain(|record| record.id != id || record.owner != owner || !record.settled);
    }

    /// Has a message wait for the conversation. False if too many of that job's wait already.
    pub fn say(&mut self, owner: &str, job: Option<&str>, prompt: Prompt, now: Instant) -> bool {
        let full = job.is_some_and(|job| self.deliveries.waiting_of(job) >= WAITING_MESSAGES);
        if self.is_disposed || full {
            return false;
        }
        let parcel = Parcel::Said { job: job.map(str::to_owned), prompt };
        self.deliveries.add(owner, parcel, now);
        true
    }

    /// Takes what is due for an owner's conversation.
    pub fn take(&mut self, owner: &str, all: bool, now: Instant) -> Vec<Delivery> {
        let records = &self.records;
        let held = |id: &str| records.iter().any(|record| record.id == id && record.watchers > 0);
        let taken = self.deliveries.take(owner, all, now, held);
        for delivery in &taken {
            if let Parcel::Ended(id) = &delivery.parcel
                && let Some(record) = self.records.iter_mut().find(|record| record.id == *id)
            {
                record.acknowledged = true;
            }
        }
        taken
    }

    /// The jobs of these ids, whoever owns them.
    pub fn snapshots<'a>(&self, ids: impl Iterator<Item = &'a String>, now: Instant) -> Vec<Snapshot> {
        ids.filter_map(|id| self.records.iter().find(|record| record.id == *id))
            .map(|record| record.snapshot(now))
            .collect()
    }

    pub fn take_events(&mut self, owner: &str) -> Vec<JobEvent> {
        if self.events.is_empty() {
            return Vec::new();
        }
        let (own, others) = self.events.drain(..).partition::<Vec<_>, _>(|(of, _)| of == owner);
        self.events = others.into();
        own.into_iter().map(|(_, event)| event).collect()
    }

    pub fn add_cleanup(&mut self, owner: &str, cleanup: Cleanup) {
        self.cleanups.push((owner.to_owned(), cleanup));
    }

    /// Takes the clean-ups of an owner, or of all; each runs once.
    pub fn take_cleanups(&mut self, owner: Option<&str>) -> Vec<Cleanup> {
        let is_wanted = |of: &str| owner.is_none_or(|owner| of == owner);
        let (wanted, left) =
            std::mem::take(&mut self.cleanups).into_iter().partition::<Vec<_>, _>(|(of, _)| is_wanted(of));
        self.cleanups = left;
        wanted.into_iter().map(|(_, cleanup)| cleanup).collect()
    }

    fn tell(&mut self, owner: &str, event: JobEvent) {
        if self.events.len() >= WAITING_EVENTS {
            self.events.pop_front();
        }
        self.events.push_back((owner.to_owned(), event));
    }

    /// Forgets jobs that ended long ago, with their output and what waits of them.
    fn evict(&mut self, now: Instant) {
        let mut gone = Vec::new();
        self.records.retain(|record| {
            let stale = record.is_stale(now);
            if stale {
                gone.push(record.id.clone());
            }
            !stale
        });
        if !gone.is_empty() {
            self.deliveries.forget(|id| gone.iter().any(|known| known == id));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn registry() -> Registry {
        Registry::new(2)
    }

    fn ids(jobs: &[Snapshot]) -> Vec<&str> {
        jobs.iter().map(|job| job.id.as_str()).collect()
    }

    #[test]
    fn running_jobs_are_limited_and_an_end_makes_room() {
        let (mut jobs, now) = (registry(), Instant::now());
        for _ in 0..2 {
            jobs.enter("main", NewJob::bash("x"), now).unwrap();
        }
        assert_eq!(jobs.enter("main", NewJob::bash("x"), now).unwrap_err(), Refused::Limit(2));
        // A cancelled job counts until its thread is over.
        assert_eq!(jobs.cancel("main", "bg_1", now), Cancelled::Cancelled);
        assert_eq!(jobs.enter("main", NewJob::bash("x"), now).unwrap_err(), Refused::Limit(2));
        jobs.settle("bg_1", Ok(String::new()), now);
        assert_eq!(jobs.enter("main", NewJob::bash("x"), now).unwrap().0, "bg_3");
    }

    #[test]
    fn a_cancelled_job_stays_cancelled_whatever_it_says_later() {
        let (mut jobs, now) = (registry(), Instant::now());
        let (id, cancel) = jobs.enter("main", NewJob::bash("x"), now).unwrap();
        jobs.cancel("main", &id, now);
        assert!(cancel.is_cancelled());
        jobs.settle(&id, Ok("late".to_owned()), now);
        let job = jobs.of("main", now).remove(0);
        assert_eq!((job.status, job.result_text.as_deref()), (Status::Cancelled, Some("late")));
        assert!(jobs.take("main", false, now).is_empty(), "a cancelled job is not announced");
        assert_eq!(jobs.cancel("main", &id, now), Cancelled::AlreadyCompleted);
    }

    #[test]
    fn jobs_are_forgotten_five_minutes_after_their_end() {
        let (mut jobs, now) = (registry(), Instant::now());
        let (id, _) = jobs.enter("main", NewJob::bash("x"), now).unwrap();
        jobs.append(&id, "text");
        let long_after = now + Duration::from_secs(3600);
        assert_eq!(ids(&jobs.of("main", long_after)), ["bg_1"], "a running job stays");
        jobs.settle(&id, Ok(String::new()), long_after);
        assert_eq!(jobs.of("main", long_after + Duration::from_secs(299)).len(), 1);
        let over = long_after + Duration::from_secs(300);
        assert!(jobs.of("main", over).is_empty());
        assert!(jobs.read("main", &id, 0, over).is_none());
        assert_eq!(jobs.cancel("main", &id, over), Cancelled::NotFound);
        assert!(jobs.take("main", false, over).is_empty());
    }

    #[test]
    fn owners_see_only_their_own() {
        let (mut jobs, now) = (registry(), Instant::now());
        let (id, _) = jobs.enter("main", NewJob::bash("x"), now).unwrap();
        jobs.append(&id, "text");
        assert!(jobs.read("other", &id, 0, now).is_none() && jobs.of("other", now).is_empty());
        assert_eq!(jobs.cancel("other", &id, now), Cancelled::NotFound);
        let slice = jobs.read("main", &id, 1, now).unwrap();
        assert_eq!((slice.text.as_str(), slice.start_offset, slice.next_offset), ("ext", 1, 4));
        let past = jobs.read("main", &id, 77, now).unwrap();
        assert_eq!((past.text.as_str(), past.next_offset, past.truncated), ("", 77, false));
        jobs.settle(&id, Ok("done".to_owned()), now);
        assert!(jobs.take("other", false, now).is_empty());
        assert_eq!(jobs.take("main", false, now).len(), 1);
        assert!(jobs.take("main", false, now).is_empty(), "exactly once");
    }

    #[test]
    fn results_that_a_call_watches_or_saw_are_not_announced() {
        let (mut jobs, now) = (registry(), Instant::now());
        let (id, _) = jobs.enter("main", NewJob::bash("x"), now).unwrap();
        jobs.watch("main", std::slice::from_ref(&id), true);
        jobs.settle(&id, Ok("done".to_owned()), now);
        assert!(jobs.take("main", false, now).is_empty(), "watched");
        jobs.watch("main", std::slice::from_ref(&id), false);
        jobs.acknowledge("main", std::slice::from_ref(&id));
        assert!(jobs.take("main", false, now).is_empty(), "acknowledged");
    }

    #[test]
    fn a_flood_of_messages_is_bounded() {
        let (mut jobs, now) = (registry(), Instant::now());
        let (id, _) = jobs.enter("main", NewJob::bash("x"), now).unwrap();
        let say = |jobs: &mut Registry, id| jobs.say("main", Some(id), Prompt::hidden("t", "x"), now);
        assert_eq!((0..500).filter(|_| say(&mut jobs, &id)).count(), WAITING_MESSAGES);
        jobs.take("main", false, now);
        assert!(say(&mut jobs, &id));
    }
}
