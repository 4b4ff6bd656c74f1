//! Intake: where replies come from, which texts are replies, and which are admitted.
//!
//! A channel hands over text. `recognise` says whether it is a reply for this project, `parsing` reads it, `address`
//! finds the file of edits that name none, and `admit` checks project and uuid. Nothing here plans or writes.

pub(crate) mod address;
pub(crate) mod admit;
pub mod channel;
pub(crate) mod parsing;
pub(crate) mod prepared;
pub(crate) mod recognise;
pub(crate) mod submission;
