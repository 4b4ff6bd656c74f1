//! `relay mail list`.

use relay_engine::report;

use super::{Desk, say};
use crate::failure::Failure;
use crate::terminal;

pub fn run(desk: &Desk<'_>) -> Result<u8, Failure> {
    let sessions = desk.mail.sessions()?;
    if desk.json {
        return Ok(terminal::print_document(&report::mail::sessions(&sessions)));
    }
    if sessions.is_empty() {
        terminal::tell("no threads here; `relay mail start \"…\"` starts one\n");
    }
    Ok(terminal::print(&sessions.iter().map(say::listed).collect::<String>()))
}
