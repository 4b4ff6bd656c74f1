//! Tests of the agent through its public interface, on a real disk.

mod log;
mod support;
