//! Intake: where replies come from, which texts are replies, and which are admitted.
//!
//! A channel hands over text. `recognise` says whether it is a reply for this project, `parsing` reads it, `address`
//! finds the file of edits that name none, and `admit` checks project and uuid; `ready` is what comes of it. Nothing here plans or writes.

pub(crate) mod address;
pub(crate) mod admit;
pub mod channel;
pub(crate) mod parsing;
pub(crate) mod prepared;
pub(crate) mod ready;
pub(crate) mod recognise;
pub(crate) mod submission;
