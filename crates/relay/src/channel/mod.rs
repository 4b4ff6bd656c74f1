//! Where `relay watch` gets its replies from: the system's clipboard, a file, or standard input.
//!
//! A channel only passes on texts and does not inspect them. A clipboard may hold anything, so nothing from here is
//! stored or shown until it is recognised as a reply.

mod file;
#[cfg(not(all(unix, not(target_os = "macos"))))]
mod polled;
mod stream;
#[cfg(all(unix, not(target_os = "macos")))]
mod wayland;
#[cfg(all(unix, not(target_os = "macos")))]
mod x11;

use std::path::PathBuf;

use relay_diagnostics::Diagnostic;
use relay_engine::{Arrival, CHANNEL_LIMIT_BYTES, Channel};

use crate::failure::{ENVIRONMENT, Failure};

/// What the clipboard is called.
const CLIPBOARD: &str = "the clipboard";

/// What to watch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The system's clipboard.
    Clipboard,
    /// A file, or a pipe with a name.
    File(PathBuf),
    /// Standard input.
    Stdin,
}

impl Source {
    /// Whether the writer can be made to wait, because unread text stays where it is. Everything from such a source was
    /// sent to Relay, while a clipboard holds whatever was copied last.
    pub fn can_wait(&self) -> bool {
        *self != Source::Clipboard
    }

    /// Opens it.
    pub fn open(&self) -> Result<Box<dyn Channel>, Failure> {
        match self {
            Source::Clipboard => clipboard(),
            Source::File(path) => Ok(Box::new(file::WatchedFile::new(path.clone()))),
            Source::Stdin => Ok(Box::new(stream::Stream::stdin())),
        }
    }
}

#[cfg(all(unix, not(target_os = "macos")))]
fn clipboard() -> Result<Box<dyn Channel>, Failure> {
    // A Wayland compositor may keep its clipboard to itself; most then share it with programs for X11.
    if std::env::var_os("WAYLAND_DISPLAY").is_some()
        && let Ok(wayland) = wayland::WaylandClipboard::open()
    {
        return Ok(Box::new(wayland));
    }
    if std::env::var_os("DISPLAY").is_none_or(|display| display.is_empty()) {
        return Err(no_clipboard("neither DISPLAY nor WAYLAND_DISPLAY names a display that works"));
    }
    match x11::X11Clipboard::open() {
        Ok(x11) => Ok(Box::new(x11)),
        Err(error) => Err(no_clipboard(&error.to_string())),
    }
}

/// The picture on the system's clipboard, in the first of these formats there is.
#[cfg(all(unix, not(target_os = "macos")))]
pub fn picture(formats: &[&str]) -> Option<Vec<u8>> {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let wayland = is_set("WAYLAND_DISPLAY").then(|| wayland::picture(formats)).flatten();
    let x11 = || x11::X11Clipboard::open().ok()?.picture(formats).ok()?;
    wayland.or_else(|| is_set("DISPLAY").then(x11).flatten())
}

/// The system hands its pictures to programs of its own alone; see `clipboard::picture`.
#[cfg(not(all(unix, not(target_os = "macos"))))]
pub fn picture(_: &[&str]) -> Option<Vec<u8>> {
    None
}

#[cfg(not(all(unix, not(target_os = "macos"))))]
fn clipboard() -> Result<Box<dyn Channel>, Failure> {
    match polled::PolledClipboard::open() {
        Ok(polled) => Ok(Box::new(polled)),
        Err(error) => Err(no_clipboard(&error.to_string())),
    }
}

fn no_clipboard(reason: &str) -> Failure {
    Failure::general(Diagnostic::error(ENVIRONMENT, format!("no clipboard to watch here: {reason}")).hinted(
        "Save replies to a file and run `relay watch --file replies.md`, or pipe them in: `relay watch -`.",
    ))
}

/// Copied bytes, passed on only if they are text. Anything else, such as an image, is skipped without a line.
fn copied(bytes: Vec<u8>) -> Arrival {
    text(bytes).map_or(Arrival::Nothing, Arrival::Text)
}

/// Bytes that were sent to Relay, which must be text.
fn sent(bytes: Vec<u8>) -> Arrival {
    let not_text = || Arrival::PassedOver("ignored something that is not text".to_owned());
    text(bytes).map_or_else(not_text, Arrival::Text)
}

fn text(bytes: Vec<u8>) -> Option<String> {
    String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))
}

fn too_large() -> Arrival {
    Arrival::PassedOver(format!("ignored a text of more than {} MB", CHANNEL_LIMIT_BYTES >> 20))
}
