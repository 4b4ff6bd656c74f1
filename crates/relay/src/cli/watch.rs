//! The arguments of `relay watch`.

use std::path::PathBuf;

use clap::Args;

use super::TrustFlag;

/// Land replies as you copy them: watches the clipboard
///
/// Copy a model's whole answer in your browser. If it is a reply for this project, it goes the same way as with `relay
/// apply`: applied, checked, asked about where that is needed, and landed or rolled back. A reply that does not name this
/// project is left alone with a line that says how to land it; anything else you copy is ignored, and so is what was copied
/// before the start. What comes through a file or standard input always gets a report. Needs the project's config.
#[derive(Debug, Args)]
#[command(
    after_help = "Keys: y yes · n no · s show a file whole · u undo the last · a try the refused reply again · \
    r copy the message that asks for its repair · l log · p pause · q quit · ? help\n\n\
    Exit codes: 0 quit, or the input ended and all of it landed · 1 something of the input was refused or was not a \
    reply, or there is nothing to watch · 2 bad usage, or no config · 3 landed in part · 130 interrupted, rolled back"
)]
pub struct WatchArgs {
    /// `-` takes replies from standard input, a NUL between each two, instead of the clipboard
    #[arg(value_name = "-", value_parser = ["-"], conflicts_with = "file")]
    pub stdin: Option<String>,

    /// Watch this file instead: it is read when it changes. A named pipe takes one reply from each writer
    #[arg(long, value_name = "PATH")]
    pub file: Option<PathBuf>,

    /// Also take what is there already
    #[arg(long)]
    pub now: bool,

    /// Take any text that reads as a reply, such as an ordinary chat answer that names no project; asks about every change
    #[arg(long, conflicts_with = "yes")]
    pub any: bool,

    /// Land the parts that can be applied and report the rest, instead of all or nothing
    #[arg(long)]
    pub partial: bool,

    /// The files the model had in view; edits of other files that exist are put off
    ///
    /// As with `relay apply`.
    #[arg(long, value_name = "PATH", value_delimiter = ',')]
    pub context: Option<Vec<String>>,

    /// Approve changes beforehand, also with linter errors
    ///
    /// It never answers the questions about trust and sensitive paths, and a failed postCommand still rolls back.
    #[arg(long, short)]
    pub yes: bool,

    /// Have each change reviewed by this backend before you are asked; `none` for no review
    ///
    /// As with `relay apply`; the setting `review` does the same for every reply.
    #[arg(long, value_name = "BACKEND")]
    pub review: Option<String>,

    /// Print one JSON document a line on standard output, one for each reply; nobody is asked
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
