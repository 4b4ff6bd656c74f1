//! Other agents and models as backends: a question or a diff goes out, an answer comes back.
//!
//! - [`backend`] knows how each of them is called: one file per backend, one trait.
//! - [`ask`] is the way of a question: checked, put into one envelope, guarded against agents that call each other in
//!   circles, and handed over.
//! - [`review`] is the way of a diff: findings that lie inside it, merged over several backends, and a verdict that is
//!   never better than what could be read.
//! - [`configured`] makes backends of the user's settings.
//!
//! Nothing here reads the environment, a terminal or a repository's files for settings: what decides which program runs
//! with which key is the user's alone, and the binary hands it over.

pub mod ask;
pub mod backend;
pub mod configured;
pub mod jobs;
pub mod labels;
pub mod review;
