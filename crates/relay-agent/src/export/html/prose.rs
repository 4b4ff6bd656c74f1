//! Markdown as HTML, without anything that would leave the page.
//!
//! HTML in the text is shown as text. Pictures are shown as their description with the address as text. Links are only
//! those to the web and to mail, and they are followed only when they are clicked.

use pulldown_cmark::{Alignment, CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::code::code_box;
use super::writer::Html;

/// How deep lists and quotes may be nested; deeper ones are shown flat.
const DEPTH: usize = 24;

/// A text of a person or a model.
pub(super) fn prose(text: &str) -> Html {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut writer =
        Prose { html: Html::default(), open: Vec::new(), code: None, aligns: Vec::new(), cell: 0 };
    writer.html.raw("<div class=\"prose\">");
    for event in Parser::new_ext(text, options) {
        writer.event(event);
    }
    writer.html.raw("</div>");
    writer.html
}

struct Prose {
    html: Html,
    /// The closing tags of what is open.
    open: Vec<&'static str>,
    /// The code block that is being read: its language and text.
    code: Option<(String, String)>,
    aligns: Vec<Alignment>,
    cell: usize,
}

impl Prose {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some((_, code)) => code.push_str(&text),
                None => {
                    self.html.text(&text);
                }
            },
            Event::Code(text) => {
                self.html.element("<code>", &text, "</code>");
            }
            // Markup in a text is text.
            Event::Html(text) | Event::InlineHtml(text) => {
                self.html.text(&text);
            }
            Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.html.element("<code>", &text, "</code>");
            }
            Event::SoftBreak => {
                self.html.raw("\n");
            }
            Event::HardBreak => {
                self.html.raw("<br>");
            }
            Event::Rule => {
                self.html.raw("<hr>");
            }
            Event::TaskListMarker(true) => {
                self.html.raw("<span class=\"box\">☑</span> ");
            }
            Event::TaskListMarker(false) => {
                self.html.raw("<span class=\"box\">☐</span> ");
            }
            Event::FootnoteReference(name) => {
                self.html.text(&name);
            }
        }
    }

    /// Opens an element, and remembers how it ends.
    fn push(&mut self, open: &'static str, close: &'static str) {
        let is_shown = self.open.len() < DEPTH;
        self.html.raw(if is_shown { open } else { "" });
        self.open.push(if is_shown { close } else { "" });
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph => self.push("<p>", "</p>"),
            Tag::Heading { level, .. } => match level {
                HeadingLevel::H1 => self.push("<h3 class=\"h1\">", "</h3>"),
                HeadingLevel::H2 => self.push("<h4 class=\"h2\">", "</h4>"),
                _ => self.push("<h5 class=\"h3\">", "</h5>"),
            },
            Tag::BlockQuote(_) => self.push("<blockquote>", "</blockquote>"),
            Tag::List(Some(_)) => self.push("<ol>", "</ol>"),
            Tag::List(None) => self.push("<ul>", "</ul>"),
            Tag::Item => self.push("<li>", "</li>"),
            Tag::CodeBlock(kind) => {
                let language = match kind {
                    CodeBlockKind::Fenced(info) => {
                        info.split([' ', ',', '{']).next().unwrap_or_default().to_owned()
                    }
                    CodeBlockKind::Indented => String::new(),
                };
                self.code = Some((language, String::new()));
            }
            Tag::Table(aligns) => {
                self.aligns = aligns;
                self.push("<div class=\"scroll\"><table>", "</table></div>");
            }
            Tag::TableHead => self.row("<thead><tr>", "</tr></thead>"),
            Tag::TableRow => self.row("<tr>", "</tr>"),
            Tag::TableCell => {
                let align = self.aligns.get(self.cell).copied();
                self.cell += 1;
                match align {
                    Some(Alignment::Right) => self.push("<td class=\"right\">", "</td>"),
                    Some(Alignment::Center) => self.push("<td class=\"mid\">", "</td>"),
                    _ => self.push("<td>", "</td>"),
                }
            }
            Tag::Emphasis => self.push("<em>", "</em>"),
            Tag::Strong => self.push("<strong>", "</strong>"),
            Tag::Strikethrough => self.push("<del>", "</del>"),
            Tag::Link { dest_url, .. } => self.link(&dest_url),
            Tag::Image { dest_url, .. } => {
                self.html.element("<span class=\"pic\" title=\"", &dest_url, "\">🖼 ");
                self.open.push("</span>");
            }
            _ => self.push("", ""),
        }
    }

    fn row(&mut self, open: &'static str, close: &'static str) {
        self.cell = 0;
        self.push(open, close);
    }

    fn link(&mut self, address: &str) {
        let is_safe = ["https://", "http://", "mailto:"].iter().any(|scheme| {
            address.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
        });
        if is_safe {
            self.html.element(
                "<a rel=\"noopener noreferrer nofollow\" target=\"_blank\" href=\"",
                address,
                "\">",
            );
            self.open.push("</a>");
        } else {
            self.html.element("<span class=\"link\" title=\"", address, "\">");
            self.open.push("</span>");
        }
    }

    fn end(&mut self, tag: TagEnd) {
        if tag == TagEnd::CodeBlock {
            if let Some((language, code)) = self.code.take() {
                self.html.append(code_box(&language, &code));
            }
            return;
        }
        if let Some(close) = self.open.pop() {
            self.html.raw(close);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(prose(text).finish(), format!("<div class=\"prose\">{expected}</div>"));
    }

    #[test]
    fn markdown_becomes_html_and_html_becomes_text() {
        check("a **b** `c<d`", "<p>a <strong>b</strong> <code>c&lt;d</code></p>");
        check("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;");
        check("x <img src=x onerror=y>", "<p>x &lt;img src=x onerror=y&gt;</p>");
        check("- [x] a", "<ul><li><span class=\"box\">☑</span> a</li></ul>");
    }

    #[test]
    fn nothing_is_fetched_and_only_the_web_is_linked() {
        check(
            "[a](javascript:alert(1))",
            "<p><span class=\"link\" title=\"javascript:alert(1)\">a</span></p>",
        );
        check("![a](http://x/y.png)", "<p><span class=\"pic\" title=\"http://x/y.png\">🖼 a</span></p>");
        let link = prose("[a](HTTPS://x/\"onclick=)").finish();
        assert!(link.contains("href=\"HTTPS://x/&quot;onclick=\""), "{link}");
    }

    #[test]
    fn deep_nesting_is_flattened_and_balanced() {
        let html = prose(&format!("{}x", "> ".repeat(5000))).finish();
        assert_eq!(html.matches("<blockquote>").count(), html.matches("</blockquote>").count());
        assert!(html.matches("<blockquote>").count() <= DEPTH);
    }
}
