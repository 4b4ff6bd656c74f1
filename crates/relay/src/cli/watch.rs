//! The arguments of `relay watch`.

use std::path::PathBuf;

use clap::Args;

use super::TrustFlag;

/// Land replies as you copy them from your browser
///
/// Copy a model's whole answer in your browser. If it is a reply for this project, Relay handles it as `relay apply`
/// does: applies it, checks it, asks you where that is needed, and lands it or rolls it back. A reply that does not name this
/// project is left alone, with a line that says how to land it; anything else you copy is ignored, and so is whatever you
/// copied earlier. Text from a file or standard input always gets a report. Needs the project's config.
#[derive(Debug, Args)]
#[command(
    after_help = "Keys: y yes · n no · s show a whole file · u undo the last · a retry the refused reply · \
    r copy the repair message · l log · p pause · q quit · ? help\n\n\
    Exit codes: 0 quit, or the input ended and all of it landed · 1 something of the input was refused or was not a \
    reply, or there is nothing to watch · 2 bad usage, or no config · 3 landed in part · 130 interrupted, rolled back"
)]
pub struct WatchArgs {
    /// `-` reads replies from standard input, separated by NUL bytes, instead of the clipboard
    #[arg(value_name = "-", value_parser = ["-"], conflicts_with = "file")]
    pub stdin: Option<String>,

    /// Watch this file instead, read whenever it changes; a named pipe takes one reply from each writer
    #[arg(long, value_name = "PATH")]
    pub file: Option<PathBuf>,

    /// Also take what is already there
    #[arg(long)]
    pub now: bool,

    /// Take any text that reads as a reply, even if it names no project; asks about every change
    #[arg(long, conflicts_with = "yes")]
    pub any: bool,

    /// Land the parts that fit and report the rest, instead of all or nothing
    #[arg(long)]
    pub partial: bool,

    /// The files the model had seen; edits of other existing files are deferred
    ///
    /// As with `relay apply`.
    #[arg(long, value_name = "PATH", value_delimiter = ',')]
    pub context: Option<Vec<String>>,

    /// Approve changes in advance, even with linter errors
    ///
    /// It never answers the questions about trust and sensitive paths, and a failed postCommand still rolls back.
    #[arg(long, short)]
    pub yes: bool,

    /// Have this backend review each change before you are asked; `none` for no review
    ///
    /// As with `relay apply`; the setting `review` does the same for every reply.
    #[arg(long, value_name = "BACKEND", add = super::values::backends())]
    pub review: Option<String>,

    /// Print one line of JSON for each reply on standard output; asks no questions
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub trust: TrustFlag,

    /// Allow files that make other tools run code, such as .github/workflows
    #[arg(long)]
    pub allow_sensitive: bool,

    /// Allow files with several hard links; the other names keep the old content
    #[arg(long)]
    pub break_links: bool,
}
