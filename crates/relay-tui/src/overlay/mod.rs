//! Screens over the editor: selectors, dialogs, viewers.
//!
//! An overlay takes every key while it is on top. It returns a [`Step`]: stay, close, or ask the application for something (a
//! [`Wish`]). Answers of the agent reach it through [`Overlay::response`]. Its last line names the way out.
//!
//! To add one: a file here with a struct that implements [`Overlay`], most often around a [`List`]; open it from a slash command
//! in `commands/` or from an action in `app/actions.rs`.

mod branches;
mod choice;
mod console;
mod dialog;
mod field;
mod fuzzy;
mod jobs;
mod ledger;
mod list;
mod log;
mod menu;
mod models;
mod pages;
mod secret;
mod sessions;
mod settings;
mod setup;
mod themes;
mod tree;
mod viewer;

pub use branches::Branches;
pub use choice::Choice;
pub use console::Console;
pub use dialog::Dialog;
pub use fuzzy::{Match, score};
pub use jobs::Jobs;
pub use ledger::Ledger;
pub use list::{Entry, List, ListKey};
pub use log::Log;
pub use menu::Menu;
pub use models::Models;
pub use pages::Pages;
pub use secret::Secret;
pub use sessions::Sessions;
pub use settings::Settings;
pub use setup::Setup;
pub use themes::Themes;
pub use tree::Tree;
pub use viewer::Viewer;

use serde_json::Value;

use crate::conversation::{Conversation, Level};
use crate::input::Key;
use crate::output::Output;
use crate::text::Line;
use crate::theme::Theme;
use crate::view::View;

/// What an overlay wants of the application.
pub enum Wish {
    /// A command to the agent; the answer comes to the overlay if it is still open, else to the application.
    Rpc(Value),
    /// A request to the terminal.
    Output(Output),
    /// This text in the editor, in place of what is there.
    Editor(String),
    /// A slash command, as if it were typed.
    Slash(String),
    /// Something the person should know.
    Notice(Level, String),
    /// Another overlay on top.
    Open(Box<dyn Overlay>),
    /// The jobs as the agent lists them.
    Jobs(Value),
    /// Settings that the interface may go by.
    Settings(Value),
    /// Another theme, at once; `None` for the one that the settings name.
    Theme(Option<Box<Theme>>),
    /// A theme of the user's own, as soon as its file is read. One that cannot be used changes nothing.
    ThemeFile(String),
    /// The conversation as the agent has it now: after a move in the tree, or another session.
    Reload,
}

/// What becomes of an overlay after a key.
pub enum Step {
    /// It stays.
    Stay,
    /// It closes.
    Close,
    /// It stays, and wants something.
    Do(Vec<Wish>),
    /// It closes, and wants something.
    Finish(Vec<Wish>),
}

impl Step {
    /// Closes, and wants one thing.
    #[must_use]
    pub fn finish(wish: Wish) -> Self {
        Self::Finish(vec![wish])
    }

    /// Stays, and wants one thing.
    #[must_use]
    pub fn want(wish: Wish) -> Self {
        Self::Do(vec![wish])
    }
}

/// A screen over the editor.
pub trait Overlay {
    /// Its lines: at most `view.height` of them. Drawn in place of the editor.
    fn lines(&self, view: &View<'_>, conversation: &Conversation) -> Vec<Line>;

    /// Row and column of the caret in those lines, if it has one.
    fn cursor(&self, _view: &View<'_>) -> Option<(usize, usize)> {
        None
    }

    /// A key was pressed.
    fn key(&mut self, key: &Key, view: &View<'_>) -> Step;

    /// Text was pasted.
    fn paste(&mut self, _text: &str) -> Step {
        Step::Stay
    }

    /// The agent answered a command. `None` if this was not for it.
    fn response(&mut self, _command: &str, _answer: Result<&Value, &str>) -> Option<Step> {
        None
    }

    /// Something happened that may be its own, such as output of the program that it shows.
    fn event(&mut self, _frame: &Value) {}

    /// It takes the whole screen.
    fn is_full(&self) -> bool {
        false
    }

    /// The request of the agent that it answers, if it does.
    fn request(&self) -> Option<&str> {
        None
    }

    /// When it wants to be drawn again by itself, in milliseconds.
    fn next_tick(&self) -> Option<u64> {
        None
    }

    /// Time has passed.
    fn tick(&mut self, _now_ms: u64) -> Step {
        Step::Stay
    }

    /// What it wants as soon as it is open.
    fn opened(&mut self) -> Vec<Wish> {
        Vec::new()
    }
}
