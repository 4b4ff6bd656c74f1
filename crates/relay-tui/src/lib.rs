//! Relay's front end for people: model, update and view of the terminal interface.
//!
//! ```text
//! keys, pastes, sizes, ticks, frames of `relay rpc` ─▶ App::update ─▶ commands of `relay rpc`, requests to the terminal
//!                                                         │
//!                                              App::frame ▼
//!                             finished lines ─▶ the terminal's own scrollback   (written once)
//!                             live region    ─▶ Renderer                        (only rows that changed)
//! ```
//!
//! This crate opens no files, starts no programs and connects to nothing; [`tty`] is the terminal itself. The binary wires it to
//! an agent in the same process.
//!
//! # How widgets are written
//! One widget per file. A widget has data and `fn lines(&self, view: &View) -> Vec<Line>`; [`View`] has the theme, the keys, the
//! room and the time. It never names a colour or a sign, it asks the theme: `view.fg(Token::Accent)`, `view.sign(Symbol::Cursor)`.
//! Text that others wrote goes through [`text::clean`]. Lines fit into `view.width`: wrap or truncate them.
//!
//! # How screens plug in
//! A selector, a dialog or a viewer implements [`overlay::Overlay`], most often around an [`overlay::List`] (search, preview, tabs,
//! the way out in its last line). It is opened from a slash command (`commands/run.rs`) or an action (`app/actions.rs`) with
//! [`App::open`], asks the agent with [`overlay::Wish::Rpc`], and gets the answer in [`overlay::Overlay::response`].

pub mod app;
pub mod commands;
mod complete;
pub mod conversation;
pub mod editor;
mod hud;
pub mod input;
pub mod keymap;
pub mod output;
pub mod overlay;
pub mod panels;
pub mod picture;
pub mod render;
pub mod status;
pub mod text;
pub mod theme;
#[cfg(unix)]
pub mod tty;
pub mod view;
pub mod widgets;

pub use app::{App, Options};
pub use input::Input;
pub use output::Output;
pub use render::{Frame, Renderer};
pub use view::View;
