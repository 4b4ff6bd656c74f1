//! The messages between the parts of the watcher.

use std::time::Instant;

use relay_diagnostics::Diagnostic;
use relay_engine::{Arrival, Config, Outcome};
use uuid::Uuid;

/// What happened.
#[derive(Debug)]
pub enum Message {
    /// The channel is open; everything from now on is new.
    Opened {
        /// What is watched.
        place: String,
    },
    /// The channel delivered something.
    Arrived(Arrival),
    /// The channel broke.
    Lost(Vec<Diagnostic>),
    /// A key was pressed, and when.
    Key(char, Instant),
    /// The terminal went away, or a signal asks Relay to stop.
    Stop,
    /// The program was stopped and continues; the terminal may have changed meanwhile.
    Resumed,
    /// The worker made progress.
    Work(Step),
    /// The config file changed, or can no longer be used.
    Configured(Result<Box<Config>, Vec<Diagnostic>>),
}

/// The worker's progress.
#[derive(Debug)]
pub enum Step {
    /// Another transaction is in the way.
    Waits(String),
    /// A command of the project runs.
    Runs {
        /// Its config key and its text.
        command: String,
    },
    /// A line that it printed.
    Printed(String),
    /// It ended.
    Ran,
    /// A text is about to be copied to the clipboard; the watcher must ignore it there.
    Copies {
        /// The text's digest.
        digest: String,
    },
    /// A person must decide; the worker waits for an [`Answer`].
    Asks(Question),
    /// Something to look at while the question is shown.
    Shows(String),
    /// It is done.
    Done(Done),
}

/// What the worker was asked to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Task {
    /// Land a reply.
    Land(String),
    /// Put the message that asks for the repair of a refused reply on the clipboard.
    Repair(String),
    /// Undo a transaction.
    Undo(Uuid),
    /// Show the newest transactions.
    Log,
}

/// The result of a task.
#[derive(Debug)]
pub enum Done {
    /// A reply, landed or refused.
    Landed {
        /// The reply.
        text: String,
        /// Its outcome.
        outcome: Box<Outcome>,
        /// The message that asks for its repair, if Relay copied it automatically.
        repair: Option<Repair>,
    },
    /// An undo.
    Undone {
        /// The transaction to undo.
        uuid: Uuid,
        /// Its outcome.
        outcome: Box<Outcome>,
    },
    /// The message that asks for a repair.
    Repair(Repair),
    /// The newest transactions, ready to be shown.
    Log(String),
    /// It could not start.
    Failed(Vec<Diagnostic>),
}

/// Where the message that asks for a repair went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Repair {
    /// It is on the clipboard.
    Copied,
    /// There is no clipboard, so the message is shown.
    Shown(String),
    /// Every edit fits; something else refused the reply.
    NotNeeded,
}

/// What a person is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The diff in question, shown as it is.
    pub diff: String,
    /// Everything else to know.
    pub text: String,
    /// The question itself.
    pub ask: String,
    /// Whether files can be shown whole.
    pub can_show: bool,
}

/// A person's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Go on.
    Yes,
    /// Do not.
    No,
    /// Show one more file whole, and ask again.
    Show,
    /// The person left.
    Leave,
}

/// What to do next.
#[derive(Debug)]
pub enum Effect {
    /// Give the worker a task.
    Work(Task),
    /// Give the worker its answer.
    Answer(Answer),
    /// Stop the worker's task and roll it back.
    Cancel,
    /// A reply's turn has come.
    Found,
    /// A text for the person.
    Say(String),
    /// A diff for the person, shown as it is.
    Show(String),
    /// A question for the person.
    Ask(Question),
    /// An outcome is reported.
    Report(Box<Outcome>),
    /// Findings that belong to no outcome.
    Complain(Vec<Diagnostic>),
    /// Notify the person.
    Notify(Notice),
    /// Stop before anything was watched.
    Fail(Vec<Diagnostic>),
    /// Stop with this exit code.
    Quit(u8),
}

/// Why a person is notified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notice {
    /// A question waits.
    NeedsYou,
    /// A reply landed and changed this many files.
    Landed(usize),
    /// A reply was refused or rolled back.
    Refused,
}
