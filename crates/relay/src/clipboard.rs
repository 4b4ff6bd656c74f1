//! Putting text on the system's clipboard so that it outlives this process.
//!
//! On X11 and Wayland the clipboard's content lives in the program that offered it. So a second Relay keeps running in
//! the background and holds the text until another program copies something; elsewhere the system keeps it.

use std::io::{IsTerminal as _, Read, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use base64::Engine as _;
use relay_diagnostics::{Cancel, Diagnostic};
use relay_engine::Arrival;
use relay_exec::Program;
use relay_tools::pictures::{Encoding, converted};

use crate::channel::Source;
use crate::failure::{ENVIRONMENT, Failure};

/// The argument that starts the background Relay. It is not a command for people, so the parser does not know it.
pub const HOLD: &str = "__hold-clipboard";

/// How long the background process may take to offer the text; on a busy machine it takes a while to start.
const OFFERED_WITHIN: Duration = Duration::from_secs(15);

/// Puts the text on the clipboard.
pub fn copy(text: &str) -> Result<(), Failure> {
    // Opening the clipboard first shows at once whether there is one.
    let mut clipboard = match arboard::Clipboard::new() {
        Ok(clipboard) => clipboard,
        Err(_) if through_the_terminal(text) => return Ok(()),
        Err(error) => return Err(unavailable(&error)),
    };
    let before = clipboard.get_text().ok();
    drop(clipboard);
    let relay = std::env::current_exe().map_err(|error| Failure::environment(&error))?;
    let handed_over = relay_exec::spawn_detached(&relay, &[HOLD], text.as_bytes());
    handed_over.map_err(|error| Failure::environment(&error))?;
    wait_until_offered(text, before.as_deref())
}

/// The longest text that every terminal accepts; this is xterm's limit.
const TERMINAL_BYTES: usize = 74_000;

/// Over SSH, the clipboard belongs to the machine that runs the terminal, and the terminal can put text on it (OSC
/// 52). Returns whether it was asked to; a terminal never answers.
fn through_the_terminal(text: &str) -> bool {
    let is_remote = std::env::var_os("SSH_CONNECTION").is_some();
    let mut screen = std::io::stderr();
    if !is_remote || !screen.is_terminal() || text.len() > TERMINAL_BYTES {
        return false;
    }
    screen.write_all(sequence(text).as_bytes()).and_then(|()| screen.flush()).is_ok()
}

/// The escape sequence that makes a terminal put text on its clipboard.
fn sequence(text: &str) -> String {
    format!("\x1b]52;c;{}\x1b\\", base64::engine::general_purpose::STANDARD.encode(text))
}

/// How long a program that offers text may take to hand it over.
const PATIENCE: Duration = Duration::from_secs(3);

/// The text on the clipboard.
pub fn paste() -> Result<String, Failure> {
    let missing = |reason: &str| {
        Failure::general(
            Diagnostic::error(ENVIRONMENT, format!("the clipboard cannot be read: {reason}"))
                .hinted("Copy the model's whole reply first, or save it to a file and pass its name."),
        )
    };
    let mut clipboard = Source::Clipboard.open().map_err(|failure| missing(&failure.message()))?;
    match clipboard.next(PATIENCE) {
        Ok(Arrival::Present(text) | Arrival::Text(text)) => Ok(text),
        Ok(Arrival::PassedOver(reason)) => Err(missing(&reason)),
        Ok(Arrival::Nothing | Arrival::End) => Err(missing("it contains no text")),
        Err(error) => Err(Failure::environment(&error)),
    }
}

/// The largest picture that is taken.
const PICTURE_BYTES: usize = 20 << 20;
/// The longest side of a picture that is taken; larger ones are made smaller.
const PICTURE_SIDE: u32 = 4_096;
/// How long the program that hands over a picture may take, on systems that need one.
const HANDED_OVER_WITHIN: Duration = Duration::from_secs(5);

/// The picture on the clipboard, as PNG; nothing if there is none.
pub fn picture() -> Option<Vec<u8>> {
    let formats = ["image/png", "image/webp", "image/jpeg", "image/gif"];
    let bytes = crate::channel::picture(&formats).or_else(handed_over)?;
    if bytes.len() > PICTURE_BYTES {
        return None;
    }
    // Decoded in any case: what another program copied may not be what it says.
    converted(&bytes, (PICTURE_SIDE, PICTURE_SIDE), Encoding::Png).ok()
}

/// macOS has no program of its own that writes pictures; this one is widespread.
fn handed_over() -> Option<Vec<u8>> {
    relay_exec::find_program("pngpaste")?;
    let run = Program {
        program: "pngpaste",
        args: &["-"],
        cwd: Path::new("/"),
        timeout: HANDED_OVER_WITHIN,
        output_limit_bytes: PICTURE_BYTES,
        env: &[],
        stdin: None,
    };
    let mut bytes = Vec::new();
    let output = run.stream(&Cancel::new(), &mut |more| {
        if bytes.len() <= PICTURE_BYTES {
            bytes.extend_from_slice(more);
        }
    });
    output.success().then_some(bytes)
}

/// The background process reports by offering the text: wait until the clipboard has it. If it has something else that
/// was not there before, the user was quick to copy the next thing, and that is not a fault.
fn wait_until_offered(text: &str, before: Option<&str>) -> Result<(), Failure> {
    let started = Instant::now();
    while started.elapsed() < OFFERED_WITHIN {
        let mut clipboard = arboard::Clipboard::new().map_err(|error| unavailable(&error))?;
        if clipboard.get_text().is_ok_and(|offered| offered == text || Some(offered.as_str()) != before) {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Err(Failure::general(
        Diagnostic::error(ENVIRONMENT, "the clipboard did not take the text")
            .hinted("Run the command without --copy and copy what it prints."),
    ))
}

fn unavailable(error: &arboard::Error) -> Failure {
    Failure::general(
        Diagnostic::error(ENVIRONMENT, format!("no clipboard here: {error}"))
            .hinted("Run the command without --copy and copy what it prints."),
    )
}

/// The background process: offers the text from standard input until something else is copied.
pub fn hold() -> Result<u8, Failure> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).map_err(|error| Failure::environment(&error))?;
    let mut clipboard = arboard::Clipboard::new().map_err(|error| unavailable(&error))?;
    offer(&mut clipboard, text).map_err(|error| unavailable(&error))?;
    Ok(0)
}

#[cfg(all(unix, not(target_os = "macos")))]
fn offer(clipboard: &mut arboard::Clipboard, text: String) -> Result<(), arboard::Error> {
    use arboard::SetExtLinux;
    end_with_the_display();
    clipboard.set().wait().text(text)
}

#[cfg(not(all(unix, not(target_os = "macos"))))]
fn offer(clipboard: &mut arboard::Clipboard, text: String) -> Result<(), arboard::Error> {
    clipboard.set().text(text)
}

/// The library waits for the next owner forever, even when the display is gone and there can be none. A separate
/// connection shows when that happens. It is made before the text is offered, because the display may be gone
/// afterwards. Without X11 there is nothing to wait for.
#[cfg(all(unix, not(target_os = "macos")))]
fn end_with_the_display() {
    use x11rb::connection::Connection as _;
    let Ok((connection, _)) = x11rb::connect(None) else { return };
    std::thread::spawn(move || {
        while connection.wait_for_event().is_ok() {}
        std::process::exit(0);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_gets_the_text_in_base64() {
        assert_eq!(sequence("hé\n"), "\x1b]52;c;aMOpCg==\x1b\\");
    }
}
