//! The effects that the step function requests. The driver performs them in order.

use crate::event::{CompactReason, Event};
use crate::session::Body;
use crate::tool::Signal;

use super::calls::PendingCall;

/// An effect.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Puts an entry into the log. It is durable before an exclusive call runs and before the run ends; messages are
    /// reported once they are in.
    Append(Body),
    /// Reports something.
    Emit(Event),
    /// Asks the model, with the conversation as the log has it.
    Ask {
        /// The tool it must call, if it must.
        must_call: Option<String>,
    },
    /// Ends the answer that is under way.
    StopModel,
    /// Runs a call.
    Run(PendingCall),
    /// Ends the calls that are under way.
    StopCalls,
    /// Carries out a tool's request to the conversation.
    Signal(Signal),
    /// Compacts the conversation.
    Compact {
        /// Why.
        reason: CompactReason,
        /// What the summary should focus on.
        focus: Option<String>,
    },
    /// Reports when this time has passed.
    Wait(u64),
    /// The answer's text may hold edits: lands them.
    LandText {
        /// The text.
        text: String,
    },
    /// Remembers that these stream rules were injected.
    Injected(Vec<String>),
    /// An answer used this many tokens, without those from the provider's cache.
    Used(u64),
    /// A turn is over, for what counts turns.
    TurnEnded,
    /// Shows the open goal to the model.
    RemindOfGoal {
        /// Whether the model wanted to stop.
        continues: bool,
    },
}
