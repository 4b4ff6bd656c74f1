//! Long output in a terminal goes through the user's pager.
//!
//! The pager comes from the user's environment alone (RELAY_PAGER, PAGER, else `less`); nothing in a repository can name
//! one. Output that is piped, or short enough for the screen, is printed directly.

use std::io::{self, IsTerminal as _};

use super::wrap;

/// Prints a text, in a pager if it is longer than the screen. Prose is wrapped; what follows it, such as a diff, is
/// shown as it is. Returns the exit code that follows.
pub fn show(prose: &str, verbatim: &str, no_pager: bool) -> u8 {
    let (width, height) = size();
    let prose = if io::stdout().is_terminal() { wrap::wrapped(prose, width) } else { prose.to_owned() };
    let text = prose + verbatim;
    let is_long = text.lines().count() >= height;
    let is_watched = io::stdout().is_terminal() && io::stdin().is_terminal();
    let Some(command) = (is_watched && is_long && !no_pager).then(pager).flatten() else {
        return super::print_as_is(&text);
    };
    let plain = anstream::AutoStream::choice(&io::stdout()) == anstream::ColorChoice::Never;
    let shown = if plain { super::style::unpainted(&text) } else { text };
    match relay_exec::page(&command, &shown) {
        Ok(()) => 0,
        Err(error) => {
            let code = super::print_as_is(&shown);
            super::note(&format!("{error}; set RELAY_PAGER to another one, or to nothing"));
            code
        }
    }
}

/// The pager's command; `None` if the user turned it off or has none.
fn pager() -> Option<String> {
    let named = ["RELAY_PAGER", "PAGER"].iter().find_map(|name| std::env::var(name).ok());
    match named {
        Some(command) => Some(command).filter(|command| !matches!(command.trim(), "" | "cat")),
        None => relay_exec::find_program("less").map(|_| "less".to_owned()),
    }
}

/// Columns and lines of the terminal that standard output goes to.
#[cfg(unix)]
fn size() -> (usize, usize) {
    match rustix::termios::tcgetwinsize(io::stdout()) {
        Ok(size) if size.ws_col > 0 && size.ws_row > 0 => (size.ws_col.into(), size.ws_row.into()),
        _ => (super::DEFAULT_WIDTH, usize::MAX),
    }
}

/// The size of a Windows console is not detected, so nothing is paged there.
#[cfg(not(unix))]
fn size() -> (usize, usize) {
    (super::DEFAULT_WIDTH, usize::MAX)
}
