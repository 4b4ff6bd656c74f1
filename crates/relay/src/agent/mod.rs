//! Relay's own agent, put together for a front end: the user's settings, a model with its keys, a session, the tools
//! and the policy meet here, and nowhere else.

mod host;
mod open;
mod person;
mod prompt;
mod system;

pub use host::Binary;
pub use open::{Front, Opened, Which, open};
pub use person::Terminal;
pub use prompt::{Attached, input, prompt, text};
