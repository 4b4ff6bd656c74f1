//! The turn loop: models and tools taking turns, as a pure function.
//!
//! [`step`](State::step) takes what happened and says what to do about it. It reads no clock, file or network, so a
//! session replays from what happened to it, and a property test can drive it through any order of events. `driver`
//! carries the effects out.
//!
//! ```text
//! prompt ─▶ ask ─▶ answer ─┬─▶ calls ─▶ results ─▶ ask …
//!                          └─▶ nothing left to do ─▶ idle
//! ```

mod calls;
mod effect;
mod happened;
mod prose;
mod queue;
mod repeats;
mod schema;
mod shorten;
mod state;
mod step;
#[cfg(test)]
mod tests;
mod todos;
mod work;

pub use calls::PendingCall;
pub use effect::Effect;
pub use happened::{Answer, Compacted, Happened, Hit, Prompt, Source};
pub use queue::{Delivery, Queues};
pub use schema::structured;
pub use state::{Phase, Settings, State};
pub use todos::{EditedTodos, TODOS};
