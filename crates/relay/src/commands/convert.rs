//! `relay __convert KIND`: turns a document on standard input into text, for the Relay that started this one.
//!
//! It runs in the sandbox with further limits on memory, time and files. If a document crashes its reader, only this
//! process ends.

use std::io::Read as _;

use crate::terminal;

/// The largest accepted document.
const INPUT_BYTES: u64 = 64 << 20;
/// Memory and processor time that a document may take.
#[cfg(unix)]
const MEMORY_BYTES: u64 = 1 << 30;
#[cfg(unix)]
const SECONDS: u64 = 25;

pub fn run(kind: &str) -> u8 {
    limit();
    let mut bytes = Vec::new();
    if let Err(error) = std::io::stdin().take(INPUT_BYTES).read_to_end(&mut bytes) {
        terminal::tell(&format!("the document could not be read: {error}\n"));
        return 1;
    }
    match relay_tools::convert(kind, &bytes) {
        Ok(text) => terminal::print_exactly(&text),
        Err(reason) => {
            terminal::tell(&format!("{reason}\n"));
            1
        }
    }
}

#[cfg(unix)]
fn limit() {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let most = |amount: u64| Rlimit { current: Some(amount), maximum: Some(amount) };
    for (resource, amount) in
        [(Resource::Data, MEMORY_BYTES), (Resource::Cpu, SECONDS), (Resource::Core, 0), (Resource::Fsize, 0)]
    {
        // A lower existing limit cannot be raised, and need not be.
        let _ignored: Result<(), _> = setrlimit(resource, most(amount));
    }
}

#[cfg(not(unix))]
fn limit() {}
