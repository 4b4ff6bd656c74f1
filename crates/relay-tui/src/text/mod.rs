//! Text on the screen: styles, lines, and how many cells they take.

mod line;
mod style;
mod width;

pub use line::{Line, Span};
pub use style::{Attrs, Color, Style};
pub use width::{TAB, clean, clean_line, clean_with, fit, graphemes, set_tab, width};
