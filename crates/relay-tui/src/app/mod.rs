//! The application: one model, changed by [`App::update`], drawn by [`App::frame`]. No I/O.
//!
//! `update` takes what happened and the time, and returns what is to be done outside. The same inputs give the same outputs, so
//! that whole sessions can be played in tests.

mod actions;
mod draw;
mod frames;
mod history;
mod session;
mod settings;
mod submit;
mod themes;

use serde_json::{Value, json};

pub use session::{Editing, Git, Run, Session};
use themes::ThemeFiles;

use crate::commands::Remote;
use crate::complete::Completion;
use crate::conversation::{Block, Conversation, Level};
use crate::editor::Editor;
use crate::input::{Input, Report};
use crate::keymap::Keymap;
use crate::output::Output;
use crate::overlay::{Overlay, Step, Wish};
use crate::panels::Panels;
use crate::picture::Protocol;
use crate::status::Status;
use crate::theme::{Theme, Token};
use crate::view::{CodeColors, View};

/// How often a spinner turns.
const SPINNER_MS: u64 = 80;

/// Who has not touched a key for this long looks elsewhere, as far as is known.
const AWAY_MS: u64 = 15_000;

/// What the user's settings say about the interface.
#[derive(Clone, Debug)]
pub struct Options {
    /// Thinking is shown.
    pub shows_thinking: bool,
    /// What twice Esc on an empty editor does: `tree`, `branch` or `none`.
    pub double_escape: String,
    /// Rows of completion.
    pub completion_rows: usize,
    /// Emoji are completed.
    pub emoji: bool,
    /// Tell the person who looked away that an answer is complete.
    pub notifies: bool,
    /// Tell them that a question waits.
    pub notifies_of_questions: bool,
    /// Tokens and cost are shown after each run.
    pub shows_usage: bool,
    /// The whole screen is taken.
    pub is_full: bool,
    /// The themes for a dark and for a light background.
    pub themes: [String; 2],
    /// Colours do not rely on red and green.
    pub is_color_blind: bool,
    /// Signs that the settings choose, whatever the theme says.
    pub preset: Option<crate::theme::Preset>,
    /// The filter that the tree begins with.
    pub tree_filter: String,
    /// A summary of a branch is offered when it is left.
    pub offers_summary: bool,
    /// Nothing is said before the first prompt.
    pub is_quiet: bool,
    /// How pictures are shown.
    pub images: crate::picture::Limits,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            shows_thinking: true,
            double_escape: "tree".to_owned(),
            completion_rows: 5,
            emoji: true,
            notifies: true,
            notifies_of_questions: true,
            shows_usage: true,
            is_full: false,
            themes: ["red-claw".to_owned(), "blue-crab".to_owned()],
            is_color_blind: false,
            preset: None,
            tree_filter: "default".to_owned(),
            offers_summary: false,
            is_quiet: false,
            images: crate::picture::Limits::default(),
        }
    }
}

/// The interface.
pub struct App {
    /// The conversation.
    pub conversation: Conversation,
    /// The editor.
    pub editor: Editor,
    /// What is known about the agent.
    pub session: Session,
    /// What the agent is doing.
    pub run: Run,
    /// Colours and signs.
    pub theme: Theme,
    /// Which key does what.
    pub keymap: Keymap,
    /// The user's settings.
    pub options: Options,
    /// What the status line shows.
    pub status: Status,
    /// The todo list and the jobs.
    pub panels: Panels,
    /// Slash commands that the agent knows.
    pub remote: Remote,
    pub(crate) completion: Option<Completion>,
    overlays: Vec<Box<dyn Overlay>>,
    code: CodeColors,
    screen: Screen,
    outputs: Vec<Output>,
}

/// The terminal, and the person in front of it.
#[derive(Clone, Debug)]
struct Screen {
    width: u16,
    height: u16,
    now_ms: u64,
    attention: Attention,
    /// When Esc or Ctrl+C was pressed last.
    escaped: Option<u64>,
    cleared: Option<u64>,
    /// Commands get numbers, so that answers can be told apart.
    requests: u64,
    /// What to say once the agent is ready.
    unsent: Vec<Value>,
    title: String,
    has_kitty_keys: bool,
    /// The number of the question for the user's keybindings.
    keys_request: u64,
    /// Theme files that were asked for, or are watched.
    themes: ThemeFiles,
}

/// What is known about where the person looks.
#[derive(Clone, Copy, Debug)]
struct Attention {
    is_focused: bool,
    /// The terminal says when it loses the focus.
    is_reported: bool,
    /// When the person did something last.
    acted_ms: u64,
}

impl Default for Attention {
    fn default() -> Self {
        Self { is_focused: true, is_reported: false, acted_ms: 0 }
    }
}

impl Attention {
    /// Whether the person looks elsewhere. A terminal that does not say so is taken to be left alone after a while.
    fn is_away(self, now_ms: u64) -> bool {
        match self.is_reported {
            true => !self.is_focused,
            false => now_ms.saturating_sub(self.acted_ms) >= AWAY_MS,
        }
    }
}

impl App {
    /// An interface for a terminal of this size.
    #[must_use]
    pub fn new(width: u16, height: u16) -> Self {
        let screen = Screen {
            width,
            height,
            now_ms: 0,
            attention: Attention::default(),
            escaped: None,
            cleared: None,
            requests: 0,
            unsent: Vec::new(),
            title: String::new(),
            has_kitty_keys: false,
            keys_request: 0,
            themes: ThemeFiles::default(),
        };
        Self {
            conversation: Conversation::default(),
            editor: Editor::default(),
            session: Session::default(),
            run: Run::default(),
            theme: Theme::default(),
            keymap: Keymap::default(),
            options: Options::default(),
            status: Status::default(),
            panels: Panels::default(),
            remote: Remote::default(),
            completion: None,
            overlays: Vec::new(),
            code: CodeColors::default(),
            screen,
            outputs: Vec::new(),
        }
    }

    /// Something happened at this moment, in milliseconds since the start. Returns what is to be done.
    pub fn update(&mut self, now_ms: u64, input: Input) -> Vec<Output> {
        self.screen.now_ms = now_ms;
        if matches!(input, Input::Key(_) | Input::Paste(_) | Input::Scroll(_)) {
            self.screen.attention.acted_ms = now_ms;
        }
        match input {
            Input::Key(key) => self.key(&key),
            Input::Paste(text) => self.paste(&text),
            Input::Scroll(_) => {}
            Input::Resize(width, height) => (self.screen.width, self.screen.height) = (width, height),
            Input::Focus(is_focused) => {
                (self.screen.attention.is_focused, self.screen.attention.is_reported) = (is_focused, true);
            }
            Input::Tick => self.tick(),
            Input::Frame(frame) => self.take_frame(&frame),
            Input::Report(report) => self.take_report(report),
            Input::Edited(text) => self.take_edited(&text),
            Input::Image(image) => self.editor.images.push(image),
            Input::Highlighted(highlighted) => self.code.learn(highlighted),
            Input::Notice(is_failure, text) => {
                self.notice(if is_failure { Level::Error } else { Level::Info }, &text);
            }
        }
        self.retitle();
        let wanted = self.code.take_wanted();
        self.outputs.extend(wanted.into_iter().map(Output::Highlight));
        std::mem::take(&mut self.outputs)
    }

    /// Colours that were found wanting while drawing.
    pub fn take_wanted(&mut self) -> Vec<Output> {
        self.code.take_wanted().into_iter().map(Output::Highlight).collect()
    }

    /// When [`Input::Tick`] is wanted next, in milliseconds; `None` as long as nothing moves by itself.
    #[must_use]
    pub fn next_tick(&self) -> Option<u64> {
        let spinner =
            (self.is_busy() || self.conversation.is_held() || self.panels.is_moving()).then_some(SPINNER_MS);
        let overlay = self.overlays.last().and_then(|overlay| overlay.next_tick());
        let faded = self.panels.next_change(self.screen.now_ms);
        let look = self.screen.themes.next_look(self.screen.now_ms);
        // The hint that a second press quits goes away by itself.
        let quit = self.screen.cleared.filter(|_| self.is_about_to_quit());
        let quit = quit.map(|at| (at + actions::TWICE_MS + 1).saturating_sub(self.screen.now_ms));
        [spinner, overlay, faded, look, quit].into_iter().flatten().min()
    }

    /// Whether the agent works, or a command of the person's own runs.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.run.since.is_some() || self.has_shell()
    }

    fn has_shell(&self) -> bool {
        self.conversation
            .blocks()
            .last()
            .is_some_and(|block| matches!(block, Block::Shell { exit: None, .. }))
    }

    fn tick(&mut self) {
        let now = self.screen.now_ms;
        if let Some(overlay) = self.overlays.last_mut() {
            let step = overlay.tick(now);
            self.take_step(step);
        }
        self.panels.tick(now);
        self.look_at_theme();
    }

    fn take_report(&mut self, report: Report) {
        let dark = match report {
            Report::Dark(is_dark) => is_dark,
            Report::KittyKeys => {
                self.screen.has_kitty_keys = true;
                return;
            }
            Report::Focus => {
                self.screen.attention.is_reported = true;
                return;
            }
            Report::KittyImages => {
                let images = &mut self.options.images;
                if images.protocol == Protocol::None && !images.is_multiplexed {
                    images.protocol = Protocol::Kitty;
                }
                return;
            }
            Report::Background(red, green, blue) => {
                // How bright it looks: the weights of the standard for television.
                (u32::from(red) * 299 + u32::from(green) * 587 + u32::from(blue) * 114) / 1000 < 128
            }
            Report::Done { has_sixel } => {
                let images = &mut self.options.images;
                if has_sixel && images.protocol == Protocol::None && !images.is_multiplexed {
                    images.protocol = Protocol::Sixel;
                }
                return;
            }
        };
        if self.status.is_dark.replace(dark) != Some(dark) {
            self.use_theme();
        }
    }

    /// What widgets draw with.
    #[must_use]
    pub fn view(&self) -> View<'_> {
        View {
            theme: &self.theme,
            keys: &self.keymap,
            width: usize::from(self.screen.width),
            height: usize::from(self.screen.height),
            now_ms: self.screen.now_ms,
            frame: self.frame_color(),
            code: &self.code,
            is_expanded: false,
            shows_thinking: self.options.shows_thinking,
            pictures: self.options.images,
            is_growing: false,
        }
    }

    /// The editor's frame has the colour of how hard the model thinks.
    fn frame_color(&self) -> Token {
        match self.session.thinking.as_str() {
            "minimal" => Token::ThinkingMinimal,
            "low" => Token::ThinkingLow,
            "medium" => Token::ThinkingMedium,
            "high" => Token::ThinkingHigh,
            "max" | "xhigh" => Token::ThinkingXhigh,
            _ => Token::ThinkingOff,
        }
    }

    /// Sends a command to the agent; before it is ready, it waits.
    pub fn send(&mut self, command: Value) {
        self.request(command);
    }

    /// Sends a command, and returns the number that its answer will have.
    pub fn request(&mut self, mut command: Value) -> u64 {
        if let Some(fields) = command.as_object_mut()
            && fields.get("type").and_then(Value::as_str) != Some("extension_ui_response")
        {
            self.screen.requests += 1;
            fields.insert("id".to_owned(), self.screen.requests.into());
        }
        // What asks before the agent is there, such as whether a folder is trusted, is answered at once.
        let is_answer = command.get("type").and_then(Value::as_str) == Some("extension_ui_response");
        if self.session.is_ready || is_answer {
            self.outputs.push(Output::Rpc(command));
        } else {
            self.screen.unsent.push(command);
        }
        self.screen.requests
    }

    /// Sends a command that has no fields.
    pub fn ask(&mut self, kind: &str) {
        self.send(json!({ "type": kind }));
    }

    /// Asks for something outside.
    pub fn push_output(&mut self, output: Output) {
        self.outputs.push(output);
    }

    /// Shows something that the person should know.
    pub fn notice(&mut self, level: Level, text: &str) {
        // A failure may arrive both as the end of a run and as the answer to a prompt.
        let last = self.conversation.blocks().last();
        let is_said =
            level == Level::Error && matches!(last, Some(Block::Notice(Level::Error, said)) if said == text);
        if !is_said {
            self.conversation.push(Block::Notice(level, text.to_owned()));
        }
    }

    /// Whether the terminal reports keys in the Kitty protocol.
    #[must_use]
    pub fn has_kitty_keys(&self) -> bool {
        self.screen.has_kitty_keys
    }

    /// Opens an overlay.
    pub fn open(&mut self, mut overlay: Box<dyn Overlay>) {
        self.completion = None;
        let wishes = overlay.opened();
        self.overlays.push(overlay);
        self.grant(wishes);
    }

    /// Whether an overlay is open.
    #[must_use]
    pub fn has_overlay(&self) -> bool {
        !self.overlays.is_empty()
    }

    fn take_step(&mut self, step: Step) {
        match step {
            Step::Stay => {}
            Step::Close => drop(self.overlays.pop()),
            Step::Do(wishes) => self.grant(wishes),
            Step::Finish(wishes) => {
                self.overlays.pop();
                self.grant(wishes);
            }
        }
    }

    fn grant(&mut self, wishes: Vec<Wish>) {
        for wish in wishes {
            match wish {
                Wish::Rpc(command) => self.send(command),
                Wish::Output(output) => self.outputs.push(output),
                Wish::Editor(text) => self.editor.set(&text),
                Wish::Slash(line) => self.slash(&line),
                Wish::Notice(level, text) => self.notice(level, &text),
                Wish::Open(overlay) => self.open(overlay),
                Wish::Jobs(jobs) => self.panels.take_data("jobs", &jobs, self.screen.now_ms),
                Wish::Settings(settings) => self.take_settings(&settings),
                Wish::Theme(Some(theme)) => self.preview_theme(*theme),
                Wish::ThemeFile(name) => self.preview_theme_file(&name),
                Wish::Theme(None) => self.use_theme(),
                Wish::Reload => self.reload(),
            }
        }
    }

    /// Reads the conversation again, for another session or another place in it.
    pub fn reload(&mut self) {
        self.conversation.clear();
        self.panels.clear();
        self.outputs.push(Output::Clear);
        self.ask("get_state");
        self.ask("get_messages");
        self.ask("get_session_stats");
        self.ask("get_todos");
    }

    /// The window's title says which project, and whether the agent works.
    fn retitle(&mut self) {
        let place = self.session.cwd.rsplit('/').next().unwrap_or_default();
        let name = self.session.name.as_deref().unwrap_or(place);
        let sign = if self.overlays.last().is_some_and(|overlay| overlay.request().is_some()) {
            "? "
        } else if self.run.since.is_some() {
            "… "
        } else {
            ""
        };
        let title = format!("{sign}relay · {}", crate::text::clean_line(name));
        if title != self.screen.title {
            self.screen.title.clone_from(&title);
            self.outputs.push(Output::Title(title));
        }
    }
}
