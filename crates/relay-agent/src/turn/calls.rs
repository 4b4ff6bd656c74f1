//! The calls of one answer: which may start, which have ended, which results go into the log next.

use relay_llm::ToolCall;

use crate::tool::Output;

/// A call that shall run.
#[derive(Clone, Debug, PartialEq)]
pub struct PendingCall {
    /// The call.
    pub call: ToolCall,
    /// Whether it must run alone.
    pub exclusive: bool,
}

#[derive(Clone, Debug, PartialEq)]
enum Progress {
    Waiting,
    Running,
    Ended(Output),
}

/// The calls of one answer, in its order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Calls {
    slots: Vec<(PendingCall, Progress)>,
    logged: usize,
}

impl Calls {
    pub fn new(calls: impl IntoIterator<Item = PendingCall>) -> Self {
        Self { slots: calls.into_iter().map(|call| (call, Progress::Waiting)).collect(), logged: 0 }
    }

    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Whether every call has ended.
    pub fn all_ended(&self) -> bool {
        self.slots.iter().all(|(_, progress)| matches!(progress, Progress::Ended(_)))
    }

    /// The call with this id, while it runs.
    pub fn running(&self, id: &str) -> Option<&ToolCall> {
        let running = self
            .slots
            .iter()
            .find(|(slot, progress)| slot.call.id == id && matches!(progress, Progress::Running));
        running.map(|(slot, _)| &slot.call)
    }

    /// Starts what may start: shared calls beside each other, an exclusive one alone, none before those in front of it
    /// have had their chance.
    pub fn start(&mut self) -> Vec<PendingCall> {
        let mut started = Vec::new();
        let mut running = self.slots.iter().filter(|(_, progress)| *progress == Progress::Running);
        let mut is_free = running.clone().next().is_none();
        let mut is_shared = running.all(|(slot, _)| !slot.exclusive);
        for (slot, progress) in &mut self.slots {
            if *progress != Progress::Waiting {
                continue;
            }
            if !(is_free || is_shared && !slot.exclusive) {
                break;
            }
            *progress = Progress::Running;
            started.push(slot.clone());
            is_free = false;
            is_shared = !slot.exclusive;
        }
        started
    }

    /// A call ended; false if it was not running.
    pub fn end(&mut self, id: &str, output: Output) -> bool {
        let running = self
            .slots
            .iter_mut()
            .find(|(slot, progress)| slot.call.id == id && matches!(progress, Progress::Running));
        match running {
            Some((_, progress)) => {
                *progress = Progress::Ended(output);
                true
            }
            None => false,
        }
    }

    /// Ends every call that has not started, with the same output.
    pub fn skip_waiting(&mut self, output: &Output) -> Vec<ToolCall> {
        let mut skipped = Vec::new();
        for (slot, progress) in &mut self.slots {
            if *progress == Progress::Waiting {
                *progress = Progress::Ended(output.clone());
                skipped.push(slot.call.clone());
            }
        }
        skipped
    }

    /// The results that go into the log now: in the order of the calls, so none before those in front of it.
    pub fn take_results(&mut self) -> Vec<(ToolCall, Output)> {
        let ended: Vec<(ToolCall, Output)> = self
            .slots
            .iter()
            .skip(self.logged)
            .map_while(|(slot, progress)| match progress {
                Progress::Ended(output) => Some((slot.call.clone(), output.clone())),
                _ => None,
            })
            .collect();
        self.logged += ended.len();
        ended
    }
}

#[cfg(test)]
mod tests {
    use relay_llm::Arguments;

    use super::*;

    /// `s` is a shared call, `x` an exclusive one; ids are their places.
    fn calls(kinds: &str) -> Calls {
        Calls::new(kinds.chars().enumerate().map(|(at, kind)| PendingCall {
            call: ToolCall {
                id: at.to_string(),
                name: "t".to_owned(),
                arguments: Arguments::parse(""),
                seal: None,
            },
            exclusive: kind == 'x',
        }))
    }

    fn ids(started: &[PendingCall]) -> String {
        started.iter().map(|pending| pending.call.id.as_str()).collect()
    }

    #[test]
    fn shared_calls_run_beside_each_other_and_exclusive_ones_alone() {
        let mut calls = calls("ssxsx");
        assert_eq!(ids(&calls.start()), "01");
        assert_eq!(ids(&calls.start()), "");
        assert!(calls.end("0", Output::text("a")));
        assert_eq!(ids(&calls.start()), "", "the exclusive one waits for both");
        assert!(calls.end("1", Output::text("b")));
        assert_eq!(ids(&calls.start()), "2");
        assert!(calls.end("2", Output::default()));
        assert_eq!(ids(&calls.start()), "3");
        assert!(calls.end("3", Output::default()));
        assert_eq!(ids(&calls.start()), "4");
        assert!(!calls.all_ended());
        assert!(calls.end("4", Output::default()) && calls.all_ended());
    }

    #[test]
    fn results_keep_the_order_of_the_calls() {
        let mut calls = calls("sss");
        calls.start();
        calls.end("2", Output::text("c"));
        assert!(calls.take_results().is_empty());
        calls.end("0", Output::text("a"));
        assert_eq!(calls.take_results().len(), 1);
        calls.end("1", Output::text("b"));
        let texts: Vec<String> = calls.take_results().iter().map(|(_, output)| output.plain_text()).collect();
        assert_eq!(texts, ["b", "c"]);
    }

    #[test]
    fn an_end_counts_once() {
        let mut calls = calls("s");
        assert!(!calls.end("0", Output::default()), "it has not started");
        calls.start();
        assert!(calls.end("0", Output::default()));
        assert!(!calls.end("0", Output::default()));
        assert!(calls.skip_waiting(&Output::default()).is_empty());
    }
}
