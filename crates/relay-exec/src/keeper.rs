//! One rule for every long-lived child: when to restart it, and when to stop it because it is idle.
//!
//! Shells, language servers, debuggers, kernels and tool servers fail in the same ways: they crash repeatedly, hang, or
//! wait for work that never comes. The remedy is the same for all.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// A child that a [`Keeper`] can keep.
pub trait Alive {
    /// Whether it still works.
    fn is_alive(&mut self) -> bool;

    /// The last error it printed.
    fn last_words(&self) -> String;
}

/// When to restart a child, and when to stop it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// How often it may be started within `window`.
    pub starts: usize,
    /// The time in which starts are counted.
    pub window: Duration,
    /// How long it may be idle before it is stopped; `None` means forever.
    pub idle: Option<Duration>,
}

impl Default for Rule {
    fn default() -> Self {
        Self { starts: 5, window: Duration::from_secs(60), idle: None }
    }
}

/// Why there is no child.
#[derive(Debug, thiserror::Error)]
pub enum KeeperError<E> {
    /// It was started too often.
    #[error("it was started {starts} times within {} seconds and ended each time{}", .window.as_secs(), quoted(.last_words))]
    Crashing {
        /// How often.
        starts: usize,
        /// Within which time.
        window: Duration,
        /// The last error it printed.
        last_words: String,
    },
    /// It could not be started.
    #[error(transparent)]
    NotStarted(E),
}

fn quoted(last_words: &str) -> String {
    if last_words.is_empty() { String::new() } else { format!("; it said: {last_words}") }
}

/// Keeps one child, by a rule.
///
/// ```
/// use relay_exec::{Alive, Keeper, KeeperError, Rule};
///
/// struct Broken;
/// impl Alive for Broken {
///     fn is_alive(&mut self) -> bool { false }
///     fn last_words(&self) -> String { "no config".to_owned() }
/// }
///
/// let mut keeper = Keeper::new(Rule { starts: 2, ..Rule::default() });
/// for _ in 0..2 {
///     assert!(keeper.get(|| Ok::<_, ()>(Broken)).is_ok());
/// }
/// let Err(error) = keeper.get(|| Ok::<_, &str>(Broken)) else { panic!("it keeps crashing") };
/// assert!(error.to_string().ends_with("it said: no config"));
/// ```
#[derive(Debug)]
pub struct Keeper<T> {
    rule: Rule,
    child: Option<T>,
    used: Instant,
    starts: VecDeque<Instant>,
    last_words: String,
}

impl<T: Alive> Keeper<T> {
    /// A keeper that has no child yet.
    #[must_use]
    pub fn new(rule: Rule) -> Self {
        Self { rule, child: None, used: Instant::now(), starts: VecDeque::new(), last_words: String::new() }
    }

    /// The child; started if there is none, or if the one there was has ended.
    ///
    /// # Errors
    /// It cannot be started, or has ended too often.
    pub fn get<E>(&mut self, start: impl FnOnce() -> Result<T, E>) -> Result<&mut T, KeeperError<E>> {
        self.tidy();
        self.used = Instant::now();
        let child = match self.child.take() {
            Some(child) => child,
            None => self.start(start)?,
        };
        Ok(self.child.insert(child))
    }

    /// Takes the child away, for as long as it works on something that nothing else may interrupt.
    pub fn take(&mut self) -> Option<T> {
        self.child.take()
    }

    /// Brings it back, unless there is another one by now.
    pub fn put_back(&mut self, child: T) {
        self.used = Instant::now();
        self.child.get_or_insert(child);
    }

    /// Forgets a child that has ended, and ends one that was not used for long enough.
    pub fn tidy(&mut self) {
        let Some(child) = &mut self.child else { return };
        let is_idle = self.rule.idle.is_some_and(|limit| self.used.elapsed() >= limit);
        if !child.is_alive() {
            self.last_words = child.last_words();
            self.child = None;
        } else if is_idle {
            self.child = None;
        }
    }

    fn start<E>(&mut self, start: impl FnOnce() -> Result<T, E>) -> Result<T, KeeperError<E>> {
        let now = Instant::now();
        self.starts.retain(|at| now.duration_since(*at) < self.rule.window);
        if self.starts.len() >= self.rule.starts {
            let (starts, window) = (self.starts.len(), self.rule.window);
            return Err(KeeperError::Crashing { starts, window, last_words: self.last_words.clone() });
        }
        self.starts.push_back(now);
        start().map_err(KeeperError::NotStarted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fake(bool);

    impl Alive for Fake {
        fn is_alive(&mut self) -> bool {
            self.0
        }
        fn last_words(&self) -> String {
            "oops".to_owned()
        }
    }

    #[test]
    fn a_living_child_is_kept_and_a_dead_one_replaced() {
        let mut keeper = Keeper::new(Rule::default());
        let mut starts = 0;
        for _ in 0..3 {
            keeper
                .get(|| {
                    starts += 1;
                    Ok::<_, ()>(Fake(true))
                })
                .unwrap();
        }
        assert_eq!(starts, 1);
        keeper.get(|| Ok::<_, ()>(Fake(true))).unwrap().0 = false;
        assert!(keeper.get(|| Err::<Fake, _>("no")).is_err());
        assert!(keeper.get(|| Ok::<_, ()>(Fake(true))).unwrap().0);
    }

    #[test]
    fn an_idle_child_is_ended() {
        let rule = Rule { idle: Some(Duration::ZERO), ..Rule::default() };
        let mut keeper = Keeper::new(rule);
        keeper.get(|| Ok::<_, ()>(Fake(true))).unwrap();
        keeper.tidy();
        assert!(keeper.take().is_none());
    }

    #[test]
    fn a_child_that_is_brought_back_does_not_replace_another() {
        let mut keeper = Keeper::new(Rule::default());
        keeper.get(|| Ok::<_, ()>(Fake(true))).unwrap();
        let first = keeper.take().unwrap();
        keeper.get(|| Ok::<_, ()>(Fake(true))).unwrap();
        keeper.put_back(first);
        assert!(keeper.take().is_some() && keeper.take().is_none());
    }
}
