//! Relay's own agent, put together for a front end: only this module combines the user's settings, a model with its
//! keys, a session, the tools and the policy.

mod awake;
mod files;
pub mod folder;
mod gate;
pub mod hooks;
mod host;
mod journal;
mod manual;
mod open;
mod others;
mod person;
mod prompt;
mod published;
mod reach;
mod served;
pub mod ssh;
mod system;
mod vision;

pub use host::{expand, templates};
pub use open::{Front, Opened, Which, open, services, skills};
pub use person::Terminal;
pub use prompt::{Attached, input, prompt, text};
pub use served::{Served, served};
