//! What can be typed about searching and finding files.

use clap::Args;

use super::values::whole_number;

/// Search the project's files for a pattern
///
/// Reads every file below the current folder that is not ignored, and lists matching lines ordered by path. Links are not followed, and
/// binary files are skipped. All files are read even if fewer matches are shown, so the counts are exact.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples: relay search TODO · relay search 'fn \\w+_test' -g '*.rs' · relay search -F 'a.b(' src -C 2\n\n\
    Exit codes: 0 something matches · 1 nothing does · 2 bad usage · 130 interrupted"
)]
pub struct SearchArgs {
    /// The pattern: a regular expression
    #[arg(allow_hyphen_values = false)]
    pub pattern: String,

    /// Files and folders to search; the current folder if left out
    #[arg(value_hint = clap::ValueHint::AnyPath)]
    pub paths: Vec<String>,

    #[command(flatten)]
    pub how: PatternFlags,

    #[command(flatten)]
    pub which: ScopeFlags,

    /// Show this many lines before and after each match
    #[arg(short = 'C', long, value_name = "LINES", default_value_t = 0, hide_default_value = true, value_parser = whole_number)]
    pub context: usize,

    /// Show this many lines before each match
    #[arg(short = 'B', long, value_name = "LINES", value_parser = whole_number)]
    pub before: Option<usize>,

    /// Show this many lines after each match
    #[arg(short = 'A', long, value_name = "LINES", value_parser = whole_number)]
    pub after: Option<usize>,

    /// Show only the names of matching files
    #[arg(short = 'l', long, conflicts_with = "count")]
    pub files: bool,

    /// Show how many lines match in each file
    #[arg(short, long)]
    pub count: bool,

    /// Show at most this many matches
    #[arg(long, value_name = "MATCHES", default_value_t = 10_000, value_parser = whole_number)]
    pub limit: usize,

    /// Skip this many matches first
    #[arg(long, value_name = "MATCHES", default_value_t = 0, hide_default_value = true, value_parser = whole_number)]
    pub skip: usize,

    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// How a pattern is read.
#[derive(Debug, Args)]
pub struct PatternFlags {
    /// Treat the pattern as plain text, not as a regular expression
    #[arg(short = 'F', long)]
    pub fixed: bool,

    /// Ignore case
    #[arg(short, long)]
    pub ignore_case: bool,

    /// Match whole words only
    #[arg(short, long)]
    pub word: bool,

    /// Let a match span several lines
    #[arg(short = 'U', long)]
    pub multiline: bool,

    /// Show lines that do not match
    #[arg(short = 'v', long)]
    pub invert: bool,
}

/// Which files are looked at.
#[derive(Debug, Args)]
pub struct ScopeFlags {
    /// Only files that match this glob; with `!` in front, only files that do not (repeatable)
    #[arg(short, long, value_name = "GLOB")]
    pub glob: Vec<String>,

    /// Only files of this type, such as rust, py or ts (repeatable)
    #[arg(short = 't', long = "type", value_name = "TYPE")]
    pub types: Vec<String>,

    /// No files of this type (repeatable)
    #[arg(short = 'T', long = "type-not", value_name = "TYPE")]
    pub types_not: Vec<String>,

    /// Include ignored files
    #[arg(long)]
    pub no_ignore: bool,

    /// Skip names that begin with a dot
    #[arg(long)]
    pub no_hidden: bool,
}

/// Find the project's files by name
///
/// Lists files that match a glob, newest first. `*.ts` means in any folder, `src/*.ts` in `src` alone, and a folder means
/// everything in it. With `--fuzzy` the pattern is a few letters of the path: `wsread` finds `workspace/read.rs`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples: relay find '*.rs' · relay find 'src/**/*.ts' · relay find --fuzzy mainrs\n\n\
    Exit codes: 0 something was found · 1 nothing was · 2 bad usage · 130 interrupted"
)]
pub struct FindArgs {
    /// Globs, files or folders; everything if left out
    pub patterns: Vec<String>,

    /// Find paths by a few of their letters instead of globs
    #[arg(short = 'z', long)]
    pub fuzzy: bool,

    /// Find folders instead of files
    #[arg(short, long)]
    pub dirs: bool,

    /// Sort by path instead of by time
    #[arg(long)]
    pub by_path: bool,

    /// Include ignored files
    #[arg(long)]
    pub no_ignore: bool,

    /// Skip names that begin with a dot
    #[arg(long)]
    pub no_hidden: bool,

    /// Show at most this many
    #[arg(long, value_name = "PATHS", default_value_t = 1_000, value_parser = whole_number)]
    pub limit: usize,

    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}
