//! Markdown as lines: headings, lists, quotes, tables, code and links, wrapped to the room there is.
//!
//! An answer streams in. [`finished`] finds how much of it can no longer change, so that only its last block is worked out again
//! while it grows.

use std::sync::Arc;

use pulldown_cmark::{Alignment, CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use relay_syntax::mermaid;

use super::highlight::code_lines;
use super::table::Table;
use crate::text::{Attrs, Line, Span, Style, clean, width};
use crate::theme::{Symbol, Token};
use crate::view::View;

fn options() -> Options {
    Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS
}

/// How many bytes of a text that still grows are blocks that are complete: everything before its last block, if a blank line
/// separates the two. Without one, what looks like another block may turn out to belong to the one before, such as the next row
/// of a table.
#[must_use]
pub fn finished(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut end = 0;
    for (event, range) in Parser::new_ext(text, options()).into_offset_iter() {
        let is_block = match event {
            Event::Start(_) => {
                depth += 1;
                depth == 1
            }
            Event::End(_) => {
                depth = depth.saturating_sub(1);
                false
            }
            Event::Rule | Event::Html(_) => depth == 0,
            _ => false,
        };
        let before = text.get(..range.start).unwrap_or_default().trim_end_matches([' ', '\t']);
        if is_block && before.ends_with("\n\n") {
            end = range.start;
        }
    }
    end
}

/// Markdown as lines.
#[must_use]
pub fn lines(view: &View<'_>, text: &str) -> Vec<Line> {
    let mut writer = Writer::new(view);
    for event in Parser::new_ext(text, options()) {
        writer.event(event);
    }
    writer.end_paragraph();
    while writer.lines.last().is_some_and(Line::is_blank) {
        writer.lines.pop();
    }
    writer.lines
}

/// The drawing of a diagram, if the code is one that can be drawn and there is room for it.
fn drawing(language: &str, code: &str, room: usize, ascii: bool) -> Option<String> {
    if !language.eq_ignore_ascii_case("mermaid") {
        return None;
    }
    let drawing = mermaid::draw(code, mermaid::Style { ascii, ..mermaid::Style::default() }).ok()?;
    drawing.lines().all(|line| width(line) <= room).then_some(drawing)
}

/// A list that is being written.
struct List {
    number: Option<u64>,
    indent: usize,
}

struct Writer<'a, 'v> {
    view: &'a View<'v>,
    lines: Vec<Line>,
    /// What is collected for the paragraph, heading or cell at hand.
    spans: Vec<Span>,
    styles: Vec<Style>,
    link: Option<Arc<str>>,
    lists: Vec<List>,
    quotes: usize,
    /// The sign of a list item that has no text yet.
    marker: Option<(String, usize)>,
    code: Option<(String, String)>,
    table: Option<Table>,
    /// No blank line before what comes next.
    is_tight: bool,
}

impl<'a, 'v> Writer<'a, 'v> {
    fn new(view: &'a View<'v>) -> Self {
        Self {
            view,
            lines: Vec::new(),
            spans: Vec::new(),
            styles: vec![view.fg(Token::Text)],
            link: None,
            lists: Vec::new(),
            quotes: 0,
            marker: None,
            code: None,
            table: None,
            is_tight: true,
        }
    }

    fn style(&self) -> Style {
        self.styles.last().copied().unwrap_or_default()
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some((_, code)) => code.push_str(&text),
                None => self.put(&text, self.style()),
            },
            Event::Code(text) => {
                let style = Style { attrs: self.style().attrs, ..self.view.fg(Token::MdCode) };
                self.put(&text, style);
            }
            Event::Html(text) | Event::InlineHtml(text) => self.put(&text, self.view.fg(Token::Muted)),
            Event::SoftBreak => self.put(" ", self.style()),
            Event::HardBreak => self.end_paragraph_tightly(),
            Event::Rule => {
                self.gap();
                let rule = self.view.sign(Symbol::BoxHorizontal).repeat(self.room().min(60));
                let style = self.view.fg(Token::MdHr);
                self.write(Line::of(rule, style));
                self.is_tight = false;
            }
            Event::TaskListMarker(is_done) => {
                let symbol = if is_done { Symbol::CheckboxOn } else { Symbol::CheckboxOff };
                let style = self.view.fg(if is_done { Token::Success } else { Token::Muted });
                self.put(&format!("{} ", self.view.sign(symbol)), style);
            }
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        let base = self.style();
        match tag {
            Tag::Paragraph => self.gap(),
            Tag::Heading { level, .. } => {
                self.end_paragraph();
                self.gap();
                let style = self.view.fg(Token::MdHeading).bold();
                self.styles.push(if level == HeadingLevel::H1 { style.underline() } else { style });
            }
            Tag::BlockQuote(_) => {
                self.end_paragraph();
                self.gap();
                self.is_tight = true;
                self.quotes += 1;
                self.styles.push(self.view.fg(Token::MdQuote).italic());
            }
            Tag::CodeBlock(kind) => {
                self.end_paragraph();
                self.gap();
                let language = match kind {
                    CodeBlockKind::Fenced(info) => {
                        info.split([',', ' ']).next().unwrap_or_default().to_owned()
                    }
                    CodeBlockKind::Indented => String::new(),
                };
                self.code = Some((language, String::new()));
            }
            Tag::List(number) => {
                self.end_paragraph();
                if self.lists.is_empty() {
                    self.gap();
                }
                self.is_tight = true;
                let indent =
                    self.lists.last().map_or(0, |list| list.indent) + usize::from(!self.lists.is_empty()) * 2;
                self.lists.push(List { number, indent });
            }
            Tag::Item => self.begin_item(),
            Tag::Emphasis => self.styles.push(base.with(Attrs::ITALIC)),
            Tag::Strong => self.styles.push(base.with(Attrs::BOLD)),
            Tag::Strikethrough => self.styles.push(base.with(Attrs::STRIKE)),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.link = Some(Arc::from(clean(&dest_url).as_ref()));
                self.styles.push(Style { attrs: base.attrs, ..self.view.fg(Token::MdLink) }.underline());
            }
            Tag::Table(alignments) => {
                self.end_paragraph();
                self.gap();
                self.table = Some(Table::new(alignments.iter().map(|a| *a == Alignment::Right).collect()));
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph => {
                self.end_paragraph();
                self.is_tight = false;
            }
            TagEnd::Heading(_) => {
                self.end_paragraph();
                self.styles.pop();
                self.is_tight = false;
            }
            TagEnd::BlockQuote(_) => {
                self.end_paragraph();
                self.quotes = self.quotes.saturating_sub(1);
                self.styles.pop();
                self.is_tight = false;
            }
            TagEnd::CodeBlock => self.end_code(),
            TagEnd::List(_) => {
                self.lists.pop();
                self.is_tight = !self.lists.is_empty();
            }
            TagEnd::Item => {
                self.end_paragraph();
                self.marker = None;
                self.is_tight = true;
            }
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => drop(self.styles.pop()),
            TagEnd::Link | TagEnd::Image => self.end_link(),
            TagEnd::TableCell => {
                let cell = Line { spans: std::mem::take(&mut self.spans), ..Line::default() };
                if let Some(table) = &mut self.table {
                    table.cell(cell);
                }
            }
            TagEnd::TableHead | TagEnd::TableRow => {
                if let Some(table) = &mut self.table {
                    table.end_row();
                }
            }
            TagEnd::Table => {
                if let Some(table) = self.table.take() {
                    let narrow = View { width: self.room(), ..*self.view };
                    for line in table.lines(&narrow) {
                        self.write(line);
                    }
                    self.is_tight = false;
                }
            }
            _ => {}
        }
    }

    fn begin_item(&mut self) {
        self.end_paragraph();
        let Some(list) = self.lists.last_mut() else { return };
        let sign = match &mut list.number {
            Some(number) => {
                *number += 1;
                format!("{}. ", *number - 1)
            }
            None => format!("{} ", self.view.sign(Symbol::MdBullet)),
        };
        let indent = list.indent;
        self.marker = Some((sign, indent));
        self.is_tight = true;
    }

    /// A link shows its address only where it cannot be clicked and says something else.
    fn end_link(&mut self) {
        self.styles.pop();
        if let Some(link) = self.link.take() {
            let said: String = self
                .spans
                .iter()
                .filter(|span| span.link.as_ref() == Some(&link))
                .map(|span| span.text.as_str())
                .collect();
            if !link.contains(said.trim()) && !link.starts_with('#') {
                self.put(&format!(" ({link})"), self.view.fg(Token::MdLinkUrl));
            }
        }
    }

    fn put(&mut self, text: &str, style: Style) {
        let text = clean(text);
        let mut parts = text.split('\n');
        if let Some(first) = parts.next() {
            self.spans.push(Span { text: first.to_owned(), style, link: self.link.clone() });
        }
        for part in parts {
            self.end_paragraph_tightly();
            self.spans.push(Span { text: part.to_owned(), style, link: self.link.clone() });
        }
    }

    /// A blank line before a block, unless it is the first or in a tight list.
    fn gap(&mut self) {
        if !self.is_tight && !self.lines.is_empty() && self.marker.is_none() {
            let line = self.prefix(Line::new());
            self.lines.push(line);
        }
        self.is_tight = true;
    }

    fn room(&self) -> usize {
        let lists = self.lists.last().map_or(0, |list| list.indent + 2);
        self.view.width.saturating_sub(self.quotes * 2 + lists).max(8)
    }

    fn end_paragraph_tightly(&mut self) {
        self.end_paragraph();
        self.is_tight = true;
    }

    fn end_paragraph(&mut self) {
        let spans = std::mem::take(&mut self.spans);
        if spans.iter().all(|span| span.text.is_empty()) && self.marker.is_none() {
            return;
        }
        for line in (Line { spans, ..Line::default() }).wrapped(self.room(), 0) {
            self.write(line);
        }
    }

    fn end_code(&mut self) {
        let Some((language, code)) = self.code.take() else { return };
        let gutter = format!("{} ", self.view.sign(Symbol::Gutter));
        let border = self.view.fg(Token::MdCodeBlockBorder);
        let room = self.room().saturating_sub(2).max(4);
        let drawing = drawing(&language, &code, room, gutter.is_ascii());
        let code = drawing.as_deref().unwrap_or(&code);
        for line in code_lines(self.view, &language, code) {
            for part in line.wrapped(room, 0) {
                let mut whole = Line::of(gutter.clone(), border);
                whole.append(part);
                self.write(whole);
            }
        }
        self.is_tight = false;
    }

    /// Writes a line of the block at hand, after its quotes, list signs and indentation.
    fn write(&mut self, line: Line) {
        let line = self.prefix(line);
        self.lines.push(line);
    }

    fn prefix(&mut self, line: Line) -> Line {
        let mut whole = Line::new();
        for _ in 0..self.quotes {
            whole.push(format!("{} ", self.view.sign(Symbol::MdQuote)), self.view.fg(Token::MdQuoteBorder));
        }
        if let Some(list) = self.lists.last() {
            let (sign, indent) = self.marker.take().unwrap_or_else(|| ("  ".to_owned(), list.indent));
            whole.push(" ".repeat(indent), Style::default());
            whole.push(sign, self.view.fg(Token::MdListBullet));
        }
        whole.append(line);
        whole
    }
}

#[cfg(test)]
mod tests {
    use super::{drawing, finished};

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(&text[..finished(text)], expected);
    }

    #[test]
    fn diagrams_are_drawn_where_there_is_room() {
        let drawn = |code: &str, room: usize| drawing("mermaid", code, room, true);
        let shown = drawn("graph LR\n A --> B\n", 40).unwrap();
        assert!(shown.contains("| A +") && shown.contains(">| B |"), "{shown}");
        assert_eq!(drawn("graph LR\n A --> B\n", 5), None, "too wide");
        assert_eq!(drawn("graph LR\n A --> \n", 40), None, "not complete yet");
        assert_eq!(drawing("rust", "graph LR\n A --> B\n", 40, true), None);
    }

    #[test]
    fn what_can_still_change_is_not_finished() {
        check("one", "");
        check("one\n\ntwo", "one\n\n");
        check("one\n\n```rust\nfn a() {}\n\nfn b", "one\n\n");
        check("- a\n\n- b", "");
        check("| a |\n|---|\n|", "");
        check("# head\ntext", "");
        check("a\n\n| a |\n|---|\n| 1 |\n\nb", "a\n\n| a |\n|---|\n| 1 |\n\n");
    }
}
