//! One conformance suite, run for every adapter against a scripted model server over real HTTP.

mod answers;
mod cancel;
mod faults;
mod limits;
mod replay;
mod secrets;
mod support;
