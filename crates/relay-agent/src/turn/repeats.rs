//! Calls that a model makes over and over, and that come to the same each time.
//!
//! A model that is stuck repeats one call with the same arguments. After a few failures the result says so, which
//! usually helps; after many the run ends, because it would only burn money. The same goes for a call that succeeds and
//! has the same result each time, with more patience: a model that waits for something may ask a few times.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use relay_llm::ToolCall;

use crate::tool::Output;

/// How many equal failures in a row until the model is warned.
const WARN_AFTER_FAILURES: usize = 3;
/// How many until the run ends.
const END_AFTER_FAILURES: usize = 8;
/// How many equal results in a row until the model is warned.
const WARN_AFTER_RESULTS: usize = 5;
/// How many until the run ends: whoever looks every half minute whether a build is done gets twenty-five minutes.
const END_AFTER_RESULTS: usize = 50;

/// What was called last, and how often that came to the same in a row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Repeats {
    /// The last failing call.
    failing: Row,
    /// The last call with its result, if it succeeded.
    succeeding: Row,
}

/// Equal things in a row.
#[derive(Clone, Debug, Default, PartialEq)]
struct Row {
    last: Option<u64>,
    count: usize,
}

impl Row {
    fn add(&mut self, what: u64) -> usize {
        if self.last == Some(what) {
            self.count += 1;
        } else {
            *self = Self { last: Some(what), count: 1 };
        }
        self.count
    }
}

/// How often a call came to the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repeated {
    count: usize,
    failed: bool,
}

impl Repeats {
    /// Counts a call with what it came to.
    pub fn count(&mut self, call: &ToolCall, output: &Output) -> Repeated {
        let key = hash(&[&call.name, &format!("{:?}", call.arguments)]);
        if output.is_error {
            self.succeeding = Row::default();
            return Repeated { count: self.failing.add(key), failed: true };
        }
        // Looking something up in between does not make a failing call another one.
        if self.failing.last == Some(key) {
            self.failing = Row::default();
        }
        let result = hash(&[&key.to_string(), &output.plain_text()]);
        Repeated { count: self.succeeding.add(result), failed: false }
    }
}

impl Repeated {
    /// What is said to the model below the result.
    pub fn warning(self) -> Option<String> {
        let Self { count, failed } = self;
        match failed {
            true => (count >= WARN_AFTER_FAILURES).then(|| {
                format!(
                    "\n[This exact call has failed {count} times in a row. Do not repeat it: change the arguments, use \
                     another tool, or explain what is in the way.]"
                )
            }),
            false => (count >= WARN_AFTER_RESULTS).then(|| {
                format!(
                    "\n[This exact call has had this exact result {count} times in a row. Do not repeat it: continue with \
                     the task, or explain what is in the way. After {END_AFTER_RESULTS} times the run ends.]"
                )
            }),
        }
    }

    /// Why the run ends, if it does.
    pub fn end(self, tool: &str) -> Option<String> {
        let Self { count, failed } = self;
        match failed {
            true => (count >= END_AFTER_FAILURES)
                .then(|| format!("the model repeated a failing call of `{tool}` {count} times")),
            false => (count >= END_AFTER_RESULTS).then(|| {
                format!("the model repeated a call of `{tool}` {count} times, with the same result each time")
            }),
        }
    }
}

fn hash(parts: &[&str]) -> u64 {
    let mut hasher = DefaultHasher::new();
    parts.hash(&mut hasher);
    hasher.finish()
}
