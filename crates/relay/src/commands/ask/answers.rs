//! Waits for answers, shows them as they arrive or once complete, and collects what their authors wrote to files.

use std::path::Path;

use relay_backends::ask::{AskError, Prepared, Results, Schema, Terms};
use relay_backends::backend::{Answer, BackendError, Link};
use relay_backends::labels::{self, Label};
use relay_diagnostics::Cancel;
use relay_engine::{Outcome, report};
use relay_llm::Budget;
use relay_store::Store;
use serde_json::{Value, json};

use super::engine;
use crate::asking::{Watched, side_by_side, tell_effect};
use crate::cli::AskArgs;
use crate::failure::Failure;
use crate::terminal::style::{BAD, FAINT, STRONG, paint};
use crate::terminal::{self, note, visible};

/// The channel of what a backend writes.
const CHANNEL: &str = "ask";

/// A question to one or several backends, ready to be asked.
pub struct Asked<'a> {
    pub args: &'a AskArgs,
    pub names: &'a [String],
    pub models: Vec<Option<String>>,
    pub repo: &'a Path,
    pub terms: Terms,
    /// Whether the files must be watched for changes by the backends.
    pub is_watched: bool,
    /// Their limits, and what they have used.
    pub budget: Budget,
    pub schema: Option<&'a Schema>,
    pub sessions: Vec<Option<Label>>,
    pub stream: bool,
    pub cancel: &'a Cancel,
}

/// One answer, or the reason for its absence.
struct One {
    backend: String,
    answer: Result<Answer, AskError>,
    data: Option<Value>,
}

/// What came back.
pub struct Answered {
    all: Vec<One>,
    effect: Option<Outcome>,
    /// The usage, as `--json` prints it.
    spent: Value,
    was_streamed: bool,
}

/// Asks all of them in parallel.
pub fn all(
    asked: &Asked<'_>,
    prepared: &[Prepared<'_>],
    store: &Store,
    root: Option<&Path>,
) -> Result<Answered, Failure> {
    let was_streamed = asked.stream && prepared.len() == 1;
    let mut results = Vec::new();
    let mut work = || results = ask(asked, prepared, was_streamed);
    let effect = if asked.is_watched {
        let engine = engine(root, asked.args, asked.cancel)?;
        let watched = Watched {
            channel: CHANNEL,
            reason: asked.args.prompt.as_deref().unwrap_or("a question from standard input"),
            names: asked.names,
            call: &asked.args.call,
            sandbox: asked.terms.sandbox,
            stdin_taken: asked.args.prompt.is_none(),
        };
        Some(watched.attend(&engine, work))
    } else {
        work();
        None
    };
    remember(asked, &results, store)?;
    let all = prepared
        .iter()
        .zip(results)
        .map(|(prepared, answer)| One::new(prepared.backend(), answer, asked.schema))
        .collect();
    Ok(Answered { all, effect, spent: asked.budget.spent().document(), was_streamed })
}

fn ask(asked: &Asked<'_>, prepared: &[Prepared<'_>], streamed: bool) -> Results<Answer> {
    if streamed {
        let mut is_within_line = false;
        let mut on_text = |piece: &str| {
            is_within_line = !piece.ends_with('\n');
            terminal::print_as_is(&visible(piece));
        };
        let mut link = Link {
            cancel: asked.cancel,
            budget: &asked.budget,
            is_final: true,
            on_text: &mut on_text,
            on_note: &mut |text| note(text),
        };
        let results: Results<Answer> = prepared.iter().map(|one| one.run(&mut link)).collect();
        if is_within_line && results.iter().all(Result::is_err) {
            // What follows is the reason it broke off, which is not part of the line.
            terminal::print("\n");
        }
        return results;
    }
    let one = |at: usize, link: &mut Link<'_>| match prepared.get(at) {
        Some(one) => one.run(link),
        None => Err(AskError::NoPrompt),
    };
    side_by_side("asking", asked.names, asked.cancel, &asked.budget, one)
}

/// Saves the conversations' names, so that the next question can continue them.
fn remember(asked: &Asked<'_>, results: &Results<Answer>, store: &Store) -> Result<(), Failure> {
    let Some(label) = &asked.args.conversation else { return Ok(()) };
    for (backend, result) in asked.names.iter().zip(results) {
        let Ok(answer) = result else { continue };
        let Some(session) = &answer.session else {
            note(&format!("{backend} cannot continue conversations; `{label}` was not saved for it"));
            continue;
        };
        let new = Label {
            label: label.clone(),
            backend: backend.clone(),
            session: session.clone(),
            repo: asked.repo.display().to_string(),
            used: jiff::Timestamp::now().as_second(),
        };
        labels::remember(store, new).map_err(|error| Failure::environment(&error))?;
    }
    Ok(())
}

impl One {
    fn new(backend: &str, answer: Result<Answer, AskError>, schema: Option<&Schema>) -> Self {
        let checked = answer.and_then(|answer| {
            let data = schema.map(|schema| schema.check(backend, &answer.text)).transpose()?;
            Ok((answer, data))
        });
        let (answer, data) = match checked {
            Ok((answer, data)) => (Ok(answer), data),
            Err(error) => (Err(error), None),
        };
        Self { backend: backend.to_owned(), answer, data }
    }

    fn document(&self) -> Value {
        match &self.answer {
            Ok(answer) => json!({
                "backend": self.backend,
                "text": answer.text,
                "model": answer.model,
                "serviceTier": answer.service_tier,
                "session": answer.session,
                "data": self.data,
            }),
            Err(error) => {
                json!({ "backend": self.backend, "error": error.to_string(), "hint": error.hint() })
            }
        }
    }
}

impl Answered {
    /// Shows everything not shown yet, and returns the exit code.
    pub fn show(&self, json: bool) -> u8 {
        if json {
            terminal::print_document(&self.document());
        } else {
            for one in &self.all {
                self.show_one(one);
            }
            tell_effect(self.effect.as_ref());
        }
        self.exit_code()
    }

    fn show_one(&self, one: &One) {
        let answer = match &one.answer {
            Ok(answer) => answer,
            Err(error) => {
                let headline = format!("{} {}", paint(BAD, "✗"), visible(&error.to_string()));
                terminal::tell(&format!("{headline}\n"));
                if let Some(hint) = error.hint() {
                    terminal::tell(&format!("  {}\n", paint(FAINT, visible(&hint))));
                }
                return;
            }
        };
        if self.all.len() > 1 {
            let model = answer.model.as_deref().map(|model| format!(" ({model})")).unwrap_or_default();
            let title = format!("── {}{} ", one.backend, model);
            let rest = "─".repeat(terminal::width().min(100).saturating_sub(terminal::columns(&title)));
            terminal::print(&format!("{}\n", paint(STRONG, visible(&format!("{title}{rest}")))));
        }
        if !self.was_streamed {
            terminal::print_as_is(&visible(answer.text.trim_end()));
        }
        if !self.was_streamed || !answer.text.ends_with('\n') {
            terminal::print("\n");
        }
    }

    /// All that came back, as `--json` prints it.
    pub fn document(&self) -> Value {
        json!({
            "answers": self.all.iter().map(One::document).collect::<Vec<_>>(),
            "effect": self.effect.as_ref().map(report::outcome),
            "spent": self.spent,
            "exitCode": self.exit_code(),
        })
    }

    pub fn exit_code(&self) -> u8 {
        let was_interrupted =
            |one: &One| matches!(&one.answer, Err(AskError::Backend(BackendError::Cancelled { .. })));
        if self.all.iter().any(was_interrupted) {
            return 130;
        }
        let effect = self.effect.as_ref().map_or(0, |effect| effect.status.exit_code());
        if self.all.is_empty() || self.all.iter().any(|one| one.answer.is_err()) {
            effect.max(1)
        } else {
            effect
        }
    }
}
