//! `relay completions`: a script for the user's shell, from the same definition as `--help`.

use crate::cli::{CompletionsArgs, definition};
use crate::terminal;

pub fn run(args: &CompletionsArgs) -> u8 {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut definition(), "relay", &mut script);
    terminal::print(&String::from_utf8_lossy(&script))
}
