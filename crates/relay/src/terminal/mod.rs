//! Everything a person sees. Output for programs goes to standard output, questions and progress to standard error.
//!
//! Whatever comes from a reply, a repository or a command is made visible first (control, bidi and invisible
//! characters), so that nothing shown here can deceive the eye or drive the terminal.

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
pub mod wrap;

use std::io::{self, IsTerminal, Write};

/// Writes prose to standard output: colours only where they are wanted, and in a terminal broken between words. Returns
/// the exit code that follows.
///
/// A reader that went away (`relay log | head`) is not an error of this command: its work is done.
pub fn print(text: &str) -> u8 {
    if io::stdout().is_terminal() {
        print_as_is(&wrap::wrapped(text, print_width()))
    } else {
        print_as_is(text)
    }
}

/// The same without breaking lines: for code, diffs, tables and what other programs read.
pub fn print_as_is(text: &str) -> u8 {
    match write_out(text) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            tell(&format!("standard output cannot be written: {error}\n"));
            1
        }
        _ => 0,
    }
}

/// Writes to standard output, with colours only where they are wanted.
pub fn write_out(text: &str) -> io::Result<()> {
    let plain = anstream::AutoStream::choice(&io::stdout()) == anstream::ColorChoice::Never;
    if plain {
        // In one piece: the stream that strips colours would write every line by itself.
        write_all(&mut io::stdout().lock(), &style::unpainted(text))
    } else {
        write_all(&mut anstream::stdout().lock(), text)
    }
}

/// Writes a document for programs to standard output. People look at documents too, so what could deceive them is
/// written as an escape, which means the same to a program.
pub fn print_document(document: &serde_json::Value) -> u8 {
    print_as_is(&format!("{}\n", relay_diagnostics::display::escaped_json(&format!("{document:#}"))))
}

/// A document on one line of its own.
pub fn document_line(document: &serde_json::Value) -> String {
    format!("{}\n", relay_diagnostics::display::escaped_json(&document.to_string()))
}

/// Writes text from outside to standard output exactly as it is; where a person watches, what could drive the terminal is
/// made visible first.
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

/// Writes prose to standard error: colours only where they are wanted, and in a terminal broken between words.
pub fn tell(text: &str) {
    if is_watched() { tell_as_is(&wrap::wrapped(text, width())) } else { tell_as_is(text) }
}

/// The same without breaking lines. A failure to write here cannot be reported anywhere.
pub fn tell_as_is(text: &str) {
    drop(write_all(&mut anstream::stderr().lock(), text));
}

/// Reports something worth knowing that is neither an answer nor a failure.
pub fn note(text: &str) {
    tell(&format!("note: {}\n", visible(text)));
}

fn write_all(stream: &mut impl Write, text: &str) -> io::Result<()> {
    stream.write_all(text.as_bytes())?;
    stream.flush()
}

/// Uses colours as the user wants them, on both streams.
pub fn use_colors(when: crate::cli::Color) {
    let choice = match when {
        crate::cli::Color::Auto => anstream::ColorChoice::Auto,
        crate::cli::Color::Always => anstream::ColorChoice::Always,
        crate::cli::Color::Never => anstream::ColorChoice::Never,
    };
    choice.write_global();
}

/// Whether a person watches standard error.
pub fn is_watched() -> bool {
    io::stderr().is_terminal()
}

/// Text from outside, safe to show.
pub fn visible(text: &str) -> std::borrow::Cow<'_, str> {
    relay_diagnostics::display::visible(text)
}

/// How many columns of the terminal a text takes.
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

/// Nothing here asks a Windows console for its size; the default fits the usual window.
#[cfg(not(unix))]
pub fn width() -> usize {
    DEFAULT_WIDTH
}

/// Nothing here asks a Windows console for its size; the default fits the usual window.
#[cfg(not(unix))]
pub fn print_width() -> usize {
    DEFAULT_WIDTH
}

const DEFAULT_WIDTH: usize = 100;
