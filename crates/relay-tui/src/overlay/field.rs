//! One line to write in: what it is for, the text around the caret, and where the caret is.

use crate::editor::Editor;
use crate::text::{Line, clean, fit, width};
use crate::theme::{Symbol, Token};
use crate::view::View;

/// The line with `label` in front, and the column of the caret. Of a long text, the part before the caret is shown.
pub(super) fn field(view: &View<'_>, label: &str, editor: &Editor) -> (Line, usize) {
    let one_line = |text: &str| clean(text).replace('\n', view.sign(Symbol::ArrowReturn));
    let before = one_line(editor.buffer().before());
    let mut line = Line::of(label, view.fg(Token::Accent));
    let room = view.width.saturating_sub(line.width() + 1).max(4);
    let mut from = 0;
    while width(before.get(from..).unwrap_or_default()) > room {
        from += before.get(from..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
    }
    let before = before.get(from..).unwrap_or_default();
    line.push(before, view.fg(Token::Text));
    let column = line.width();
    let after = one_line(editor.buffer().after());
    let (end, _) = fit(&after, view.width.saturating_sub(column));
    line.push(after.get(..end).unwrap_or_default(), view.fg(Token::Text));
    (line, column.min(view.width.saturating_sub(1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::App;
    use crate::keymap::Action;

    #[test]
    fn the_caret_is_always_to_be_seen() {
        let app = App::new(20, 10);
        let mut editor = Editor::default();
        editor.set("世界 and a long text");
        let (line, column) = field(&app.view(), "name: ", &editor);
        assert_eq!((line.text().as_str(), column), ("name: d a long text", 19));
        editor.apply(Action::TextStart);
        let (line, column) = field(&app.view(), "name: ", &editor);
        assert_eq!((line.text().as_str(), column), ("name: 世界 and a lon", 6));
    }
}
