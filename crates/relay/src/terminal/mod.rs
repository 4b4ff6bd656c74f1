//! Everything a person sees. Output for programs goes to standard output, questions and progress to standard error.
//!
//! Control, bidi and invisible characters in anything from a reply, a repository or a command are escaped first, so
//! that nothing shown here can mislead the reader or control the terminal.

pub mod ask;
pub mod blocks;
pub mod diff;
pub mod findings;
pub mod pager;
pub mod progress;
pub mod report;
pub mod run;
pub mod secret;
pub mod style;
pub mod widgets;
pub mod wrap;

use std::io::{self, IsTerminal, Write};
use std::sync::OnceLock;

/// Writes prose to standard output: in colour if wanted, and wrapped at words in a terminal. Returns the exit code that
/// follows.
///
/// If the reader has gone away (`relay log | head`), that is not an error: the command did its work.
pub fn print(text: &str) -> u8 {
    if io::stdout().is_terminal() {
        print_as_is(&wrap::wrapped(text, print_width()))
    } else {
        print_as_is(text)
    }
}

/// The same without wrapping: for code, diffs, tables and output for programs.
pub fn print_as_is(text: &str) -> u8 {
    match write_out(text) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            tell(&format!("standard output cannot be written: {error}\n"));
            1
        }
        _ => 0,
    }
}

/// Writes to standard output, in colour if wanted.
pub fn write_out(text: &str) -> io::Result<()> {
    let plain = anstream::AutoStream::choice(&io::stdout()) == anstream::ColorChoice::Never;
    if plain {
        // In one piece, because the stream that strips colours would write each line separately.
        write_all(&mut io::stdout().lock(), &style::unpainted(text))
    } else {
        write_all(&mut anstream::stdout().lock(), text)
    }
}

/// Writes a document for programs to standard output. People read documents too, so characters that could mislead
/// them are written as escapes, which mean the same to a program.
pub fn print_document(document: &serde_json::Value) -> u8 {
    print_as_is(&format!("{}\n", relay_diagnostics::display::escaped_json(&format!("{document:#}"))))
}

/// A document on one line.
pub fn document_line(document: &serde_json::Value) -> String {
    format!("{}\n", relay_diagnostics::display::escaped_json(&document.to_string()))
}

/// Writes text from outside to standard output exactly as it is; in a terminal, characters that could control it are
/// escaped first.
pub fn print_exactly(text: &str) -> u8 {
    let text = if io::stdout().is_terminal() { visible(text) } else { text.into() };
    match write_all(&mut io::stdout().lock(), &text) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            tell(&format!("standard output cannot be written: {error}\n"));
            1
        }
        _ => 0,
    }
}

/// Writes prose to standard error: in colour if wanted, and wrapped at words in a terminal.
pub fn tell(text: &str) {
    if is_watched() { tell_as_is(&wrap::wrapped(text, width())) } else { tell_as_is(text) }
}

/// The same without wrapping. A failure to write here cannot be reported anywhere.
pub fn tell_as_is(text: &str) {
    drop(write_all(&mut anstream::stderr().lock(), text));
}

/// Takes notes where standard error is not to be written to: a screen is drawn there.
type TakeNote = Box<dyn Fn(&str) + Send + Sync>;

static NOTES: OnceLock<TakeNote> = OnceLock::new();

/// Hands notes over from now on, in place of writing them to standard error.
pub fn notes_to(take: impl Fn(&str) + Send + Sync + 'static) {
    // The first one keeps them: a process has one screen.
    drop(NOTES.set(Box::new(take)));
}

/// Reports something worth knowing that is neither an answer nor a failure.
pub fn note(text: &str) {
    match NOTES.get() {
        Some(take) => take(text),
        None => tell(&format!("note: {}\n", visible(text))),
    }
}

fn write_all(stream: &mut impl Write, text: &str) -> io::Result<()> {
    stream.write_all(text.as_bytes())?;
    stream.flush()
}

/// Applies the user's choice of colours to both streams.
pub fn use_colors(when: crate::cli::Color) {
    let choice = match when {
        crate::cli::Color::Auto => anstream::ColorChoice::Auto,
        crate::cli::Color::Always => anstream::ColorChoice::Always,
        crate::cli::Color::Never => anstream::ColorChoice::Never,
    };
    choice.write_global();
}

/// Whether standard error is a terminal.
pub fn is_watched() -> bool {
    io::stderr().is_terminal()
}

/// Text from outside, safe to show.
pub fn visible(text: &str) -> std::borrow::Cow<'_, str> {
    relay_diagnostics::display::visible(text)
}

/// How many terminal columns a text takes.
pub fn columns(text: &str) -> usize {
    unicode_width::UnicodeWidthStr::width(text)
}

/// How wide a line may be.
#[cfg(unix)]
pub fn width() -> usize {
    let size =
        rustix::termios::tcgetwinsize(io::stderr()).or_else(|_| rustix::termios::tcgetwinsize(io::stdout()));
    match size {
        Ok(size) if size.ws_col > 0 => usize::from(size.ws_col),
        _ => DEFAULT_WIDTH,
    }
}

/// How wide a line on standard output may be.
#[cfg(unix)]
pub fn print_width() -> usize {
    match rustix::termios::tcgetwinsize(io::stdout()) {
        Ok(size) if size.ws_col > 0 => usize::from(size.ws_col),
        _ => DEFAULT_WIDTH,
    }
}

/// The size of a Windows console is not detected; the default fits the usual window.
#[cfg(not(unix))]
pub fn width() -> usize {
    DEFAULT_WIDTH
}

/// The size of a Windows console is not detected; the default fits the usual window.
#[cfg(not(unix))]
pub fn print_width() -> usize {
    DEFAULT_WIDTH
}

const DEFAULT_WIDTH: usize = 100;
