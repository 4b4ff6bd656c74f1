//! `relay search`: a pattern in the project's files, for people and for programs.

use std::path::Path;

use relay_diagnostics::Diagnostic;
use relay_workspace::Workspace;
use relay_workspace::search::{Case, FileMatches, Found, Limits, Query, Scope, SearchError};
use serde_json::{Value, json};

use crate::cli::{ScopeFlags, SearchArgs};
use crate::failure::{BAD_USAGE, Failure};
use crate::terminal::style::{FAINT, PLACE, count, paint};
use crate::terminal::{self, visible};
use crate::{open, signals};

/// How much of a line a person sees.
const COLUMNS: usize = 1_024;

pub fn run(root: Option<&Path>, args: &SearchArgs) -> Result<u8, Failure> {
    let workspace = open::workspace(root)?;
    let cancel = signals::cancel_on_signals().map_err(|error| Failure::environment(&error))?;
    let query = Query {
        pattern: args.pattern.clone(),
        literal: args.how.fixed,
        case: if args.how.ignore_case { Case::Insensitive } else { Case::Sensitive },
        word: args.how.word,
        invert: args.how.invert,
        multiline: args.how.multiline.then_some(true),
    };
    let scope = scope(root, &workspace, &args.which, &args.paths)?;
    let limits = Limits {
        skip: args.skip,
        matches: args.limit,
        columns: COLUMNS,
        before: args.before.unwrap_or(args.context),
        after: args.after.unwrap_or(args.context),
        lines: !args.files && !args.count,
    };
    let found = workspace.search(&query, &scope, &limits, &cancel).map_err(|error| failure(&error))?;
    if found.is_cancelled {
        return Err(Failure::interrupted(Vec::new()));
    }
    if args.json {
        terminal::print_document(&document(&found, &limits));
    } else {
        terminal::print_as_is(&text(&found, args));
        terminal::tell(&remarks(&found, args));
    }
    Ok(u8::from(found.matches == 0))
}

/// The paths to search: the named ones, else the current folder.
fn scope(
    root: Option<&Path>,
    workspace: &Workspace,
    flags: &ScopeFlags,
    paths: &[String],
) -> Result<Scope, Failure> {
    let here = [".".to_owned()];
    let given = if paths.is_empty() { &here[..] } else { paths };
    let mut inside = Vec::new();
    for path in given {
        inside.push(open::below(root, workspace, path)?);
    }
    Ok(Scope {
        paths: inside,
        globs: flags.glob.clone(),
        types: flags.types.clone(),
        types_not: flags.types_not.clone(),
        hidden: !flags.no_hidden,
        gitignore: !flags.no_ignore,
        ..Scope::default()
    })
}

/// The error for an invalid search.
pub fn failure(error: &SearchError) -> Failure {
    let hint = match error {
        SearchError::Pattern(_) => "Add -F to take the pattern as it is.",
        SearchError::Glob { .. } => "Globs have `*`, `**`, `?`, `[…]` and `{a,b}`.",
        SearchError::Type(_) => "Types are named as in ripgrep: rust, py, js, ts, go, c, md, json, …",
        _ => "Name files or folders of the project.",
    };
    Failure::usage(Diagnostic::error(BAD_USAGE, error.to_string()).hinted(hint))
}

fn text(found: &Found, args: &SearchArgs) -> String {
    let mut text = String::new();
    for file in &found.files {
        let path = visible(&file.path);
        if args.files {
            text.push_str(&format!("{}\n", paint(PLACE, path)));
        } else if args.count {
            text.push_str(&format!("{}:{}\n", paint(PLACE, path), file.count));
        } else {
            lines(&mut text, file);
        }
    }
    text
}

/// Lines as `path:4:text` and `path-5-context`, with `--` where lines are left out between them.
fn lines(text: &mut String, file: &FileMatches) {
    let path = visible(&file.path);
    let has_context = file.lines.iter().any(|line| !line.is_match);
    let mut last = None;
    for line in &file.lines {
        if has_context && last.is_some_and(|last| last + 1 < line.number) {
            text.push_str(&format!("{}\n", paint(FAINT, "--")));
        }
        last = Some(line.number);
        let mark = if line.is_match { ':' } else { '-' };
        let cut = if line.is_cut { " …" } else { "" };
        text.push_str(&format!(
            "{}{mark}{}{mark}{}{cut}\n",
            paint(PLACE, &path),
            line.number,
            visible(&line.text)
        ));
    }
}

/// Tells a person what is not shown.
fn remarks(found: &Found, args: &SearchArgs) -> String {
    let mut text = String::new();
    if found.matches == 0 {
        text.push_str(&format!("no matches in {}\n", count(found.searched_files, "file")));
    }
    let shown =
        if args.files || args.count { found.files.iter().map(|file| file.count).sum() } else { found.kept() };
    if found.matches > shown {
        text.push_str(&format!(
            "showing {shown} of {} in {}; use --skip {} for the next ones, or narrow the search\n",
            count(found.matches, "matching line"),
            count(found.matching_files, "file"),
            args.skip + args.limit,
        ));
    }
    for path in &found.missing {
        text.push_str(&format!("not found: {}\n", visible(path)));
    }
    if !found.unreadable.is_empty() {
        let first = found
            .unreadable
            .iter()
            .take(3)
            .map(|path| visible(path).into_owned())
            .collect::<Vec<_>>()
            .join(", ");
        text.push_str(&format!("{} could not be read: {first}\n", count(found.unreadable.len(), "path")));
    }
    text
}

fn document(found: &Found, limits: &Limits) -> Value {
    let files: Vec<Value> = found
        .files
        .iter()
        .map(|file| {
            let lines: Vec<Value> = file
                .lines
                .iter()
                .map(|line| json!({ "number": line.number, "text": line.text, "match": line.is_match, "cut": line.is_cut }))
                .collect();
            json!({ "path": file.path, "count": file.count, "lines": lines })
        })
        .collect();
    json!({
        "files": files,
        "matches": found.matches,
        "matchingFiles": found.matching_files,
        "searchedFiles": found.searched_files,
        "binaryFiles": found.binary_files,
        "skipped": limits.skip,
        "isComplete": found.unreadable.is_empty() && found.missing.is_empty(),
        "unreadable": found.unreadable,
        "missing": found.missing,
    })
}
