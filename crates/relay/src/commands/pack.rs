//! `relay pack`: one text for any chat, and a receipt of what it shows.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use relay_diagnostics::{Code, Diagnostic};
use relay_engine::pack::select::{Wanted, select};
use relay_engine::pack::{self, Pack, Request, Tree};
use relay_engine::{Engine, git, report, selection};

use super::apply::read_reply;
use crate::cli::PackArgs;
use crate::failure::{BAD_USAGE, Failure};
use crate::terminal::report::line;
use crate::terminal::style::{FAINT, GOOD, NOTE, PLACE, STRONG, count, paint};
use crate::terminal::visible;
use crate::{clipboard, open, terminal};

/// How many files, and how many secrets, are listed.
const SHOWN: usize = 40;

pub fn run(root: Option<&Path>, args: &PackArgs) -> Result<u8, Failure> {
    let engine = open::engine_told(root)?;
    let output = args.output.as_deref().map(|path| output_place(&engine, path)).transpose()?;
    let (files, from_selection) = files(root, &engine, args)?;
    if files.is_empty() && from_selection && !args.json {
        terminal::tell(
            "nothing is selected, so the pack contains no files; `relay context add` selects some\n",
        );
    }
    let diff = args.diff.then(|| git::uncommitted(&engine)).transpose().map_err(Failure::general)?;
    let (diff, not_run) = diff.map_or((None, None), |(diff, not_run)| (Some(diff), not_run));
    terminal::tell(&terminal::report::diagnostics(not_run.as_slice()));
    let request = Request {
        files,
        task: task(args)?,
        diff,
        tree: match (args.tree, args.no_tree) {
            (true, _) => Tree::Full,
            (_, true) => Tree::None,
            _ => Tree::Folded,
        },
        budget_tokens: args.budget,
        dialect: args.dialect,
        mask: args.no_mask.is_none(),
    };
    let pack = pack::make(&engine, &request).map_err(Failure::refused)?;
    if let Some(place) = &output {
        let is_pack = |head: &[u8]| std::str::from_utf8(head).is_ok_and(pack::is_pack);
        relay_store::export(place, pack.text.as_bytes(), is_pack).map_err(|error| {
            let diagnostic =
                Diagnostic::error(crate::failure::ENVIRONMENT, relay_engine::with_sources(&error));
            Failure::general(match error.hint() {
                Some(hint) => diagnostic.hinted(hint),
                None => diagnostic,
            })
        })?;
    } else if args.copy {
        clipboard::copy(&pack.text)?;
    }
    let is_elsewhere = output.is_some() || args.copy;
    if args.json {
        let place = output.as_ref().map(|place| place.display().to_string());
        return Ok(terminal::print_document(&report::packed(&pack, place.as_deref(), !is_elsewhere)));
    }
    let code = if is_elsewhere { 0 } else { terminal::print_exactly(&pack.text) };
    terminal::tell(&summary(&pack, output.as_deref(), args.copy, request.mask));
    Ok(code)
}

/// The named files, or else the selected ones; and whether it is the selection.
fn files(root: Option<&Path>, engine: &Engine, args: &PackArgs) -> Result<(Vec<Wanted>, bool), Failure> {
    if args.paths.iter().any(|path| path.trim().is_empty()) {
        return Err(Failure::usage(
            Diagnostic::error(BAD_USAGE, "one of the paths is empty")
                .hinted("Is a shell variable unset? `relay pack .` packs the whole project."),
        ));
    }
    if !args.paths.is_empty() {
        return Ok((named(root, engine, &args.paths, &args.exclude)?, false));
    }
    let selected = selection::list(engine).map_err(|error| Failure::environment(&error))?;
    let wanted = selected.iter().filter_map(|path| engine.workspace().path(path).ok());
    Ok((wanted.map(|path| Wanted { path, by_name: true }).collect(), true))
}

/// The files that patterns match, from the current folder, or else from the project's root.
pub fn named(
    root: Option<&Path>,
    engine: &Engine,
    patterns: &[String],
    exclude: &[String],
) -> Result<Vec<Wanted>, Failure> {
    let workspace = engine.workspace();
    let from_root = |patterns: &[String]| -> Result<Vec<String>, Failure> {
        patterns
            .iter()
            .map(|given| Ok(open::pattern(root, engine, given)?.unwrap_or_else(|| given.clone())))
            .collect()
    };
    let mut excluded = from_root(exclude)?;
    excluded.extend_from_slice(exclude);
    let here = from_root(patterns)?;
    let mut wanted: Vec<Wanted> = Vec::new();
    let mut known = HashSet::new();
    let mut problems = Vec::new();
    for (here, given) in here.iter().zip(patterns) {
        let select = |pattern: &String| select(workspace, std::slice::from_ref(pattern), &excluded);
        match select(here).or_else(|problem| select(given).map_err(|_| problem)) {
            Ok(found) => wanted.extend(found.into_iter().filter(|new| known.insert(new.path.clone()))),
            Err(problem) => problems.extend(problem),
        }
    }
    if problems.is_empty() { Ok(wanted) } else { Err(Failure::refused(problems)) }
}

fn task(args: &PackArgs) -> Result<Option<String>, Failure> {
    match args.task.as_deref() {
        Some("-") => read_reply(None).map(Some),
        task => Ok(task.map(str::to_owned)),
    }
}

/// Where the pack is written. Below the project's root, Relay follows no links and refuses its own files and git's.
fn output_place(engine: &Engine, given: &Path) -> Result<PathBuf, Failure> {
    let refused =
        |message: String, hint: &str| Failure::usage(Diagnostic::error(BAD_USAGE, message).hinted(hint));
    let hint = "Name a file in a folder that exists.";
    let Some(name) = given.file_name().filter(|name| name.to_str().is_some()) else {
        return Err(refused(format!("`{}` is not a file name", given.display()), hint));
    };
    let parent = given.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = std::fs::canonicalize(parent).map_err(|error| {
        refused(format!("the folder `{}` cannot be used: {error}", parent.display()), hint)
    })?;
    let root = engine.workspace().root();
    let place = folder.join(name);
    let as_typed = std::path::absolute(parent).unwrap_or_else(|_| folder.clone());
    match place.strip_prefix(root).ok().and_then(Path::to_str) {
        Some(inside) => {
            engine.workspace().path(inside).map_err(|refusal| {
                let diagnostic = Diagnostic::error(Code::new(refusal.code()), refusal.to_string()).on(inside);
                Failure::usage(diagnostic.hinted("Write the pack somewhere else."))
            })?;
        }
        None if as_typed.starts_with(root) => {
            return Err(refused(
                format!("`{}` leads out of the project through a link", parent.display()),
                "Name the place itself.",
            ));
        }
        None => {}
    }
    Ok(place)
}

/// What is in the pack, for people.
fn summary(pack: &Pack, output: Option<&Path>, copied: bool, is_masking: bool) -> String {
    let mut text = String::new();
    let width =
        pack.files.iter().take(SHOWN).map(|file| terminal::columns(&visible(&file.path))).max().unwrap_or(0);
    for file in pack.files.iter().take(SHOWN) {
        let path = visible(&file.path);
        let gap = " ".repeat(width - terminal::columns(&path));
        let size = format!("≈{} tokens, {}", file.tokens, count(file.lines, "line"));
        line(&mut text, format_args!("  {path}{gap}  {}", paint(FAINT, size)));
    }
    if pack.files.len() > SHOWN {
        line(
            &mut text,
            format_args!("  {}", paint(FAINT, format_args!("… and {} more", pack.files.len() - SHOWN))),
        );
    }
    for left in pack.left_out.iter().take(SHOWN) {
        let tokens = left.tokens.map_or(String::new(), |tokens| format!(" (≈{tokens} tokens)"));
        line(
            &mut text,
            format_args!(
                "{} {} {}{tokens}",
                paint(NOTE.bold(), "left out:"),
                visible(&left.path),
                left.reason
            ),
        );
    }
    if pack.left_out.len() > SHOWN {
        line(
            &mut text,
            format_args!("{} {} more", paint(NOTE.bold(), "left out:"), pack.left_out.len() - SHOWN),
        );
    }
    for (path, found) in pack.masked.iter().take(SHOWN) {
        line(
            &mut text,
            format_args!("{} {}:{} {}", paint(NOTE.bold(), "masked:"), visible(path), found.line, found.kind),
        );
    }
    if pack.masked.len() > SHOWN {
        line(&mut text, format_args!("{} {} more", paint(NOTE.bold(), "masked:"), pack.masked.len() - SHOWN));
    }
    if !is_masking {
        line(
            &mut text,
            format_args!("{} secrets were not masked, as you asked", paint(NOTE.bold(), "warning:")),
        );
    }
    let place = match (output, copied) {
        (Some(place), _) => format!(" in {}", visible(&place.display().to_string())),
        (None, true) => " on the clipboard".to_owned(),
        (None, false) => String::new(),
    };
    let files = count(pack.files.len(), "file");
    line(
        &mut text,
        format_args!(
            "{}  {files}, ≈{} tokens{place}, receipt {}",
            paint(GOOD.bold(), "✓ packed"),
            paint(STRONG, pack.tokens),
            paint(PLACE, pack.receipt.id())
        ),
    );
    text
}
