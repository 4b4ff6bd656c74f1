//! How many errors did the linter report?
//!
//! The user's `linter` is any shell command, so its output may come from any tool, or from several one after the
//! other. Every tool has a file here that reads single lines of its format and says what each is worth; [`tally`]
//! adds them up so that a summary is not counted on top of the lines it sums up. When nothing is recognised the
//! exit code decides. The count gates a transaction, so where a choice must be made it errs on the high side.
//!
//! This module is pure and runs in linear time: no file system, no processes, no regular expressions. It must not
//! decide what a count means; approval does that.

mod clean;
mod count;
mod document;
mod errors;
mod eslint;
mod gcc;
mod generic;
mod go;
mod location;
mod mypy;
mod pyright;
mod ruff;
mod rustc;
pub mod suggest;
mod tally;
mod tsc;

use document::Documents;
use errors::Names;
use tally::{Tally, Worth};

pub use errors::Errors;
pub use suggest::{LinterChoice, PROGRAMS, ProjectFacts, suggest_linter};

/// How many errors a command reported, and how that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ErrorCount {
    /// The number of errors; warnings and notes are not among them.
    pub errors: u64,
    /// The format the number was read from.
    pub source: Source,
}

/// The format a count was read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// The TypeScript compiler.
    Tsc,
    /// cargo, rustc and clippy, and whatever else begins its lines with `error: `.
    Cargo,
    /// ESLint.
    Eslint,
    /// Ruff.
    Ruff,
    /// Pyright.
    Pyright,
    /// mypy.
    Mypy,
    /// `go vet`, `go build`, staticcheck.
    Go,
    /// gcc, clang, and the many compilers that write `path:line: error: …`.
    Gcc,
    /// An unknown tool that lists places (`path:line:column: …`) or says how many errors there are (`3 errors`).
    Generic,
    /// More than one of these.
    Several,
    /// Nothing was recognised, or no error was among it: a failing exit counts as one error.
    ExitCode,
}

/// One line of output with what a reader may need around it.
#[derive(Clone, Copy, Debug)]
struct Line<'a> {
    /// The line, free of escape sequences and trailing blanks.
    text: &'a str,
    /// The line before it that is not blank.
    previous: &'a str,
    /// Whether the whole command failed.
    failed: bool,
}

/// Reads one line of one tool's format; `None` when the line is not in it.
type Reader = fn(Line<'_>) -> Option<Worth>;

/// The readers, most particular first: the first one that knows a line has it.
const READERS: [(Source, Reader); 10] = [
    (Source::Generic, generic::read_annotation),
    (Source::Mypy, mypy::read),
    (Source::Tsc, tsc::read),
    (Source::Eslint, eslint::read),
    (Source::Pyright, pyright::read),
    (Source::Ruff, ruff::read),
    (Source::Cargo, rustc::read),
    (Source::Go, go::read),
    (Source::Gcc, gcc::read),
    (Source::Generic, generic::read),
];

/// Reads the errors in what a command wrote, standard output and standard error together: how many, and which ones.
///
/// - A recognised number of errors is that number, also when the exit code is 0 (only the last of several
///   commands gives it).
/// - Otherwise a failing exit counts as one error, and exit 0 as none.
///
/// ```
/// # use relay_engine::lint::{Source, read_errors};
/// let count = read_errors("src/a.ts(1,7): error TS2322: Type 'string' is not assignable.\n", 2).count;
/// assert_eq!((count.errors, count.source), (1, Source::Tsc));
/// assert_eq!(read_errors("segmentation fault\n", 139).count.errors, 1);
/// assert_eq!(read_errors("all is well\n", 0).count.errors, 0);
/// ```
#[must_use]
pub fn read_errors(output: &str, exit_code: i32) -> Errors {
    let output = clean::clean(output);
    let failed = exit_code != 0;
    let mut tally = Tally::default();
    let mut documents = Documents::default();
    let mut names = Names::default();
    let mut previous = "";
    let mut rest = output.as_str();
    while !rest.is_empty() {
        if let Some(document) = documents.read(rest) {
            for (source, reading) in document.readings {
                tally.add(source, reading);
            }
            document.names.into_iter().for_each(|name| names.add(name, 1));
            rest = document.rest;
            continue;
        }
        let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
        rest = after;
        let text = line.trim_end();
        if text.is_empty() || is_quoted_source(text) {
            continue;
        }
        let found = READERS.iter().find_map(|&(source, read)| {
            read(Line { text, previous, failed }).map(|reading| (source, reading))
        });
        names.line(text, found.map_or(0, |(_, reading)| reading.listed()));
        if let Some((source, reading)) = found {
            tally.add(source, reading);
        }
        previous = text;
    }
    match tally.finish() {
        Some(count) if count.errors > 0 || !failed => Errors::new(count, names.finish()),
        _ => {
            let count = ErrorCount { errors: u64::from(failed), source: Source::ExitCode };
            let named = failed.then(|| (errors::unreadable(&output), 1));
            Errors::new(count, named.into_iter().collect())
        }
    }
}

/// Whether the line shows the user's source below a message (`7 | sum += x;`): it may say anything.
fn is_quoted_source(text: &str) -> bool {
    let text = text.trim_start_matches([' ', '>']);
    let text = text.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches(' ');
    text.starts_with(['|', '│'])
}

#[cfg(test)]
mod tests;
