//! Putting text on the system's clipboard so that it outlives this process.
//!
//! On X11 and Wayland the clipboard's content lives in the program that offered it. So a copy of Relay stays behind in
//! the background, holding the text until another program copies something; elsewhere the system keeps it.

use std::io::Read;

use relay_edit::Diagnostic;

use crate::failure::{ENVIRONMENT, Failure};

/// What the background copy of Relay is started with. It is not a command for people, so the parser does not know it.
pub const HOLD: &str = "__hold-clipboard";

/// Puts the text on the clipboard.
pub fn copy(text: &str) -> Result<(), Failure> {
    // Asking for the clipboard first tells at once whether there is one.
    drop(arboard::Clipboard::new().map_err(|error| unavailable(&error))?);
    let relay = std::env::current_exe().map_err(|error| Failure::environment(&error))?;
    let handed_over = relay_exec::spawn_detached(&relay, &[HOLD], text.as_bytes());
    handed_over.map_err(|error| Failure::environment(&error))?;
    wait_until_offered(text)
}

/// The text on the clipboard.
pub fn paste() -> Result<String, Failure> {
    let mut reader = Reader::open()?;
    reader.news().ok_or_else(|| {
        Failure::general(
            Diagnostic::error(ENVIRONMENT, "there is no text on the clipboard")
                .hinted("Copy the answer first, or save it as a file and name that."),
        )
    })
}

/// The clipboard, looked at again and again.
pub struct Reader {
    clipboard: arboard::Clipboard,
    seen: Option<String>,
}

impl Reader {
    /// Opens it.
    pub fn open() -> Result<Self, Failure> {
        let clipboard = arboard::Clipboard::new().map_err(|error| unavailable(&error))?;
        Ok(Self { clipboard, seen: None })
    }

    /// What is there now is nothing new.
    pub fn skip(&mut self) {
        self.seen = self.clipboard.get_text().ok();
    }

    /// The text, if it is another than before. A clipboard that holds no text, or cannot be read now, holds nothing new.
    pub fn news(&mut self) -> Option<String> {
        let text = self.clipboard.get_text().ok()?;
        if self.seen.as_ref() == Some(&text) {
            return None;
        }
        self.seen = Some(text.clone());
        Some(text)
    }
}

/// The background process reports by offering the text: wait until the clipboard has it.
fn wait_until_offered(text: &str) -> Result<(), Failure> {
    for _ in 0..100 {
        let mut clipboard = arboard::Clipboard::new().map_err(|error| unavailable(&error))?;
        if clipboard.get_text().is_ok_and(|offered| offered == text) {
            return Ok(());
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    Err(Failure::general(
        Diagnostic::error(ENVIRONMENT, "the clipboard did not take the text")
            .hinted("Run the command without --copy and copy what it prints."),
    ))
}

fn unavailable(error: &arboard::Error) -> Failure {
    Failure::general(
        Diagnostic::error(ENVIRONMENT, format!("there is no clipboard here: {error}"))
            .hinted("Run the command without --copy and copy what it prints."),
    )
}

/// The background process: offers what comes on standard input until something else is copied.
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
    clipboard.set().wait().text(text)
}

#[cfg(not(all(unix, not(target_os = "macos"))))]
fn offer(clipboard: &mut arboard::Clipboard, text: String) -> Result<(), arboard::Error> {
    clipboard.set().text(text)
}
