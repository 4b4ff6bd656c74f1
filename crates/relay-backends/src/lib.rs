//! Other agents and models as backends: a question or a diff goes out, an answer comes back.
//!
//! - [`backend`] knows how to call each of them: one file per backend, one trait.
//! - [`ask`] is the path of a question: checked, put into one envelope, guarded against agents that call each other in
//!   circles, and handed over.
//! - [`review`] is the path of a diff: findings that lie inside it, merged over several backends, and a verdict that is
//!   never better than what could be read.
//! - [`configured`] makes backends from the user's settings.
//!
//! Nothing here reads settings from the environment, a terminal or a repository's files: only the user decides which
//! program runs with which key, and the binary passes that in.

pub mod ask;
pub mod backend;
pub mod configured;
pub mod jobs;
pub mod labels;
pub mod review;
