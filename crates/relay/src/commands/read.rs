//! `relay read`: shows a file to a model, and remembers what it was shown.

use std::path::Path;

use relay_edit::{Diagnostic, anchors};
use relay_engine::{Engine, codes, views};
use relay_workspace::RelPath;

use crate::cli::ReadArgs;
use crate::failure::{BAD_USAGE, Failure};
use crate::{open, terminal};

pub fn run(root: Option<&Path>, args: &ReadArgs) -> Result<u8, Failure> {
    let engine = open::engine_told(root)?;
    let (path, lines) = target(&engine, &args.target)?;
    let content = content(&engine, &path)?;
    let text = relay_edit::text_of(&content);
    let (first, last) = lines.unwrap_or((1, usize::MAX));
    let total = text.split_inclusive(|byte| *byte == b'\n').count();
    if first > total.max(1) || first > last {
        return Err(Failure::usage(
            Diagnostic::error(
                BAD_USAGE,
                format!("{path} has {total} lines, so there is nothing from {first} to {last}"),
            )
            .hinted(format!("Name lines from 1 to {total}, the first one first.")),
        ));
    }
    let shown = lines.map(|(first, last)| (first, last.min(total)));
    views::remember(&engine, &path, &content, shown).map_err(|error| Failure::environment(&error))?;
    if args.anchors {
        return Ok(terminal::print_exactly(&anchors::anchored(&content, first, last)));
    }
    let shown = text.split_inclusive(|byte| *byte == b'\n').skip(first - 1).take(last - first + 1);
    Ok(terminal::print_exactly(&String::from_utf8_lossy(&shown.collect::<Vec<_>>().concat())))
}

/// `PATH`, `PATH:N` or `PATH:A-B`. A file whose name looks like that is meant as a whole.
fn target(engine: &Engine, written: &str) -> Result<(RelPath, Option<(usize, usize)>), Failure> {
    let whole = engine.workspace().path(written);
    if let Ok(path) = &whole
        && engine.workspace().facts(path).is_ok_and(|facts| facts.is_some())
    {
        return Ok((path.clone(), None));
    }
    let refused = |refusal| Failure::environment(&refusal);
    match written.rsplit_once(':').and_then(|(path, lines)| Some((path, range(lines)?))) {
        Some((path, lines)) => Ok((engine.workspace().path(path).map_err(refused)?, Some(lines))),
        None => Ok((whole.map_err(refused)?, None)),
    }
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
