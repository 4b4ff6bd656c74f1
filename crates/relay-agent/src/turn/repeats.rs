//! Detects calls that keep failing in the same way.
//!
//! A model that is stuck repeats one call with the same arguments. After a few failures the result says so, which
//! usually helps; after many the run ends, because it would only burn money.

use relay_llm::ToolCall;

/// How many equal failures in a row until the model is warned.
pub const WARN_AFTER: usize = 3;
/// How many until the run ends.
pub const END_AFTER: usize = 8;

/// The last failing call and how often it failed in a row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Repeats {
    last: Option<String>,
    count: usize,
}

impl Repeats {
    /// Counts a call; says how many equal failures there are in a row now.
    pub fn count(&mut self, call: &ToolCall, failed: bool) -> usize {
        let key = format!("{}\n{:?}", call.name, call.arguments);
        match (failed, self.last.as_deref() == Some(key.as_str())) {
            (true, true) => self.count += 1,
            (true, false) => *self = Self { last: Some(key), count: 1 },
            (false, true) => *self = Self::default(),
            // Looking something up in between does not make the call another one.
            (false, false) => {}
        }
        if failed { self.count } else { 0 }
    }
}

/// What is said to the model below a result.
#[must_use]
pub fn warning(count: usize) -> String {
    format!(
        "\n[This exact call has failed {count} times in a row. Do not repeat it: change the arguments, use another \
         tool, or explain what is in the way.]"
    )
}
