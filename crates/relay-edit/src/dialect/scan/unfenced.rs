//! What prose holds beside blocks: code that lost its fences when a page was copied, and wishes that no block carries out.
//!
//! Both become blocks, so that a reply does not land without them unseen. Nothing here becomes an edit.

use super::super::{Kept, Line};
use super::passages::LEAD;
use crate::lead;
use crate::passage::{Body, Passage, Snippet};

/// This many lines of code make a block of it where no button of a page shows that it was one.
const LEAST: usize = 3;

/// Adds the blocks that the prose holds.
pub(super) fn add(prose: &Kept, passages: &mut Vec<Passage>) {
    let mut found = Vec::new();
    let mut walk = Walk { prose, start: 0, run: None, found: &mut found };
    let mut blocks = passages.iter().peekable();
    for (at, line) in prose.lines().enumerate() {
        while blocks.next_if(|block| block.last < line.number).is_some() {
            walk.end_run();
            walk.start = at;
        }
        if blocks.peek().is_some_and(|block| block.first <= line.number) {
            walk.end_run();
            walk.start = at + 1;
        } else {
            walk.line(at, line);
        }
    }
    walk.end_run();
    if !found.is_empty() {
        passages.append(&mut found);
        passages.sort_by_key(|passage| passage.first);
    }
}

/// The way through the prose of a reply.
struct Walk<'p> {
    prose: &'p Kept,
    /// Where the prose after the last block begins.
    start: usize,
    run: Option<Run>,
    found: &'p mut Vec<Passage>,
}

/// Lines of prose that may be code.
struct Run {
    /// Where it begins in the prose.
    from: usize,
    /// Its first and last line in the reply.
    first: usize,
    last: usize,
    /// How many of its lines are written, and how many of them can be nothing but code.
    written: usize,
    code: usize,
    /// The language above the button of a page.
    language: Option<String>,
    /// Where it ends in the prose.
    to: usize,
}

impl Walk<'_> {
    fn line(&mut self, at: usize, line: Line<'_>) {
        let is_next = |run: &Run| at == run.to || line.number <= run.last + 2;
        let goes_on = self.run.as_ref().is_some_and(|run| is_next(run) && run.accepts(line.text));
        if line.text.trim().is_empty() {
            return;
        }
        if goes_on && let Some(run) = self.run.as_mut() {
            run.last = line.number;
            run.to = at + 1;
            run.written += 1;
            run.code += usize::from(is_code(line.text));
            return;
        }
        self.end_run();
        let language = self.button_above(at);
        if language.is_some() || is_code(line.text) {
            let code = usize::from(is_code(line.text));
            let (first, last) = (line.number, line.number);
            self.run = Some(Run { from: at, first, last, written: 1, code, language, to: at + 1 });
            return;
        }
        for path in lead::orders(line.text) {
            let (first, last, lead) = (line.number, line.number, String::new());
            self.found.push(Passage { first, last, lead, body: Body::Asked(path) });
        }
    }

    /// The language in the line above the button by which a page copies code: `python`, `Copy code`.
    fn button_above(&self, at: usize) -> Option<String> {
        let button = self.prose.get(at.checked_sub(1)?)?.text.trim();
        let is_button =
            matches!(button, "Copy code" | "Copy" | "CopyEdit" | "Copy Edit" | "Copy to clipboard");
        let above = self.prose.get(at.checked_sub(2)?).filter(|_| is_button)?.text.trim();
        let is_word = !above.is_empty() && above.len() < 20 && !above.contains(' ');
        Some(if is_word { above.to_owned() } else { String::new() })
    }

    fn end_run(&mut self) {
        let Some(run) = self.run.take() else { return };
        let is_enough = run.language.is_some() || run.code >= LEAST && run.code * 2 >= run.written;
        if !is_enough {
            return;
        }
        let from = self.start.max(run.from.saturating_sub(LEAD));
        let lead = self.prose.text(from..run.from).to_owned();
        let text = self.prose.text(run.from..run.to).to_owned();
        let snippet = Snippet { language: run.language.unwrap_or_default(), text, ..Snippet::default() };
        self.found.push(Passage { first: run.first, last: run.last, lead, body: Body::Code(snippet) });
        self.start = run.to;
    }
}

impl Run {
    /// Whether a line below may belong to it.
    fn accepts(&self, text: &str) -> bool {
        let is_indented = text.starts_with("  ") || text.starts_with('\t');
        let is_comment = text.starts_with("//") || text.starts_with("/*");
        is_code(text) || is_comment || is_indented && !is_list(text)
    }
}

fn is_list(text: &str) -> bool {
    let text = text.trim_start();
    let number = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = number.len() < text.len() && (number.starts_with(". ") || number.starts_with(") "));
    text.starts_with(['>', '|', '•'])
        || ["- ", "* ", "+ "].iter().any(|sign| text.starts_with(sign))
        || is_numbered
}

/// Whether a line of prose can hardly be anything but code.
fn is_code(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "import", "from", "return", "const", "let", "var", "fn", "func", "pub", "export", "function",
        "raise", "yield", "await", "async", "def", "class", "private", "public", "protected", "static",
        "impl", "struct", "enum",
    ];
    let text = text.trim();
    if text.is_empty() || is_list(text) || text.starts_with(['#', '*', '`', '[']) {
        return false;
    }
    if text.ends_with(['{', ';']) || text.bytes().all(|byte| b"{}()[];,".contains(&byte)) {
        return true;
    }
    let ended = text.trim_end_matches([':', ',']);
    let is_sentence = text.ends_with(['.', '!', '?']) || text.contains('`');
    let word = text.split([' ', '(']).next().unwrap_or_default();
    let has_signs = text.contains(['(', '=', '"', '\'', '{', '<']) || text.split_whitespace().count() <= 4;
    let is_keyword = WORDS.contains(&word) && word.len() < text.len() && has_signs;
    let is_assignment = [" = ", " := ", " += ", " == "].iter().any(|sign| text.contains(sign));
    let is_call = ended.ends_with(')')
        && ended.split_once('(').is_some_and(|(name, _)| !name.is_empty() && !name.contains(' '));
    !is_sentence && (is_keyword || is_assignment || is_call)
}

#[cfg(test)]
mod tests {
    use crate::{Body, parse};

    fn bodies(reply: &str) -> Vec<(usize, usize, bool)> {
        let passages = parse(reply, None).passages;
        passages.iter().map(|passage| (passage.first, passage.last, passage.snippet().is_some())).collect()
    }

    #[test]
    fn code_without_fences_is_a_block() {
        let pasted =
            "Add this:\n\nfunction f(a) {\n  for (const b of a) {\n    b.close();\n  }\n}\n\nThat is it.\n";
        assert_eq!(bodies(pasted), [(3, 7, true)]);
        let copied = "In the queue:\n\npython\nCopy code\nMAX = 3\n\nDone.\n";
        assert_eq!(bodies(copied), [(5, 5, true)]);
        let prose = "The loop (see above) closes each one;\nit returns what is left.\n\n- import it\n- return early\n";
        assert_eq!(bodies(prose), []);
    }

    #[test]
    fn a_wish_without_a_block_is_a_block() {
        let reply = parse("Fixed.\n\n- Delete `src/old.ts`.\n\n```\nDelete `b.ts`.\n```\n", None);
        let asked: Vec<_> = reply.passages.iter().map(|passage| &passage.body).collect();
        assert!(
            matches!(asked.as_slice(), [Body::Asked(path), Body::Code(_)] if path == "src/old.ts"),
            "{asked:?}"
        );
    }
}
