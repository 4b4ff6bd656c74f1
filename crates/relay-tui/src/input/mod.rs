//! Everything that reaches the interface: keys, pasted text, sizes, ticks of the clock, and frames of the agent.

mod decode;
mod encode;
mod key;

pub use decode::Decoder;
pub use encode::bytes as key_bytes;
pub use key::{Code, Key};

use serde_json::Value;

/// Something that happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// A key was pressed.
    Key(Key),
    /// Text was pasted.
    Paste(String),
    /// The wheel of the mouse, or a gesture: lines down, or up if negative.
    Scroll(i32),
    /// The terminal has this many columns and rows.
    Resize(u16, u16),
    /// The window gained or lost the focus.
    Focus(bool),
    /// Time has passed.
    Tick,
    /// A response or an event of the agent, as `relay rpc` writes it.
    Frame(Value),
    /// The terminal answered a question about itself.
    Report(Report),
    /// The external editor was closed, with this text.
    Edited(String),
    /// The clipboard had an image.
    Image(Image),
    /// Colours for a piece of code, asked for by [`crate::Output::Highlight`].
    Highlighted(crate::conversation::Highlighted),
    /// Something outside that the person should know: `true` for a failure.
    Notice(bool, String),
}

/// What the terminal says about itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Report {
    /// Its background, as red, green and blue.
    Background(u8, u8, u8),
    /// Whether its colours are dark now.
    Dark(bool),
    /// It reports keys in the Kitty protocol.
    KittyKeys,
    /// It shows images in the Kitty protocol.
    KittyImages,
    /// It reports when it gains or loses the focus.
    Focus,
    /// It has answered everything it was asked.
    Done {
        /// It shows images as sixels.
        has_sixel: bool,
    },
}

/// A picture for the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Its type, such as `image/png`.
    pub mime_type: String,
    /// Its bytes, in base64.
    pub data: String,
    /// A short description, such as its size.
    pub about: String,
}
