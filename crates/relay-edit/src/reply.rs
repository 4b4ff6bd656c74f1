//! A parsed reply: reasoning, edits, control block, and what was wrong with it.

use crate::dialect::named_in;
use crate::lead::{Intent, Lead};
use crate::passage::{Body, Passage};
use crate::plan::is_whole;
use crate::{Control, Diagnostic, Dialect, Edit, Operation, script};

/// Everything a reply says. Parsing never fails; what could not be understood is in `diagnostics`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// The prose around the edits, trimmed.
    pub reasoning: String,
    /// The edits, in the order of the reply.
    pub edits: Vec<Edit>,
    /// The transaction's metadata, when the reply carries any.
    pub control: Option<Control>,
    /// The receipt of the pack it answers, from the control block or from a line of its own.
    pub receipt: Option<String>,
    /// What was wrong or doubtful.
    pub diagnostics: Vec<Diagnostic>,
    /// Every block of it, in order, whether it was read as edits or not.
    pub passages: Vec<Passage>,
}

impl Reply {
    /// Reads code below a file's name as that file where the file itself shows that it is all of it, whatever is said between
    /// the two: "### `src/a.ts`", "Usage stays the same.", and then the file. `before` is what a file holds.
    pub fn read_whole_files(&mut self, before: impl Fn(&str) -> Option<Vec<u8>>) {
        for passage in &mut self.passages {
            let Some((path, content)) = named_file(passage) else { continue };
            let is_free = !self.edits.iter().any(|edit| edit.path == path);
            if is_free && before(&path).is_some_and(|before| is_whole(&before, &content)) {
                let operation = Operation::Write { content };
                self.edits.push(Edit { path, operation, dialect: Dialect::Announced, line: passage.first });
                passage.body = Body::Read;
            }
        }
        self.edits.sort_by_key(|edit| edit.line);
    }
}

/// The file that the prose above code names, or a comment in its first line, with the code; `None` where it is another version of something, or a few lines by
/// its own account.
fn named_file(passage: &Passage) -> Option<(String, String)> {
    let snippet = passage.snippet().filter(|snippet| snippet.path.is_none())?;
    let lead = Lead::new(&passage.lead);
    let is_other = matches!(lead.intent(), Intent::Alternative | Intent::Correction);
    let path = lead.path().or_else(|| named_in(&snippet.text)).filter(|_| !is_other)?;
    (!script::is_shell(&snippet.language) || script::is_file(&path)).then(|| (path, snippet.text.clone()))
}

#[cfg(test)]
mod tests {
    use crate::parse;

    const FILE: &str = "import os\n\n\ndef area(w, h):\n    return w * h\n\n\ndef name():\n    return os.name\n\n\ndef main():\n    print(name())\n";

    /// Checks whether code below words is read as the whole of `a.py`.
    #[track_caller]
    fn check(words: &str, code: &str, expected: bool) {
        let mut reply = parse(&format!("{words}\n\n```python\n{code}```\n"), None);
        assert!(reply.edits.is_empty(), "{words}: {:?}", reply.edits);
        reply.read_whole_files(|path| (path == "a.py").then(|| FILE.as_bytes().to_vec()));
        assert_eq!(reply.edits.len(), usize::from(expected), "{words}");
    }

    #[test]
    fn the_file_itself_shows_that_code_is_complete() {
        let all = FILE.replace("w * h", "abs(w * h)");
        for words in
            ["The rest stays the same.", "For example, it is positive now.", "You can run it to verify."]
        {
            check(&format!("### `a.py`\n\n{words}"), &all, true);
        }
        check("The issue is in how it is computed.", &format!("# a.py\n{all}"), true);
        let part = all.strip_prefix("import os\n").expect("a part");
        check("Relevant part of `a.py`:", part, false);
        check("### `b.py`\n\nUsage stays the same.", &all, false);
        check("### `a.py`\n\nUsage stays the same.", FILE, false);
        check("### `a.py`\n\nUsage stays the same.", "def area(w, h):\n    return abs(w * h)\n", false);
        check("### `a.py`\n\nUsage stays the same.", all.split_once("def main").expect("a part").0, false);
    }
}
