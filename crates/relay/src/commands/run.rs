//! `relay run` and `relay resume`: the agent without a terminal interface.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use relay_agent::driver::{Agent, Asker, Recorder, SideJob, title_from};
use relay_agent::event::{Ended, Event, ToolEvent, TurnEvent};
use relay_agent::session::TitleSource;
use relay_agent::turn::{Prompt, structured};
use relay_diagnostics::{Cancel, Diagnostic};
use relay_llm::{Budget, OutputSchema};
use serde_json::{Value, json};

use crate::agent::{self, Front, Opened, Terminal, Which};
use crate::cli::{AgentArgs, Mode, ResumeArgs, RpcArgs, RunArgs};
use crate::failure::{BAD_USAGE, Failure};
use crate::terminal::run::Show;
use crate::{signals, terminal};

/// How long to wait for a name at the end of a run.
const NAMING: Duration = Duration::from_secs(2);
/// A limit was reached; the session can be continued.
const LIMIT: u8 = 4;
const INTERRUPTED: u8 = 130;

/// The form of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Text,
    Json,
    Events,
}

pub fn run(root: Option<&Path>, args: &RunArgs, offline: bool) -> Result<u8, Failure> {
    if let Some(pattern) = &args.agent.ask.list_models {
        return super::models::list(offline, pattern);
    }
    if args.mode == Some(Mode::Rpc) {
        if !args.prompt.is_empty() {
            let message = "--mode rpc takes prompts as commands on standard input, not as arguments";
            return Err(Failure::usage(Diagnostic::error(BAD_USAGE, message)));
        }
        let args = RpcArgs { agent: args.agent.clone(), from: args.from.clone() };
        return super::rpc::run(root, &args, offline);
    }
    let form = match (args.json, args.stream_json || args.mode == Some(Mode::Json)) {
        (true, _) => Form::Json,
        (_, true) => Form::Events,
        _ => Form::Text,
    };
    let which = Which::from(&args.from);
    let input = agent::input()?;
    let stdin_taken = input.is_some();
    let prompt = agent::prompt(&args.prompt, &agent::Attached { images: &args.image, input })?;
    let mut opened = start(root, &args.agent, &which, offline, stdin_taken)?;
    let prompt = expanded(&opened, prompt)?;
    remember(&mut opened, &which, &prompt.text);
    opened.untitled.take_if(|_| args.no_title);
    if let Some(path) = &args.record {
        opened.builder.asking.asker = record(opened.builder.asking.asker, path)?;
    }
    if let Some(path) = &args.schema {
        opened.builder.asking.output = Some(schema(path)?);
    }
    work(opened, form, args.cancel_jobs, |agent| agent.prompt(prompt))
}

pub fn resume(root: Option<&Path>, args: &ResumeArgs, offline: bool) -> Result<u8, Failure> {
    if let Some(pattern) = &args.agent.ask.list_models {
        return super::models::list(offline, pattern);
    }
    let which = args.session.clone().map_or(Which::Newest, Which::Named);
    let opened = start(root, &args.agent, &which, offline, false)?;
    let form = if args.json { Form::Json } else { Form::Text };
    work(opened, form, false, Agent::resume)
}

fn start(
    root: Option<&Path>,
    args: &AgentArgs,
    which: &Which,
    offline: bool,
    stdin_taken: bool,
) -> Result<Opened, Failure> {
    let cancel = signals::cancel_on_signals().map_err(|error| Failure::environment(&error))?;
    let ui = Arc::new(Terminal::new(cancel, args.yes, stdin_taken));
    let opened = agent::open(root, args, which, Front { ui, offline, interactive: false })?;
    for note in &opened.notes {
        terminal::note(note);
    }
    Ok(opened)
}

/// A prompt such as `/review src` invokes a template or a skill.
fn expanded(opened: &Opened, prompt: Prompt) -> Result<Prompt, Failure> {
    let templates = || {
        agent::templates(
            &opened.reach.store,
            opened.builder.services.engine.workspace(),
            &opened.reach.settings,
        )
    };
    match agent::expand(&prompt.text, &opened.skills, templates) {
        Some(expanded) => expanded.map_err(|why| Failure::usage(Diagnostic::error(BAD_USAGE, why))),
        None => Ok(prompt),
    }
}

/// Saves the prompt to the history, and names a new session after it. A failure of either does not stop the run.
fn remember(opened: &mut Opened, which: &Which, prompt: &str) {
    if matches!(which, Which::Unkept) {
        return;
    }
    let log = &mut opened.builder.log;
    opened.reach.store.history().writer().add(prompt, log.cwd(), Timestamp::now().as_millisecond());
    if let (None, Some(title)) = (log.name(), title_from(prompt)) {
        if let Err(error) = log.set_name(&title, TitleSource::Auto) {
            terminal::note(&format!("the session could not be named: {error}"));
        }
        opened.untitled = Some(prompt.to_owned());
    }
}

/// If the user configured a small model, has it name a new session while the agent works.
struct Naming {
    cancel: Cancel,
    title: Option<JoinHandle<Option<String>>>,
}

impl Naming {
    fn begin(agent: &Agent, prompt: Option<String>) -> Self {
        let cancel = Cancel::new();
        let aside = prompt.map(|prompt| (prompt, agent.aside(SideJob::Title, cancel.clone())));
        let aside = aside.filter(|(_, aside)| !aside.candidates().is_empty());
        let title = aside.and_then(|(prompt, aside)| {
            let work = move || aside.title(&prompt);
            std::thread::Builder::new().name("title".to_owned()).spawn(work).ok()
        });
        Self { cancel, title }
    }

    /// Uses the name if it arrives within a moment; the run does not wait any longer.
    fn end(self, agent: &mut Agent) {
        let Some(thread) = self.title else { return };
        let until = Instant::now() + NAMING;
        while !thread.is_finished() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(20));
        }
        self.cancel.cancel();
        if let Ok(Some(title)) = thread.join()
            && let Err(error) = agent.set_name(&title, TitleSource::Auto)
        {
            terminal::note(&format!("the session could not be named: {error}"));
        }
    }
}

/// What is collected while the agent works.
#[derive(Default)]
struct Collected {
    text: String,
    denied: Vec<Value>,
    transactions: Vec<Value>,
    /// The answer as a value, where it follows a schema.
    structured: Option<Value>,
}

fn work(
    mut opened: Opened,
    form: Form,
    cancel_jobs: bool,
    go: impl FnOnce(&mut Agent) -> Ended,
) -> Result<u8, Failure> {
    let collected = Arc::new(Mutex::new(Collected::default()));
    let (seen, mut show) = (Arc::clone(&collected), Show::new(form == Form::Text));
    opened.builder.observer = opened.awake.during_runs(Box::new(move |event| {
        seen.lock().unwrap_or_else(PoisonError::into_inner).see(event);
        match form {
            Form::Events => {
                terminal::print_exactly(&terminal::document_line(&event.to_json()));
            }
            Form::Text | Form::Json => show.event(event),
        }
    }));
    let session = opened.builder.log.id().to_owned();
    let is_structured = opened.builder.asking.output.is_some();
    let mut agent = opened
        .builder
        .build()
        .map_err(|error| Failure::usage(Diagnostic::error(BAD_USAGE, error.to_string())))?;
    agent.deliver(opened.delivery.0, opened.delivery.1);
    if opened.plans {
        agent.set_plan_mode(true);
    }
    let remote = agent.remote();
    signals::on_stop(move || remote.abort()).map_err(|error| Failure::environment(&error))?;
    let naming = Naming::begin(&agent, opened.untitled.take());
    let mut ended = go(&mut agent);
    if ended == Ended::Done && !cancel_jobs {
        ended = wait_for_jobs(&mut agent);
    }
    naming.end(&mut agent);
    drop(agent);
    if let Some(difference) = opened.replay.and_then(|replay| replay.difference()) {
        terminal::note(&difference);
    }
    let mut collected = std::mem::take(&mut *collected.lock().unwrap_or_else(PoisonError::into_inner));
    collected.structured = is_structured.then(|| structured(&collected.text)).flatten();
    Ok(report(form, &session, &ended, &collected, &opened.reach.budget))
}

/// Waits for the agent's background jobs, and for its response to their results.
fn wait_for_jobs(agent: &mut Agent) -> Ended {
    let running = agent.jobs().running().len();
    if running > 0 {
        let jobs = terminal::style::count(running, "background job");
        terminal::note(&format!("waiting for {jobs}; --cancel-jobs ends them instead"));
    }
    agent.finish_jobs()
}

impl Collected {
    fn see(&mut self, event: &Event) {
        match event {
            Event::Turn(TurnEvent::End { message, .. }) => self.text = message.content.text("\n"),
            Event::Tool(ToolEvent::End { id, name, output }) => {
                let error = output.details.as_ref().and_then(|details| details.get("error")?.as_str());
                if error == Some("denied") {
                    let reason = output.plain_text();
                    self.denied.push(json!({ "tool": name, "toolCallId": id, "reason": reason }));
                }
                self.transactions.extend(output.transactions.iter().map(|uuid| json!(uuid)));
            }
            _ => {}
        }
    }
}

fn report(form: Form, session: &str, ended: &Ended, collected: &Collected, budget: &Budget) -> u8 {
    let (status, error) = match ended {
        Ended::Done => ("done", None),
        Ended::Failed(why) => ("failed", Some(why)),
        Ended::Aborted => ("aborted", None),
        Ended::Limit(why) => ("limit", Some(why)),
    };
    if form == Form::Json {
        let spent = budget.spent().document();
        let part = |name: &str| spent.get(name).cloned().unwrap_or_default();
        let document = json!({
            "sessionId": session, "status": status, "error": error, "text": collected.text,
            "usage": part("tokens"), "turns": part("turns"), "cost": part("cost"),
            "structured": collected.structured, "transactions": collected.transactions,
            "denied": collected.denied,
        });
        terminal::print_document(&document);
    }
    if let Some(why) = error {
        terminal::tell(&terminal::report::diagnostics(&[Diagnostic::error(RUN_FAILED, why.clone())]));
    }
    match ended {
        Ended::Done if collected.denied.is_empty() => 0,
        Ended::Done | Ended::Failed(_) => 1,
        Ended::Limit(_) => LIMIT,
        Ended::Aborted => INTERRUPTED,
    }
}

const RUN_FAILED: relay_diagnostics::Code = relay_diagnostics::Code::new("run-failed");

/// Records what the model says.
#[expect(clippy::disallowed_methods, reason = "a file named on the command line is the user's own")]
fn record(asker: Arc<dyn Asker>, path: &Path) -> Result<Arc<dyn Asker>, Failure> {
    let failed = |error: std::io::Error| {
        let message = format!("--record {}: {error}", path.display());
        Failure::usage(Diagnostic::error(BAD_USAGE, message))
    };
    let file = std::fs::File::create(path).map_err(failed)?;
    Ok(Arc::new(Recorder::new(asker, Box::new(file)).map_err(failed)?))
}

fn schema(path: &Path) -> Result<OutputSchema, Failure> {
    let failed = |why: String| {
        Failure::usage(Diagnostic::error(BAD_USAGE, format!("--schema {}: {why}", path.display())))
    };
    let text = agent::text(path).map_err(|error| failed(error.to_string()))?;
    let schema: Value = serde_json::from_str(&text).map_err(|error| failed(error.to_string()))?;
    jsonschema::validator_for(&schema).map_err(|error| failed(error.to_string()))?;
    Ok(OutputSchema { name: "answer".to_owned(), schema })
}
