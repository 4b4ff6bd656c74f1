//! The tasks that are scheduled, by owner, and the thread that fires them.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use relay_agent::jobs::Jobs;
use relay_agent::turn::Prompt;

use super::expression::Expression;
use super::moment;

/// How many tasks an owner may have.
pub const TASKS: usize = 50;
/// How long a recurring task lives.
const LIFE_MS: i64 = 7 * 24 * 60 * 60 * 1000;
/// The longest sleep: clocks are set, and machines sleep.
const NAP: Duration = Duration::from_secs(30);
/// How often an id is tried before a longer one is taken.
const TRIES: usize = 16;

/// A task.
#[derive(Clone, Debug)]
pub struct Task {
    pub id: String,
    pub expression: Expression,
    pub prompt: String,
    pub recurring: bool,
    created: Timestamp,
    matched: Timestamp,
    /// When it fires.
    pub fires: Timestamp,
}

/// All tasks. Clones share them.
#[derive(Clone, Default)]
pub struct Schedules(Arc<Shared>);

#[derive(Default)]
struct Shared {
    owners: Mutex<BTreeMap<String, Owner>>,
    changed: Condvar,
}

struct Owner {
    jobs: Jobs,
    tasks: Vec<Task>,
}

impl Schedules {
    /// Schedules a task for the owner of these jobs.
    ///
    /// # Errors
    /// The owner has too many, or the expression never matches.
    pub fn add(
        &self,
        jobs: &Jobs,
        expression: Expression,
        prompt: &str,
        recurring: bool,
    ) -> Result<Task, String> {
        let mut owners = self.lock();
        let is_first = owners.is_empty();
        if !owners.contains_key(jobs.owner()) {
            owners.insert(jobs.owner().to_owned(), Owner { jobs: jobs.clone(), tasks: Vec::new() });
            let (all, owner) = (self.clone(), jobs.owner().to_owned());
            jobs.on_teardown(move || all.clear(&owner));
        }
        let taken: Vec<String> =
            owners.values().flat_map(|owner| &owner.tasks).map(|task| task.id.clone()).collect();
        let Some(owner) = owners.get_mut(jobs.owner()) else {
            return Err("the session is ending".to_owned());
        };
        let task = plan(expression, prompt, recurring, &taken, Timestamp::now());
        let added = match task {
            _ if owner.tasks.len() >= TASKS => Err(format!(
                "Cron task limit reached ({TASKS}). Cancel an existing task with CronDelete first."
            )),
            None => Err("Invalid cron expression: it matches no time within 366 days.".to_owned()),
            Some(task) => {
                owner.tasks.push(task.clone());
                Ok(task)
            }
        };
        drop(owners);
        self.0.changed.notify_all();
        if is_first {
            self.watch();
        }
        added
    }

    /// An owner's tasks, in the order in which they were made.
    pub fn list(&self, owner: &str) -> Vec<Task> {
        self.lock().get(owner).map(|owner| owner.tasks.clone()).unwrap_or_default()
    }

    /// Cancels a task; says whether there was one.
    pub fn remove(&self, owner: &str, id: &str) -> bool {
        let mut owners = self.lock();
        let Some(owner) = owners.get_mut(owner) else { return false };
        let before = owner.tasks.len();
        owner.tasks.retain(|task| task.id != id);
        owner.tasks.len() < before
    }

    fn clear(&self, owner: &str) {
        self.lock().remove(owner);
        self.0.changed.notify_all();
    }

    /// Starts the thread that fires tasks; it ends once no owner is left.
    fn watch(&self) {
        let shared = Arc::clone(&self.0);
        let run = move || {
            let mut owners = shared.owners.lock().unwrap_or_else(PoisonError::into_inner);
            while !owners.is_empty() {
                let now = Timestamp::now();
                owners.values_mut().for_each(|owner| owner.fire(now, &TimeZone::system()));
                let next = owners.values().flat_map(|owner| &owner.tasks).map(|task| task.fires).min();
                let wait = next.map_or(NAP, |next| {
                    let ms = next.as_millisecond() - Timestamp::now().as_millisecond();
                    Duration::from_millis(u64::try_from(ms).unwrap_or_default().max(1)).min(NAP)
                });
                let waited = shared.changed.wait_timeout(owners, wait);
                owners = waited.unwrap_or_else(PoisonError::into_inner).0;
            }
        };
        // Without a thread tasks do not fire; `CronList` still shows them, with a time that has passed.
        drop(thread::Builder::new().name("cron".to_owned()).spawn(run));
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Owner>> {
        self.0.owners.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Owner {
    /// Fires what is due. Tasks that fire once, that are too old, or that never match again are gone afterwards.
    fn fire(&mut self, now: Timestamp, zone: &TimeZone) {
        let jobs = &self.jobs;
        self.tasks.retain_mut(|task| {
            let is_expired =
                task.recurring && now.as_millisecond() - task.created.as_millisecond() >= LIFE_MS;
            if is_expired || task.fires > now {
                return !is_expired;
            }
            jobs.say(message(task));
            // The next match is looked for after this one, so that a late firing does not skip it; what a sleeping
            // machine missed is not made up for.
            let after = task.matched.max(now);
            task.recurring && task.reschedule(after, zone)
        });
    }
}

impl Task {
    fn reschedule(&mut self, after: Timestamp, zone: &TimeZone) -> bool {
        let next = moment::next(&self.expression, &self.id, self.recurring, after, zone);
        if let Some((matched, fires)) = next {
            (self.matched, self.fires) = (matched, fires);
        }
        next.is_some()
    }
}

fn plan(
    expression: Expression,
    prompt: &str,
    recurring: bool,
    taken: &[String],
    now: Timestamp,
) -> Option<Task> {
    let id = new_id(taken);
    let (matched, fires) = moment::next(&expression, &id, recurring, now, &TimeZone::system())?;
    Some(Task { id, expression, prompt: prompt.to_owned(), recurring, created: now, matched, fires })
}

/// Eight characters of `a-z0-9`; a longer one if chance gives the same id again and again.
fn new_id(taken: &[String]) -> String {
    const LETTERS: &[u8; 36] = b"abcdefghijklmnopqrstuvwxyz0123456789";
    let id = |length: usize| {
        let mut random = vec![0_u8; length];
        if getrandom::fill(&mut random).is_err() {
            // A machine without randomness gets the same id each time, which the tries below find.
            return "a".repeat(length);
        }
        let letter =
            |byte: u8| char::from(LETTERS.get(usize::from(byte) % LETTERS.len()).copied().unwrap_or(b'a'));
        random.into_iter().map(letter).collect::<String>()
    };
    let short = (0..TRIES).map(|_| id(8)).find(|id| !taken.contains(id));
    short.unwrap_or_else(|| format!("{}{}", id(16), taken.len()))
}

/// What the model reads when a task fires.
fn message(task: &Task) -> Prompt {
    let text = format!(
        "<task-notification>\nScheduled task {} fired ({}).\n\n{}\n</task-notification>",
        task.id,
        task.expression.in_words(),
        task.prompt
    );
    Prompt::hidden("cron-fire", text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn owner(expression: &str, recurring: bool, now: &str) -> Owner {
        let expression = Expression::parse(expression).unwrap();
        let mut task = Task {
            id: "abcd1234".to_owned(),
            expression,
            prompt: "look".to_owned(),
            recurring,
            created: at(now),
            matched: at(now),
            fires: at(now),
        };
        assert!(task.reschedule(at(now), &TimeZone::UTC));
        Owner { jobs: Jobs::default(), tasks: vec![task] }
    }

    #[test]
    fn a_recurring_task_fires_at_every_match_until_its_week_is_over() {
        let mut owner = owner("*/5 * * * *", true, "2026-03-01T00:00:00Z");
        let (mut now, mut fired) = (at("2026-03-01T00:00:00Z"), 0);
        while let Some(task) = owner.tasks.first() {
            now = task.fires;
            owner.fire(now, &TimeZone::UTC);
            fired += 1;
        }
        // 2,016 matches in a week; the last ones may come after its end, because they are late.
        assert!((2_010..=2_017).contains(&fired), "{fired}");
        assert!(now.as_millisecond() - at("2026-03-08T00:00:00Z").as_millisecond() < 300_000);
    }

    #[test]
    fn a_task_that_fires_once_is_gone_afterwards() {
        let mut owner = owner("0 9 * * *", false, "2026-03-01T00:00:00Z");
        owner.fire(at("2026-03-01T08:58:29Z"), &TimeZone::UTC);
        assert_eq!(owner.tasks.len(), 1, "not yet");
        owner.fire(at("2026-03-01T09:00:00Z"), &TimeZone::UTC);
        assert!(owner.tasks.is_empty());
        assert!(owner.jobs.is_busy(), "its message waits");
    }

    #[test]
    fn what_was_missed_while_asleep_fires_once() {
        let mut owner = owner("*/5 * * * *", true, "2026-03-01T00:00:00Z");
        let late = at("2026-03-01T12:00:30Z");
        owner.fire(late, &TimeZone::UTC);
        assert!(owner.tasks[0].fires > late);
        let before = owner.tasks[0].fires;
        owner.fire(late, &TimeZone::UTC);
        assert_eq!(owner.tasks[0].fires, before);
    }

    #[test]
    fn owners_have_fifty_tasks_each_and_a_teardown_clears_them() {
        let (all, jobs) = (Schedules::default(), Jobs::default());
        let other = jobs.of("sub");
        let every_day = || Expression::parse("0 0 1 1 *").unwrap();
        for _ in 0..TASKS {
            all.add(&jobs, every_day(), "x", true).unwrap();
        }
        let error = all.add(&jobs, every_day(), "x", true).unwrap_err();
        assert_eq!(error, "Cron task limit reached (50). Cancel an existing task with CronDelete first.");
        let task = all.add(&other, every_day(), "y", false).unwrap();
        assert_eq!(task.id.len(), 8);
        assert_eq!((all.list("main").len(), all.list("sub").len()), (50, 1));
        assert!(!all.remove("main", &task.id) && all.remove("sub", &task.id) && !all.remove("sub", &task.id));
        jobs.tear_down();
        assert!(all.list("main").is_empty());
        jobs.dispose();
    }
}
