//! `relay find`: the project's files by glob, or by a few letters of their path.

use std::path::Path;
use std::time::Instant;

use relay_diagnostics::{Cancel, Diagnostic};
use relay_workspace::search::{FindQuery, Scope, Wanted, fuzzy};
use relay_workspace::{Kind, Workspace};
use serde_json::json;

use super::search::failure;
use crate::cli::FindArgs;
use crate::failure::{BAD_USAGE, Failure};
use crate::terminal::style::{PLACE, count, paint};
use crate::terminal::{self, visible};
use crate::{open, signals};

pub fn run(root: Option<&Path>, args: &FindArgs) -> Result<u8, Failure> {
    let workspace = open::workspace(root)?;
    let cancel = signals::cancel_on_signals().map_err(|error| Failure::environment(&error))?;
    let found = if args.fuzzy {
        by_letters(&workspace, args, &cancel)?
    } else {
        by_glob(root, &workspace, args, &cancel)?
    };
    if cancel.is_cancelled() {
        return Err(Failure::interrupted(Vec::new()));
    }
    if args.json {
        terminal::print_document(
            &json!({ "paths": found.paths, "total": found.total, "missing": found.missing }),
        );
        return Ok(u8::from(found.paths.is_empty()));
    }
    let text: String = found.paths.iter().map(|path| format!("{}\n", paint(PLACE, visible(path)))).collect();
    let code = terminal::print_as_is(&text);
    if found.total > found.paths.len() {
        terminal::tell(&format!(
            "showing {} of {}; use --limit to see more, or a narrower pattern\n",
            found.paths.len(),
            count(found.total, "path")
        ));
    }
    for path in &found.missing {
        terminal::tell(&format!("not found: {}\n", visible(path)));
    }
    Ok(code.max(u8::from(found.paths.is_empty())))
}

struct Paths {
    paths: Vec<String>,
    total: usize,
    missing: Vec<String>,
}

fn scope(args: &FindArgs) -> Scope {
    Scope { hidden: !args.no_hidden, gitignore: !args.no_ignore, ..Scope::default() }
}

fn by_glob(
    root: Option<&Path>,
    workspace: &Workspace,
    args: &FindArgs,
    cancel: &Cancel,
) -> Result<Paths, Failure> {
    let here = [".".to_owned()];
    let given = if args.patterns.is_empty() { &here[..] } else { &args.patterns };
    let mut patterns = Vec::new();
    for pattern in given {
        // A glob without a folder matches in any folder below the current one.
        let below = if pattern.contains('/') || !pattern.contains(['*', '?', '[', '{']) {
            open::below(root, workspace, pattern)?
        } else {
            let here = open::below(root, workspace, ".")?;
            if here == "." { pattern.clone() } else { format!("{here}/**/{pattern}") }
        };
        patterns.push(below);
    }
    let query = FindQuery {
        patterns,
        wanted: if args.dirs { Wanted::Folders } else { Wanted::Files },
        scope: scope(args),
        limit: args.limit,
        newest_first: !args.by_path,
        ..FindQuery::default()
    };
    let found = workspace.find(&query, cancel).map_err(|error| failure(&error))?;
    let paths = found.paths.into_iter().map(|found| found.path).collect();
    Ok(Paths { paths, total: found.total, missing: found.missing })
}

fn by_letters(workspace: &Workspace, args: &FindArgs, cancel: &Cancel) -> Result<Paths, Failure> {
    let [typed] = args.patterns.as_slice() else {
        return Err(Failure::usage(
            Diagnostic::error(BAD_USAGE, "--fuzzy takes one pattern")
                .hinted("Write `relay find --fuzzy mainrs`."),
        ));
    };
    let wanted = if args.dirs { Kind::Directory } else { Kind::File };
    let ranked = workspace.scans().ask(workspace, &scope(args), Instant::now(), cancel, |entries| {
        let paths = entries
            .iter()
            .filter(|entry| entry.kind == wanted)
            .map(|entry| (entry.path.as_str(), entry.kind));
        fuzzy::rank(typed, paths, usize::MAX)
    });
    let mut paths: Vec<String> =
        ranked.map_err(|error| failure(&error))?.into_iter().map(|ranked| ranked.path).collect();
    let total = paths.len();
    paths.truncate(args.limit);
    Ok(Paths { paths, total, missing: Vec::new() })
}
