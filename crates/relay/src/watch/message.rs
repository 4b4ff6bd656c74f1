//! The messages between the parts of the watcher.

use std::time::Instant;

use relay_diagnostics::Diagnostic;
use relay_engine::{Arrival, Config, Outcome};
use uuid::Uuid;

/// What happened.
#[derive(Debug)]
pub enum Message {
    /// The channel is open; from now on everything is new.
    Opened {
        /// What is watched.
        place: String,
    },
    /// The channel handed something over.
    Arrived(Arrival),
    /// The channel broke.
    Lost(Vec<Diagnostic>),
    /// A key was pressed, and when.
    Key(char, Instant),
    /// The terminal went away, or a signal asks for an end.
    Stop,
    /// The program was stopped and goes on; the terminal may have changed meanwhile.
    Resumed,
    /// The worker got further.
    Work(Step),
    /// The config file is another one, or cannot be used any more.
    Configured(Result<Box<Config>, Vec<Diagnostic>>),
}

/// How the worker gets on.
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
    /// A text is about to be put on the clipboard; when it comes back it is ignored.
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
    /// Take a transaction back.
    Undo(Uuid),
    /// Show the newest transactions.
    Log,
}

/// What came of a task.
#[derive(Debug)]
pub enum Done {
    /// A reply, landed or refused.
    Landed {
        /// The reply.
        text: String,
        /// Its outcome.
        outcome: Box<Outcome>,
        /// The message that asks for its repair, if it was copied by itself.
        repair: Option<Repair>,
    },
    /// An undo.
    Undone {
        /// What was to be taken back.
        uuid: Uuid,
        /// Its outcome.
        outcome: Box<Outcome>,
    },
    /// The message that asks for a repair.
    Repair(Repair),
    /// The newest transactions, ready to be shown.
    Log(String),
    /// It could not even begin.
    Failed(Vec<Diagnostic>),
}

/// Where the message that asks for a repair went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Repair {
    /// It is on the clipboard.
    Copied,
    /// There is no clipboard, so here it is.
    Shown(String),
    /// Every edit fits; something else refused the reply.
    NotNeeded,
}

/// What a person is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The diff it is about, shown as it is.
    pub diff: String,
    /// Everything else there is to know.
    pub text: String,
    /// The question itself.
    pub ask: String,
    /// Whether files can be shown whole.
    pub can_show: bool,
}

/// What a person says to it.
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

/// What shall happen now.
#[derive(Debug)]
pub enum Effect {
    /// The worker gets something to do.
    Work(Task),
    /// The worker gets its answer.
    Answer(Answer),
    /// What the worker does is broken off and rolled back.
    Cancel,
    /// A reply came, and its turn is now.
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
    /// The person is called from whatever else they do.
    Notify(Notice),
    /// The end, before anything was watched.
    Fail(Vec<Diagnostic>),
    /// The end, with this exit code.
    Quit(u8),
}

/// Why a person is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notice {
    /// A question waits.
    NeedsYou,
    /// A reply landed and changed this many files.
    Landed(usize),
    /// A reply was refused or rolled back.
    Refused,
}
