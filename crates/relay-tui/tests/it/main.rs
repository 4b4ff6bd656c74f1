//! The interface as a person sees it: frames of the agent and keys go in, a terminal emulator shows what comes out.

mod fuzz;
mod input;
mod screens;
mod stage;
