//! Opening the workspace a command works in.

use std::path::{Component, Path, PathBuf};

use relay_diagnostics::{Code, Diagnostic};
use relay_engine::Engine;
use relay_store::Store;
use relay_workspace::{RelPath, Workspace};

use crate::failure::{ENVIRONMENT, Failure};
use crate::{signals, terminal};

/// The folder the user named, or the project around the current folder.
pub fn workspace(root: Option<&Path>) -> Result<Workspace, Failure> {
    match root {
        Some(root) => Workspace::open(root).map_err(|error| {
            Failure::usage(
                Diagnostic::error(ENVIRONMENT, relay_engine::with_sources(&error))
                    .hinted("--root needs an existing folder."),
            )
        }),
        None => Workspace::discover(&current_folder()?).map_err(|error| Failure::environment(&error)),
    }
}

/// The folder `relay init` works in: never a parent project.
pub fn workspace_here(root: Option<&Path>) -> Result<Workspace, Failure> {
    match root {
        Some(_) => workspace(root),
        None => Workspace::open(&current_folder()?).map_err(|error| Failure::environment(&error)),
    }
}

/// The user's own data.
pub fn store() -> Result<Store, Failure> {
    Store::from_env().map_err(|error| Failure::environment(&error))
}

/// The user's own data, with the agent's sessions in another folder if one is named.
pub fn store_with(session_dir: Option<&Path>) -> Result<Store, Failure> {
    let Some(folder) = session_dir else { return store() };
    let whole = std::path::absolute(folder).map_err(|error| Failure::environment(&error))?;
    if whole.exists() && !whole.is_dir() {
        let message = format!("--session-dir {}: it is not a folder", folder.display());
        return Err(Failure::usage(Diagnostic::error(ENVIRONMENT, message)));
    }
    Ok(store()?.with_sessions_in(&whole))
}

/// The engine, for commands whose own report cannot include what opening the project found, such as a recovered
/// transaction; this prints it at once.
pub fn engine_told(root: Option<&Path>) -> Result<Engine, Failure> {
    let engine = engine(root)?;
    terminal::tell(&terminal::report::diagnostics(engine.warnings()));
    Ok(engine)
}

/// The engine for the project, with Ctrl-C wired to it. Its warnings are for the caller to show.
pub fn engine(root: Option<&Path>) -> Result<Engine, Failure> {
    let cancel = signals::cancel_on_signals().map_err(|error| Failure::environment(&error))?;
    let engine = Engine::open(workspace(root)?, store()?, cancel)?;
    tell_waits(&engine);
    Ok(engine)
}

/// Makes it visible when another process keeps this one waiting.
pub fn tell_waits(engine: &Engine) {
    engine.ledger().tell_waits(|| terminal::note("another relay process holds the ledger; waiting for it"));
}

/// A file of the project as the user typed it: from the current folder, or else from the project's root.
pub fn path(root: Option<&Path>, engine: &Engine, given: &str) -> Result<RelPath, Failure> {
    let workspace = engine.workspace();
    let name = |text: &str| {
        workspace.path(text.trim_end_matches('/')).map_err(|refusal| {
            let diagnostic = Diagnostic::error(Code::new(refusal.code()), refusal.to_string()).on(given);
            Failure::usage(match refusal.hint() {
                Some(hint) => diagnostic.hinted(hint),
                None => diagnostic,
            })
        })
    };
    let from_here = from_here(root, engine, given)?
        .and_then(|path| path.strip_prefix(workspace.root()).ok().and_then(Path::to_str).map(str::to_owned));
    let Some(from_here) = from_here else { return name(given) };
    let exists = |path: &RelPath| workspace.facts(path).is_ok_and(|facts| facts.is_some());
    match (name(&from_here), name(given)) {
        (Ok(here), Ok(there)) if !exists(&here) && exists(&there) => Ok(there),
        (here, _) => here,
    }
}

/// A file, folder or glob as the user typed it, from the project's root. `None` if it is outside.
pub fn pattern(root: Option<&Path>, engine: &Engine, given: &str) -> Result<Option<String>, Failure> {
    let from_here = from_here(root, engine, given)?;
    let inside =
        from_here.and_then(|path| path.strip_prefix(engine.workspace().root()).ok().map(Path::to_path_buf));
    Ok(inside.and_then(|path| {
        path.to_str().map(|path| if path.is_empty() { ".".to_owned() } else { path.to_owned() })
    }))
}

/// A file, folder or glob as the user typed it, from the project's root; `.` is the root itself.
pub fn below(root: Option<&Path>, workspace: &Workspace, given: &str) -> Result<String, Failure> {
    let base = match root {
        Some(_) => workspace.root().to_owned(),
        None => std::fs::canonicalize(current_folder()?).map_err(|error| Failure::environment(&error))?,
    };
    let inside = plain(&base.join(given))
        .and_then(|path| path.strip_prefix(workspace.root()).ok().map(Path::to_path_buf));
    match inside.as_deref().and_then(Path::to_str) {
        Some("") => Ok(".".to_owned()),
        Some(path) => Ok(path.to_owned()),
        None => Err(Failure::usage(
            Diagnostic::error(ENVIRONMENT, format!("`{}` is outside the project", terminal::visible(given)))
                .hinted("Name files or folders of the project, or the folder to work in with --root."),
        )),
    }
}

/// Whether the project's folder itself is meant.
pub fn is_root(root: Option<&Path>, engine: &Engine, given: &str) -> Result<bool, Failure> {
    Ok(from_here(root, engine, given)?.is_some_and(|path| path == engine.workspace().root()))
}

/// The path as the user typed it, from the current folder, or from the root named on the command line.
fn from_here(root: Option<&Path>, engine: &Engine, given: &str) -> Result<Option<PathBuf>, Failure> {
    let base = match root {
        Some(_) => engine.workspace().root().to_owned(),
        None => current_folder()?,
    };
    Ok(plain(&base.join(given)))
}

/// The path without `.` and `..`, by its names alone; `None` if it leads above its own beginning.
fn plain(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                if !plain.pop() {
                    return None;
                }
            }
            other => plain.push(other),
        }
    }
    Some(plain)
}

fn current_folder() -> Result<PathBuf, Failure> {
    std::env::current_dir().map_err(|error| {
        Failure::general(Diagnostic::error(
            ENVIRONMENT,
            format!("the current folder cannot be used: {error}"),
        ))
    })
}
