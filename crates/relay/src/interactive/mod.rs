//! The terminal interface, wired up: keys, the agent, signals and highlighting arrive through one channel, and frames go
//! out.
//!
//! The first frame is drawn before the agent opens on a separate thread; keys typed meanwhile are queued.

mod agent;
mod appearance;
mod background;
mod effects;
mod fork;
mod pictures;
mod setup;
mod surroundings;
mod trust;

use std::collections::BTreeSet;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use relay_tui::conversation::Highlight;
use relay_tui::picture::{Protocol, is_multiplexed};
use relay_tui::render::{Abilities, Depth};
use relay_tui::tty::{self, Tty};
use relay_tui::{App, Input, Output, Renderer};
use serde_json::json;

use crate::cli::InteractiveArgs;
use crate::failure::{BAD_USAGE, Failure};
use crate::signals;
use crate::terminal::notes_to;
use crate::terminal::style::is_dark;
use agent::{Agent, Front};
use pictures::Pictures;
use relay_diagnostics::Diagnostic;

/// The time between frames, unless a key was pressed.
const FRAME: Duration = Duration::from_millis(25);
/// How many inputs are taken from the channel before a frame is drawn.
const BATCH: usize = 4096;

/// Whether the interface can run in this terminal.
pub fn is_possible() -> bool {
    let is_dumb = std::env::var_os("TERM").is_some_and(|name| name == "dumb");
    std::io::stdin().is_terminal() && std::io::stdout().is_terminal() && !is_dumb
}

/// Opens the interface, and returns its exit code.
pub fn run(root: Option<&Path>, args: InteractiveArgs, offline: bool) -> Result<u8, Failure> {
    if !is_possible() {
        let message = "this needs a terminal";
        return Err(Failure::usage(
            Diagnostic::error(BAD_USAGE, message).hinted("`relay run PROMPT` works without one."),
        ));
    }
    let broken = |error: std::io::Error| Failure::environment(&error);
    let (inputs, arriving) = channel();
    let size = Tty::size();
    let mut app = App::new(size.0, size.1);
    app.options.is_full = args.full_screen;
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    app.options.images.protocol = Protocol::detect(variable);
    app.options.images.is_multiplexed = is_multiplexed(&variable);
    let asks = std::env::var_os("RELAY_TUI_QUIET").is_none();
    restore_after_panics();
    let tty = Tty::open(inputs.clone(), asks).map_err(broken)?;
    listen_to_signals(&inputs).map_err(broken)?;
    take_notes(inputs.clone());
    let highlighter = highlighter(inputs.clone());
    let renderer = Renderer::new(abilities(), size.0, size.1);
    let mut screen = Screen {
        app,
        tty,
        renderer,
        inputs,
        highlighter,
        started: Instant::now(),
        agent: None,
        pictures: Pictures::default(),
        clears_on_shrink: false,
        root: root.map(Path::to_owned),
    };
    let prompt = args.prompt.join(" ");
    let chooses = args.resume.as_deref() == Some("");
    if let Some(dark) = std::env::var("COLORFGBG").ok().and_then(|colors| is_dark(&colors)) {
        screen.take(Input::Report(relay_tui::input::Report::Dark(dark)));
    }
    screen.take(Input::Frame(surroundings::folder(root)));
    screen.draw().map_err(broken)?;
    surroundings::look(screen.root.clone(), screen.inputs.clone());
    appearance::follow(screen.inputs.clone());
    screen.pictures.follow(screen.app.options.images);
    let front = Front { inputs: screen.inputs.clone(), pictures: screen.pictures.clone() };
    screen.agent = Some(Agent::start(root, args, offline, front));
    if chooses {
        screen.app.open(Box::new(relay_tui::overlay::Sessions::at_start()));
    }
    if !prompt.trim().is_empty() {
        screen.app.say(&prompt, false);
    }
    let code = screen.run(&arriving);
    screen.close();
    Ok(code)
}

/// Notes about the user's files are shown in the conversation, each once.
fn take_notes(inputs: Sender<Input>) {
    let said: Mutex<BTreeSet<String>> = Mutex::default();
    notes_to(move |text| {
        if said.lock().unwrap_or_else(PoisonError::into_inner).insert(text.to_owned()) {
            // Whoever closed the interface needs no note.
            drop(inputs.send(Input::Notice(false, text.to_owned())));
        }
    });
}

/// A panic anywhere gives the terminal back before it says what happened.
fn restore_after_panics() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        tty::restore();
        before(panic);
    }));
}

fn abilities() -> Abilities {
    let variable = |name: &str| std::env::var(name).ok();
    let term = variable("TERM").unwrap_or_default();
    let is_screen = term.starts_with("screen") && std::env::var_os("TMUX").is_none();
    Abilities {
        depth: Depth::detect(variable),
        links: !is_screen && term != "linux",
        clears_in_color: !is_screen,
    }
}

fn listen_to_signals(inputs: &Sender<Input>) -> std::io::Result<()> {
    let resized = inputs.clone();
    signals::on_resume(move || {
        let (width, height) = Tty::size();
        // If the receiver is gone, there is nothing to resize.
        drop(resized.send(Input::Resize(width, height)));
    })?;
    let stopped = inputs.clone();
    signals::on_stop(move || drop(stopped.send(Input::Frame(json!({ "type": "stop" })))))
}

/// Highlights code on a separate thread.
fn highlighter(inputs: Sender<Input>) -> Sender<Highlight> {
    let (wanted, jobs) = channel::<Highlight>();
    thread::spawn(move || {
        while let Ok(job) = jobs.recv() {
            if inputs.send(Input::Highlighted(job.work())).is_err() {
                return;
            }
        }
    });
    wanted
}

/// The state of the loop.
struct Screen {
    app: App,
    tty: Tty,
    renderer: Renderer,
    inputs: Sender<Input>,
    highlighter: Sender<Highlight>,
    started: Instant,
    agent: Option<Agent>,
    pictures: Pictures,
    /// Everything is drawn again when there is less to draw than before.
    clears_on_shrink: bool,
    root: Option<PathBuf>,
}

/// What to do after a batch of inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// Go on.
    On,
    /// The terminal was resized.
    Resized,
    /// Give the terminal back to the shell.
    Background,
    /// The end.
    Quit(u8),
}

impl Screen {
    fn now(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Handles inputs and draws frames until the end.
    fn run(&mut self, arriving: &Receiver<Input>) -> u8 {
        let mut drawn = Instant::now();
        let mut is_due = true;
        loop {
            let until_frame = is_due.then(|| FRAME.saturating_sub(drawn.elapsed()));
            let until_tick = self.app.next_tick().map(Duration::from_millis);
            let first = match [until_frame, until_tick].into_iter().flatten().min() {
                Some(wait) => arriving.recv_timeout(wait),
                None => arriving.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            let input = match first {
                Ok(input) => input,
                Err(RecvTimeoutError::Timeout) => Input::Tick,
                Err(RecvTimeoutError::Disconnected) => return 0,
            };
            let mut is_urgent = is_persons(&input);
            let mut next = self.take(input);
            for input in arriving.try_iter().take(BATCH) {
                is_urgent |= is_persons(&input);
                let more = self.take(input);
                if more != Next::On {
                    next = more;
                }
                if matches!(next, Next::Quit(_)) {
                    break;
                }
            }
            let shown = match next {
                Next::Quit(code) => return code,
                Next::Background => match self.background(arriving) {
                    Some(code) => return code,
                    None => self.redraw(),
                },
                Next::Resized => self.redraw(),
                Next::On if is_urgent || drawn.elapsed() >= FRAME => self.draw(),
                Next::On => {
                    is_due = true;
                    continue;
                }
            };
            // A terminal that is gone shows nothing more.
            if shown.is_err() {
                return 129;
            }
            drawn = Instant::now();
            is_due = false;
        }
    }

    /// Handles one input.
    fn take(&mut self, input: Input) -> Next {
        if let Input::Frame(frame) = &input
            && frame.get("type").is_some_and(|kind| kind == "stop")
        {
            let code = frame.get("code").and_then(serde_json::Value::as_u64);
            return Next::Quit(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(130));
        }
        let mut next = match &input {
            Input::Resize(..) => Next::Resized,
            Input::Report(relay_tui::input::Report::Done { .. }) if !self.app.has_kitty_keys() => {
                // A terminal that is gone shows nothing more, and the next frame notices.
                drop(self.tty.write(tty::OTHER_KEYS.as_bytes()));
                Next::On
            }
            _ => Next::On,
        };
        let now = self.now();
        // Only these change what the terminal is known to show.
        let is_about_pictures = matches!(&input, Input::Report(_) | Input::Resize(..) | Input::Frame(_));
        let outputs = self.app.update(now, input);
        if is_about_pictures {
            self.pictures.follow(self.app.options.images);
        }
        for output in outputs {
            let then = self.perform(output);
            if then != Next::On {
                next = then;
            }
        }
        next
    }

    fn draw(&mut self) -> std::io::Result<()> {
        let frame = self.app.frame();
        self.ask_for_colors();
        // What has just been finished takes the room of what is gone.
        let has_shrunk =
            self.clears_on_shrink && frame.done.is_empty() && frame.live.len() < self.renderer.live_rows();
        if (self.renderer.is_stale() || has_shrunk) && !frame.is_full {
            return self.redraw_with(frame);
        }
        let bytes = self.renderer.draw(frame);
        if bytes.is_empty() { Ok(()) } else { self.tty.write(&bytes) }
    }

    /// Redraws everything visible.
    fn redraw(&mut self) -> std::io::Result<()> {
        let frame = self.app.frame();
        self.ask_for_colors();
        self.redraw_with(frame)
    }

    fn redraw_with(&mut self, mut frame: relay_tui::Frame) -> std::io::Result<()> {
        let (width, height) = Tty::size();
        // Lines that were just finished belong to the scrollback.
        frame.done.clear();
        let (above, all) = self.app.above(usize::from(height));
        let bytes = self.renderer.resize(width, height, &above, all, frame);
        self.tty.write(&bytes)
    }

    fn ask_for_colors(&mut self) {
        for output in self.app.take_wanted() {
            if let Output::Highlight(job) = output {
                // Without the thread, code is not highlighted.
                drop(self.highlighter.send(job));
            }
        }
    }

    /// Restores the terminal, with the conversation above the shell's next prompt.
    fn close(mut self) {
        let bytes = self.renderer.leave(0);
        drop(self.tty.write(&bytes));
        drop(self.tty);
        if let Some(agent) = self.agent.take() {
            agent.end();
        }
    }
}

/// Whether an input must be shown at once because a person caused it.
fn is_persons(input: &Input) -> bool {
    matches!(input, Input::Key(_) | Input::Paste(_) | Input::Edited(_) | Input::Scroll(_))
}
