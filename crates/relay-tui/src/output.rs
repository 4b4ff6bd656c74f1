//! Everything the interface asks for: commands to the agent, and requests to the terminal.

use serde_json::Value;

use crate::conversation::Highlight;

/// A wish of the interface, carried out by the binary.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// A command of `relay rpc`.
    Rpc(Value),
    /// Put this text on the clipboard.
    Copy(String),
    /// Tell the person who looked away.
    Notify {
        /// What it is about.
        title: String,
        /// What happened.
        body: String,
    },
    /// The window's title.
    Title(String),
    /// Open this text in the person's editor; answered by [`crate::Input::Edited`].
    Edit(String),
    /// Look for an image on the clipboard; answered by [`crate::Input::Image`].
    PasteImage,
    /// Colour a piece of code; answered by [`crate::Input::Highlighted`].
    Highlight(Highlight),
    /// Put the program into the background of its shell.
    Suspend,
    /// Leave the agent at work, and give the terminal back to the shell.
    Background,
    /// Draw everything again.
    Redraw,
    /// Whether links are written: `off`, `auto` or `always`.
    Links(String),
    /// Whether everything is drawn again when there is less to draw than before.
    ClearOnShrink(bool),
    /// Files may have changed: look at the branch and its state again.
    Refresh,
    /// The scrollback belongs to another conversation from here on: a line across the screen, or a cleared screen.
    Clear,
    /// What the person chose because there was no model: `model`, or `provider` and `key`.
    Setup(Value),
    /// Play the demo.
    Demo,
    /// The end, with this exit code.
    Quit(u8),
}
