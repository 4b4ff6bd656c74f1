//! Here-documents: `<<END` and the lines up to `END`.
//!
//! Where a body ends decides which of the following lines are data and which are commands, so bash's rule is followed to
//! the letter: in an unquoted here-document a line that ends in a backslash goes on in the next one *before* it is
//! compared with the delimiter.

use super::cursor::{Cursor, Jump, Read};
use super::tree::Word;
use super::unparsed::Reason;

impl Cursor<'_> {
    /// The body of a here-document whose `<<` was just read.
    pub(super) fn here_document(&mut self, strips_tabs: bool) -> Read<Word> {
        self.skip_blanks();
        let Some(delimiter) = self.word()? else {
            return self.fail(Reason::Expected("a delimiter after `<<`"));
        };
        if delimiter.expands || delimiter.text.contains('\n') {
            return self.fail(Reason::Unsupported("an expansion in a delimiter"));
        }
        let (newline, start) = match self.jump {
            Some(jump) => (jump.newline, jump.resume),
            None => match self.rest().find('\n') {
                Some(length) => (self.at + length, self.at + length + 1),
                None => return self.fail(Reason::Open("<<")),
            },
        };
        let (body, resume) = self.body(start, &delimiter, strips_tabs)?;
        self.jump = Some(Jump { newline, resume, substitutions: self.substitutions });
        if delimiter.quoted {
            let mut word = Word { quoted: true, span: start..resume, ..Word::default() };
            word.push_quoted(&body);
            return Ok(word);
        }
        let mut inner = Cursor::new(&body, self.depth);
        let mut word = self.nested(|_| inner.expanding_text())?;
        word.span = start..resume;
        Ok(word)
    }

    /// The lines from `start` to the delimiter, and where the line after it begins.
    fn body(&self, start: usize, delimiter: &Word, strips_tabs: bool) -> Read<(String, usize)> {
        let mut body = String::new();
        let mut at = start;
        loop {
            let line_start = at;
            let mut logical = String::new();
            loop {
                let Some(rest) = self.text.get(at..).filter(|rest| !rest.is_empty()) else {
                    return self.fail(Reason::Open("<<"));
                };
                let line = rest.split('\n').next().unwrap_or_default();
                at = (at + line.len() + 1).min(self.text.len());
                let continues = !delimiter.quoted && ends_in_backslash(line);
                if continues && strips_tabs {
                    return self.fail(Reason::Unsupported("a continued line in a `<<-` here-document"));
                }
                logical.push_str(if continues {
                    line.get(..line.len() - 1).unwrap_or_default()
                } else {
                    line
                });
                if !continues {
                    break;
                }
            }
            let line = if strips_tabs { logical.trim_start_matches('\t') } else { &logical };
            if line == delimiter.text {
                return Ok((body, at));
            }
            if at >= self.text.len() && !self.text.ends_with('\n') {
                return self.fail(Reason::Open("<<"));
            }
            debug_assert!(at > line_start, "a line has a length");
            body.push_str(line);
            body.push('\n');
        }
    }

    /// All of the text, as in double quotes but with `"` as an ordinary character.
    fn expanding_text(&mut self) -> Read<Word> {
        let mut word = Word { quoted: true, ..Word::default() };
        while let Some(next) = self.peek() {
            match next {
                '\\' => self.escape_in_quotes(&mut word, "$`\\"),
                '$' => self.dollar(&mut word, true)?,
                '`' => self.backquotes(&mut word, false)?,
                _ => {
                    self.bump();
                    word.push(next);
                }
            }
        }
        Ok(word)
    }
}

/// Whether the line end after `line` is escaped.
fn ends_in_backslash(line: &str) -> bool {
    let backslashes = line.len() - line.trim_end_matches('\\').len();
    backslashes % 2 == 1
}
