//! HTML as markdown: headings, paragraphs, lists, links and code; scripts and styles are left out.

use super::markup::{Token, Tokens, attribute};

/// What is not text.
const SILENT: [&str; 6] = ["script", "style", "head", "noscript", "template", "svg"];

/// A page as markdown.
pub fn markdown(html: &str) -> String {
    let mut writer = Writer::default();
    let mut silent: Option<&str> = None;
    for token in Tokens::new(html) {
        match (&token, silent) {
            (Token::Close(name), Some(inside)) if *name == inside => silent = None,
            (_, Some(_)) => {}
            (Token::Open { name, is_empty: false, .. }, None) if SILENT.contains(name) => {
                silent = SILENT.iter().find(|known| *known == name).copied();
            }
            (Token::Open { name, attributes, .. }, None) => writer.open(name, attributes),
            (Token::Close(name), None) => writer.close(name),
            (Token::Text(text), None) => writer.text(text),
        }
    }
    writer.finish()
}

#[derive(Default)]
struct Writer {
    text: String,
    line: String,
    in_code: bool,
    depth: usize,
    links: Vec<Option<String>>,
}

impl Writer {
    fn open(&mut self, name: &str, attributes: &str) {
        match name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.block();
                let level = name.get(1..).and_then(|level| level.parse().ok()).unwrap_or(1);
                self.line.push_str(&format!("{} ", "#".repeat(level)));
            }
            "p" | "div" | "section" | "article" | "table" | "blockquote" | "figure" => self.block(),
            "ul" | "ol" => {
                self.end_line();
                self.depth += 1;
            }
            "li" => {
                self.end_line();
                self.line.push_str(&format!("{}- ", "  ".repeat(self.depth.saturating_sub(1).min(8))));
            }
            "br" => self.end_line(),
            "hr" => {
                self.block();
                self.line.push_str("---");
                self.block();
            }
            "tr" => self.end_line(),
            "td" | "th" => self.line.push_str(" | "),
            "pre" => {
                self.block();
                self.text.push_str("```\n");
                self.in_code = true;
            }
            "code" if !self.in_code => self.line.push('`'),
            "strong" | "b" => self.line.push_str("**"),
            "em" | "i" => self.line.push('*'),
            "a" => {
                self.line.push('[');
                self.links.push(attribute(attributes, "href"));
            }
            "img" => {
                let alt = attribute(attributes, "alt").unwrap_or_default();
                self.line
                    .push_str(&format!("![{alt}]({})", attribute(attributes, "src").unwrap_or_default()));
            }
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "p" | "div" | "section" | "article" | "table"
            | "blockquote" | "figure" => self.block(),
            "ul" | "ol" => {
                self.end_line();
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 {
                    self.block();
                }
            }
            "li" | "tr" => self.end_line(),
            "pre" => {
                self.end_line();
                self.in_code = false;
                self.text.push_str("```\n\n");
            }
            "code" if !self.in_code => self.line.push('`'),
            "strong" | "b" => self.line.push_str("**"),
            "em" | "i" => self.line.push('*'),
            "a" => match self.links.pop().flatten() {
                Some(target) => self.line.push_str(&format!("]({target})")),
                None => self.line.push(']'),
            },
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if self.in_code {
            self.text.push_str(text);
            return;
        }
        for (number, word) in text.split(char::is_whitespace).enumerate() {
            let needs_space = number > 0 && !self.line.is_empty() && !self.line.ends_with([' ', '[', '`']);
            if needs_space {
                self.line.push(' ');
            }
            self.line.push_str(word);
        }
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        let line = line.trim_end();
        if !line.trim().is_empty() {
            self.text.push_str(line);
            self.text.push('\n');
        } else if self.in_code && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
    }

    /// Ends a paragraph.
    fn block(&mut self) {
        self.end_line();
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    fn finish(mut self) -> String {
        self.end_line();
        format!("{}\n", self.text.trim_end())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_become_markdown() {
        let html = "<html><head><title>x</title></head><body><h1>A &amp; B</h1><p>One <b>two</b>\n <a href='/x'>three</a>.</p>\
                    <ul><li>a</li><li>b<ul><li>c</li></ul></li></ul><pre>let x;\n  y</pre><script>evil()</script></body>";
        assert_eq!(
            markdown(html),
            "# A & B\n\nOne **two** [three](/x).\n\n- a\n- b\n  - c\n\n```\nlet x;\n  y\n```\n"
        );
    }
}
