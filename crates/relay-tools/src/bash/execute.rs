//! One command under way: on a thread of its own, captured, with its output in a sink that others may look at.
//!
//! The thread does not know whether anyone still waits. A call that goes on in the background changes who waits, not what
//! runs: the capture closes when the command ends, whenever that is.

use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use relay_agent::jobs::{Jobs, NewJob, Running};
use relay_agent::policy::{Level, Permit};
use relay_agent::tool::{Call, Console, Facts, Landing, Output, Services, ToolError};
use relay_diagnostics::Cancel;
use relay_engine::{Attended, TrustAnswer, Unobserved, attend, group};
use relay_exec::{End, Pty, PtySize, Ran, Start, Turn};
use serde_json::json;

use super::finish::{Finish, NOT_STARTED};
use super::minimise::{Choice, Filter, filter_for};
use super::prepare::Prepared;
use super::shells::{Shells, around, git, rules};
use super::{destroyed, scratch};
use crate::sink::{Limits, Sink};

/// How many pieces of output may wait for whoever follows a command in the background.
const WAITING_PIECES: usize = 64;
/// How often the background looks whether a command has ended or shall end.
const TICK: Duration = Duration::from_millis(20);
/// How much output is shortened at most.
const CAPTURE_BYTES: f64 = 4_194_304.0;

/// A command that can be started.
pub struct Execution {
    services: Services,
    facts: Facts,
    id: String,
    permit: Permit,
    prepared: Prepared,
    shells: Arc<Mutex<Shells>>,
    /// Leaves the session's shell to others.
    is_aside: bool,
    in_terminal: bool,
    stop: Cancel,
    live: Arc<Mutex<Live>>,
}

/// What can be seen of a command while it runs.
struct Live {
    sink: Option<Sink>,
    /// Gets every piece, once someone follows.
    tap: Option<SyncSender<String>>,
    /// The text so far, where it may be shortened.
    captured: Option<String>,
    capture_limit: usize,
}

impl Live {
    fn push(&mut self, bytes: &[u8]) {
        let Some(sink) = &mut self.sink else { return };
        let text = sink.push(bytes);
        if let Some(captured) = &mut self.captured {
            if captured.len() + text.len() > self.capture_limit {
                self.captured = None;
            } else {
                captured.push_str(&text);
            }
        }
        // Whoever follows reads on, or has gone.
        if self.tap.as_ref().is_some_and(|tap| tap.send(text).is_err()) {
            self.tap = None;
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Execution {
    /// A command of a call, in the session's shell.
    pub fn new(call: &Call<'_>, prepared: Prepared, shells: Arc<Mutex<Shells>>) -> Self {
        let services = call.services;
        let filter = filter_of(services, &prepared.command);
        let sink = Sink::new(Limits::of(services), "bash", services.artifacts.clone());
        let capture_limit =
            services.number("shellMinimizer.maxCaptureBytes", CAPTURE_BYTES).max(0.0) as usize;
        let live =
            Live { sink: Some(sink), tap: None, captured: filter.map(|_| String::new()), capture_limit };
        let mut services = services.clone();
        services.temp = scratch(call);
        Self {
            services,
            facts: call.facts.clone(),
            id: call.id.to_owned(),
            permit: call.permit,
            prepared,
            shells,
            is_aside: false,
            in_terminal: false,
            stop: Cancel::new(),
            live: Arc::new(Mutex::new(live)),
        }
    }

    /// In a shell of its own, so that the session's shell is free.
    pub fn aside(mut self) -> Self {
        self.is_aside = true;
        self
    }

    /// In a terminal of its own.
    pub fn in_terminal(mut self) -> Self {
        self.in_terminal = true;
        self
    }

    /// With another permit than the call's.
    pub fn permitted(mut self, permit: Permit) -> Self {
        self.permit = permit;
        self
    }

    /// Starts it.
    pub fn start(self) -> Handle {
        let (tell, done) = channel();
        let (live, stop) = (Arc::clone(&self.live), self.stop.clone());
        std::thread::spawn(move || {
            // Whoever waited may have gone with the session.
            tell.send(self.run()).ok();
        });
        Handle { done, live, stop, started: Instant::now() }
    }

    /// Runs it between two looks at the workspace.
    fn run(self) -> Result<Output, ToolError> {
        let engine = Arc::clone(&self.services.engine);
        let group = group::of_call(&self.services.session, &self.facts.turn, &self.id);
        let folder =
            self.prepared.cwd.clone().or_else(|| locked(&self.shells).folder(&self.services.session));
        let folder = folder.unwrap_or_else(|| engine.workspace().root().to_owned());
        let ignored = destroyed::ignored(&self.prepared.command, &folder, engine.workspace());
        let attended = Attended {
            channel: "agent",
            reason: &self.prepared.command,
            model: Some(&self.facts.model),
            trust: TrustAnswer::default(),
            allow_sensitive: false,
            group: Some(&group),
            may_write: true,
            ignored: &ignored,
        };
        let mut ran: Option<(Ran, Vec<String>)> = None;
        let mut work = || {
            let guarded = self.permit.confined.then(|| locked(&self.shells).guard(&engine));
            let done = self.command();
            let restored = guarded.map(|guarded| guarded.restore()).unwrap_or_default();
            ran = Some((done, restored));
            false
        };
        let mut approver = Landing::new(Level::Auto, &self.services);
        let outcome = attend(&engine, &attended, &mut work, &mut approver, &mut Unobserved);
        let Some((ran, restored)) = ran else { return Err(ToolError::Failed(Landing::report(&outcome))) };
        let (sink, captured) = {
            let mut live = locked(&self.live);
            live.tap = None;
            (live.sink.take(), live.captured.take())
        };
        let shortened = captured.and_then(|text| {
            let filter = filter_of(&self.services, &self.prepared.command)?;
            let short = filter.apply(&text)?;
            Some((filter.name, short))
        });
        let taken = sink.map(|sink| sink.finish(shortened.is_some())).unwrap_or_default();
        let finish = Finish { prepared: &self.prepared, ran, restored, outcome, taken, shortened };
        Ok(finish.output())
    }

    /// Runs it in a shell.
    fn command(&self) -> Ran {
        if self.in_terminal {
            return self.command_in_terminal();
        }
        let not_started = |why: String| Ran {
            end: End::NotStarted(std::io::Error::other(why)),
            is_kept: true,
            ended: Vec::new(),
            duration: Duration::ZERO,
        };
        let lent = locked(&self.shells).lend(&self.services, self.permit, self.is_aside, &self.stop);
        let mut lent = match lent {
            Ok(lent) => lent,
            Err(why) => return not_started(why),
        };
        let (before, after) = around(self.prepared.cwd.as_deref(), self.prepared.stays, &self.prepared.env);
        let mut take = |bytes: &[u8]| locked(&self.live).push(bytes);
        let ran = lent.session.run(Turn {
            before: &before,
            command: &self.prepared.command,
            after: &after,
            timeout: self.prepared.limit(),
            cancel: &self.stop,
            on_output: &mut take,
        });
        if ran.is_kept {
            locked(&self.shells).give_back(lent);
        }
        ran
    }

    /// Runs it in a terminal of its own.
    fn command_in_terminal(&self) -> Ran {
        let failed = |why: String| Ran {
            end: End::NotStarted(std::io::Error::other(why)),
            is_kept: false,
            ended: Vec::new(),
            duration: Duration::ZERO,
        };
        let rules = match rules(&self.services, self.permit) {
            Ok(rules) => rules,
            Err(why) => return failed(why),
        };
        let folder =
            self.prepared.cwd.clone().or_else(|| locked(&self.shells).folder(&self.services.session));
        let folder = folder.unwrap_or_else(|| self.services.engine.workspace().root().to_owned());
        let program = self.services.text("shellPath", "bash");
        let mut env = git(&self.services, self.services.is_on("bash.gitHooks", false));
        env.extend(self.prepared.env.iter().cloned());
        let start = Start {
            relay: self.services.relay.as_deref(),
            rules,
            program: &program,
            args: &["-c", &self.prepared.command],
            cwd: &folder,
            env: &env,
            without: &[],
        };
        let limit = self.prepared.limit();
        let pty = Pty::new();
        let run = pty.reserve();
        let mut shown = self.services.ui.open_console(&self.prepared.command, Arc::new(Typed(pty)));
        let mut take = |bytes: &[u8]| {
            locked(&self.live).push(bytes);
            if let Some(shown) = &mut shown {
                shown.show(bytes);
            }
        };
        let ran = run.and_then(|run| run.run(&start, PtySize::default(), (limit, &self.stop), &mut take));
        ran.unwrap_or_else(|error| failed(error.to_string()))
    }
}

/// A terminal that a person looks at. What comes for a command that has ended changes nothing.
struct Typed(Pty);

impl Console for Typed {
    fn write(&self, bytes: &[u8]) {
        self.0.write(bytes).ok();
    }

    fn resize(&self, columns: u16, rows: u16) {
        self.0.resize(PtySize { columns, rows }).ok();
    }

    fn kill(&self) {
        self.0.kill().ok();
    }
}

/// The filter that may shorten a command's output.
fn filter_of(services: &Services, command: &str) -> Option<Filter> {
    if !services.is_on("shellMinimizer.enabled", true) {
        return None;
    }
    let list = |key: &str| -> Vec<String> {
        (services.settings)(key).and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default()
    };
    let own = (services.settings)("shellMinimizer.rules");
    let own = own.and_then(|own| serde_json::from_value(own).ok()).unwrap_or_default();
    let choice = Choice { own, only: list("shellMinimizer.only"), except: list("shellMinimizer.except") };
    filter_for(command, &choice)
}

/// A command under way.
pub struct Handle {
    done: Receiver<Result<Output, ToolError>>,
    live: Arc<Mutex<Live>>,
    stop: Cancel,
    started: Instant,
}

impl Handle {
    /// Its result, if it comes within this time.
    pub fn finished(&mut self, wait: Duration) -> Option<Result<Output, ToolError>> {
        match self.done.recv_timeout(wait) {
            Ok(result) => Some(result),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(Err(ToolError::failed(NOT_STARTED))),
        }
    }

    /// Asks it to end.
    pub fn stop(&self) {
        self.stop.cancel();
    }

    /// How long it has been running.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// How much has come, and what is shown of it if that is more than what was seen.
    pub fn so_far(&self, seen: u64) -> (u64, Option<String>) {
        let live = locked(&self.live);
        let bytes = live.sink.as_ref().map_or(0, Sink::bytes);
        let text = live.sink.as_ref().filter(|_| bytes > seen).map(Sink::so_far);
        (bytes, text)
    }

    /// Follows it from here on: what has come so far, and everything that comes.
    fn follow(&self) -> (String, Receiver<String>) {
        let (tap, pieces) = sync_channel(WAITING_PIECES);
        let mut live = locked(&self.live);
        live.tap = Some(tap);
        (live.sink.as_ref().map(Sink::so_far).unwrap_or_default(), pieces)
    }
}

/// A command under way, as the work of a job.
pub struct Work {
    handle: Handle,
    so_far: String,
    pieces: Receiver<String>,
}

impl Work {
    /// Follows a command to its end: what it came to, or why it failed. `output` gets every piece, in order, neither cut
    /// nor shortened. A job that is cancelled cancels its command.
    pub fn run(mut self, running: &Running, output: &dyn Fn(&str)) -> Result<String, String> {
        output(&self.so_far);
        loop {
            match self.pieces.recv_timeout(TICK) {
                Ok(piece) => output(&piece),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => std::thread::sleep(TICK),
            }
            if running.cancel().is_cancelled() {
                self.handle.stop();
            }
            if let Some(finished) = self.handle.finished(Duration::ZERO) {
                self.pieces.try_iter().for_each(|piece| output(&piece));
                return match finished {
                    Ok(output) if output.is_error => Err(output.plain_text()),
                    Ok(output) => Ok(output.plain_text()),
                    Err(error) => Err(error.to_string()),
                };
            }
        }
    }
}

/// Makes a command under way a job that `follow` attends to, and says its id.
pub fn become_job(
    handle: Handle,
    jobs: &Jobs,
    label: String,
    follow: impl FnOnce(&Running, Work) -> Result<String, String> + Send + 'static,
) -> Result<String, ToolError> {
    let (so_far, pieces) = handle.follow();
    let stop = handle.stop.clone();
    let work = Work { handle, so_far, pieces };
    jobs.start(NewJob::bash(label), move |running| follow(running, work)).map_err(|refused| {
        stop.cancel();
        ToolError::Failed(refused.to_string())
    })
}

/// Hands a command under way to the job manager, and says so to the model.
pub fn hand_over(handle: Handle, jobs: &Jobs, label: &str) -> Result<Output, ToolError> {
    let follow = |running: &Running, work: Work| work.run(running, &|piece| running.append(piece));
    let id = become_job(handle, jobs, label.to_owned(), follow)?;
    let text = format!(
        "Background job {id} started: {label}\nIts result comes by itself when it has ended; `job` waits for it or cancels it."
    );
    let details = json!({ "async": { "state": "running", "jobId": id, "type": "bash" } });
    Ok(Output::text(text).with_details(details))
}
