//! Tables of markdown: columns as wide as their content, narrowed until the table fits.

use crate::text::{Line, Style};
use crate::theme::{Symbol, Token};
use crate::view::View;

/// A column is not made narrower than this, unless it is by itself.
const NARROWEST: usize = 6;

/// A table that is being read.
#[derive(Debug, Default)]
pub struct Table {
    is_right: Vec<bool>,
    rows: Vec<Vec<Line>>,
    row: Vec<Line>,
}

impl Table {
    /// A table with these columns; `true` for those that are aligned to the right.
    pub fn new(is_right: Vec<bool>) -> Self {
        Self { is_right, ..Self::default() }
    }

    /// One more cell of the row.
    pub fn cell(&mut self, cell: Line) {
        self.row.push(cell);
    }

    /// The row is complete.
    pub fn end_row(&mut self) {
        if !self.row.is_empty() {
            self.rows.push(std::mem::take(&mut self.row));
        }
    }

    fn widths(&self, room: usize) -> Vec<usize> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let wanted = |column: usize| {
            self.rows.iter().filter_map(|row| row.get(column)).map(Line::width).max().unwrap_or(0)
        };
        let mut widths: Vec<usize> = (0..columns).map(|column| wanted(column).max(1)).collect();
        let room = room.saturating_sub(columns.saturating_sub(1) * 3);
        while widths.iter().sum::<usize>() > room {
            // The widest one gives way.
            let Some(widest) = widths.iter_mut().max() else { break };
            if *widest <= NARROWEST {
                break;
            }
            *widest -= 1;
        }
        widths
    }

    /// The table as lines.
    pub fn lines(self, view: &View<'_>) -> Vec<Line> {
        let widths = self.widths(view.width);
        let border = view.fg(Token::Border);
        let (vertical, horizontal) = (view.sign(Symbol::BoxVertical), view.sign(Symbol::BoxHorizontal));
        let between = format!(" {vertical} ");
        let mut lines = Vec::new();
        for (at, row) in self.rows.into_iter().enumerate() {
            let mut cells: Vec<Vec<Line>> = Vec::new();
            for (column, cell) in row.into_iter().enumerate() {
                let mut cell = cell;
                if at == 0 {
                    cell.spans.iter_mut().for_each(|span| span.style = span.style.bold());
                }
                cells.push(cell.wrapped(widths.get(column).copied().unwrap_or(1), 0));
            }
            let height = cells.iter().map(Vec::len).max().unwrap_or(1);
            for part in 0..height {
                let mut line = Line::new();
                for (column, width) in widths.iter().enumerate() {
                    if column > 0 {
                        line.push(between.clone(), border);
                    }
                    let cell = cells.get(column).and_then(|cell| cell.get(part)).cloned().unwrap_or_default();
                    let missing = " ".repeat(width.saturating_sub(cell.width()));
                    let is_right = self.is_right.get(column).copied().unwrap_or_default();
                    if is_right {
                        line.push(missing, Style::default());
                        line.append(cell);
                    } else {
                        line.append(cell);
                        line.push(missing, Style::default());
                    }
                }
                lines.push(line);
            }
            if at == 0 {
                let cross = format!("{horizontal}{}{horizontal}", view.sign(Symbol::BoxCross));
                let parts: Vec<String> = widths.iter().map(|width| horizontal.repeat(*width)).collect();
                lines.push(Line::of(parts.join(&cross), border));
            }
        }
        lines
    }
}
