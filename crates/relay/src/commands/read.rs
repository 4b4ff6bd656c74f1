//! `relay read`: shows a file to a model, and remembers what it was shown.

use std::path::Path;

use relay_diagnostics::Diagnostic;
use relay_edit::anchors;
use relay_engine::{Engine, codes, views};
use relay_workspace::{PathRefusal, RelPath};

use crate::cli::ReadArgs;
use crate::failure::{BAD_USAGE, ENVIRONMENT, Failure};
use crate::{open, terminal};

pub fn run(root: Option<&Path>, args: &ReadArgs) -> Result<u8, Failure> {
    let engine = open::engine_told(root)?;
    let (path, lines) = target(&engine, &args.target)?;
    let content = content(&engine, &path)?;
    let (first, last) = lines.unwrap_or((1, usize::MAX));
    let (text, total) = anchors::plain(&content, first, last);
    if first > total.max(1) || first > last {
        return Err(Failure::usage(
            Diagnostic::error(
                BAD_USAGE,
                format!("{path} has only {total} lines; {first} to {last} is outside"),
            )
            .hinted(format!("Use lines from 1 to {total}, smaller number first.")),
        ));
    }
    let shown = lines.map(|(first, last)| (first, last.min(total)));
    views::remember(&engine, &path, &content, shown).map_err(|error| Failure::environment(&error))?;
    let shown = if args.anchors { anchors::anchored(&content, first, last) } else { text };
    Ok(terminal::print_exactly(&shown))
}

/// `PATH`, `PATH:N` or `PATH:A-B`. If a file has exactly this name, the whole file is meant.
fn target(engine: &Engine, written: &str) -> Result<(RelPath, Option<(usize, usize)>), Failure> {
    let inside = Path::new(written).strip_prefix(engine.workspace().root()).ok().and_then(Path::to_str);
    let written = inside.filter(|path| !path.is_empty()).unwrap_or(written);
    let whole = engine.workspace().path(written);
    if let Ok(path) = &whole
        && exists(engine, written)
    {
        return Ok((path.clone(), None));
    }
    let refused = |refusal: PathRefusal| {
        let finding = Diagnostic::error(ENVIRONMENT, refusal.to_string());
        Failure::general(finding.hinted("Name a file of the project, by its path from the root."))
    };
    let part = written.rsplit_once(':').and_then(|(path, lines)| Some((path, range(lines)?)));
    let named = written.split_once(':').filter(|(path, _)| exists(engine, path));
    match (part, named) {
        (Some((path, lines)), named) if named.is_none_or(|(named, _)| named == path) => {
            Ok((engine.workspace().path(path).map_err(refused)?, Some(lines)))
        }
        (_, Some((path, lines))) => Err(Failure::usage(
            Diagnostic::error(BAD_USAGE, format!("`{lines}` does not name lines of {path}"))
                .hinted(format!("Write {path}:N for one line or {path}:A-B for several, counted from 1.")),
        )),
        _ => Ok((whole.map_err(refused)?, None)),
    }
}

fn exists(engine: &Engine, path: &str) -> bool {
    let facts = engine.workspace().path(path).ok().map(|path| engine.workspace().facts(&path));
    facts.is_some_and(|facts| facts.is_ok_and(|facts| facts.is_some()))
}

fn range(text: &str) -> Option<(usize, usize)> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let (first, last) = (first.parse().ok()?, last.parse().ok()?);
    (first > 0).then_some((first, last))
}

fn content(engine: &Engine, path: &RelPath) -> Result<Vec<u8>, Failure> {
    let file = engine.workspace().read(path).map_err(|error| Failure::environment(&error))?;
    file.map(|file| file.bytes).ok_or_else(|| {
        let near = engine.workspace().suggest(path);
        let hint = if near.is_empty() {
            "Check the path.".to_owned()
        } else {
            format!("Did you mean {}?", near.join(" or "))
        };
        Failure::general(
            Diagnostic::error(codes::NO_SUCH_FILE, format!("{path} does not exist"))
                .on(path.as_str())
                .hinted(hint),
        )
    })
}
