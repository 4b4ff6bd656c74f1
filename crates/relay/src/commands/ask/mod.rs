//! `relay ask`: a question to another agent or a model, or to several, and the answer back.

mod answers;
pub mod background;

use std::io::{IsTerminal as _, Read as _};
use std::path::{Path, PathBuf};

use relay_backends::ask::{
    Ask, AskError, Context, PROMPT_LIMIT_BYTES, Prepared, Schema, Watch, check_request, prepare,
};
use relay_backends::backend::Backends;
use relay_backends::configured;
use relay_backends::labels::{self, Label};
use relay_diagnostics::{Cancel, Diagnostic};
use relay_engine::{Engine, git};
use relay_llm::Budget;
use relay_settings::Settings;
use relay_store::Store;

use crate::asking::{is_watched, wanted};
use crate::cli::AskArgs;
use crate::failure::{Failure, UNREADABLE_INPUT};
use crate::user::{self, Disk};
use crate::{open, signals, terminal};

use answers::{Answered, Asked};

pub fn run(root: Option<&Path>, args: &AskArgs, offline: bool) -> Result<u8, Failure> {
    let prompt = prompt(args)?;
    if args.background {
        return background::start(root, &prompt);
    }
    let cancel = signals::cancel_on_signals().map_err(|error| Failure::environment(&error))?;
    let answered = answer(root, args, &prompt, offline, &cancel)?;
    Ok(answered.show(args.json))
}

/// Asks, and waits for all answers. If one backend cannot be asked, none is.
fn answer(
    root: Option<&Path>,
    args: &AskArgs,
    prompt: &str,
    offline: bool,
    cancel: &Cancel,
) -> Result<Answered, Failure> {
    let store = open::store()?;
    let settings = user::settings(&store)?;
    let names = configured::asked(&args.to, &settings);
    let wanted = wanted(&args.call, offline);
    let repo = repo(root, args)?;
    // If several things are wrong, the first in the documented order is reported, so nothing may be checked before its
    // turn.
    check_request(prompt, wanted.timeout(&settings), &repo)?;
    let backends = user::sources(&store, &settings).named(&names, wanted)?;
    let unknown = names.iter().find_map(|name| backends.get(name).err());
    unknown.map_or(Ok(()), |unknown| Err(AskError::from(unknown)))?;
    let terms = wanted.terms(&settings)?;
    let schema = args.schema.as_deref().map(schema).transpose()?;
    let is_watched = is_watched(&Watch::decide(&backends, &names, &repo, terms.sandbox)?);
    let sessions = sessions(&store, args, &names, &repo)?;
    let asked = Asked {
        args,
        names: &names,
        models: names.iter().map(|name| wanted.model_of(name, &settings)).collect(),
        repo: &repo,
        terms,
        is_watched,
        budget: Budget::new(terms.limit),
        schema: schema.as_ref(),
        sessions,
        stream: !args.json && !args.no_stream && (args.stream || settings.flag("backends.stream")),
        cancel,
    };
    let prepared = asked.prepare(prompt, &settings, &backends)?;
    // The diff is the same for everyone who is asked.
    let not_run = prepared.first().and_then(|prepared| git::not_run(prepared.ignored()));
    terminal::tell(&terminal::report::diagnostics(not_run.as_slice()));
    answers::all(&asked, &prepared, &store, root)
}

impl Asked<'_> {
    fn prepare<'a>(
        &'a self,
        prompt: &'a str,
        settings: &Settings,
        backends: &'a Backends,
    ) -> Result<Vec<Prepared<'a>>, Failure> {
        let args = self.args;
        let diff = if args.diff || args.no_diff { args.diff } else { settings.flag("backends.diff") };
        let context = Context { text: args.context_text.as_deref(), file: args.context_file.as_deref() };
        let one = |index: usize, name: &'a String| {
            let ask = Ask {
                prompt,
                backend: name,
                repo: self.repo,
                context,
                diff,
                terms: self.terms,
                model: self.models.get(index).and_then(Option::as_deref),
                schema: self.schema.map(Schema::document),
                resume: self.sessions.get(index).and_then(Option::as_ref).map(|label| label.session.as_str()),
            };
            Ok(prepare(ask, backends, &Disk, &user::depth(), self.cancel)?)
        };
        self.names.iter().enumerate().map(|(index, name)| one(index, name)).collect()
    }
}

/// The question: what was typed, or standard input.
fn prompt(args: &AskArgs) -> Result<String, Failure> {
    match args.prompt.as_deref() {
        Some(prompt) if prompt != "-" => return Ok(prompt.to_owned()),
        None if std::io::stdin().is_terminal() => return Ok(String::new()),
        _ => {}
    }
    let unreadable = |message: String| {
        let hint = "Pipe a text of at most 500,000 bytes, or write the question after the command.";
        Failure::usage(Diagnostic::error(UNREADABLE_INPUT, message).hinted(hint))
    };
    let mut bytes = Vec::new();
    // One byte beyond the limit is enough to detect that it is too long.
    let limit = PROMPT_LIMIT_BYTES as u64 + 1;
    std::io::stdin()
        .take(limit)
        .read_to_end(&mut bytes)
        .map_err(|error| unreadable(format!("standard input cannot be read: {error}")))?;
    String::from_utf8(bytes).map_err(|_| unreadable("standard input is not UTF-8".to_owned()))
}

/// The repository: the one named, else the project, else the current folder.
fn repo(root: Option<&Path>, args: &AskArgs) -> Result<PathBuf, Failure> {
    match &args.call.repo {
        Some(repo) => Ok(std::path::absolute(repo).unwrap_or_else(|_| repo.clone())),
        None => Ok(open::workspace(root)?.root().to_path_buf()),
    }
}

/// The schema itself, or the file that holds it.
fn schema(given: &str) -> Result<Schema, Failure> {
    let text = if given.trim_start().starts_with('{') {
        given.to_owned()
    } else {
        let (bytes, _) = relay_backends::ask::Files::read(&Disk, Path::new(given), PROMPT_LIMIT_BYTES)
            .map_err(|error| {
                let message = format!("the schema `{given}` cannot be read: {error}");
                Failure::usage(
                    Diagnostic::error(UNREADABLE_INPUT, message)
                        .hinted("Pass a file name, or the JSON itself."),
                )
            })?;
        String::from_utf8_lossy(&bytes).into_owned()
    };
    Ok(Schema::parse(&text)?)
}

/// The conversations to continue, at most one per backend.
fn sessions(
    store: &Store,
    args: &AskArgs,
    names: &[String],
    repo: &Path,
) -> Result<Vec<Option<Label>>, Failure> {
    let Some(label) = &args.conversation else { return Ok(Vec::new()) };
    let repo = repo.display().to_string();
    names
        .iter()
        .map(|name| labels::find(store, label, name, &repo).map_err(|error| Failure::environment(&error)))
        .collect()
}

/// The engine for what a backend writes.
fn engine(root: Option<&Path>, args: &AskArgs, cancel: &Cancel) -> Result<Engine, Failure> {
    let workspace = open::workspace(args.call.repo.as_deref().or(root))?;
    Ok(Engine::open(workspace, open::store()?, cancel.clone())?)
}
