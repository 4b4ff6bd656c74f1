//! Lines and blocks that mean something in one dialect or another.

use super::change::Intent;
use super::damage::Wanted;
use crate::fuzz::damage::Random;

/// Lines and blocks that mean something in one dialect or another.
pub const DIRECTIVES: &[&str] = &[
    "*** Begin Patch",
    "*** End Patch",
    "*** Update File: keep.txt",
    "*** Add File: new.txt",
    "*** Delete File: keep.txt",
    "*** Move to: new.txt",
    "*** End of File",
    "*** Abort",
    "*** Begin Patch\n*** Delete File: keep.txt\n*** End Patch",
    "§keep.txt",
    "»EOF",
    "«BOF",
    "≔1ab..2cd",
    "§keep.txt\n»EOF\nnew",
    "««« EDIT",
    "═══════ REPL",
    "»»» EDIT END",
    "keep.txt\n««« EDIT\nkeep\n═══════ REPL\nlost\n»»» EDIT END",
    "<<<<<<< SEARCH",
    "=======",
    ">>>>>>> REPLACE",
    "------- SEARCH",
    "+++++++ REPLACE",
    ":start_line:1",
    "-------",
    "keep.txt\n<<<<<<< SEARCH\nkeep\n=======\nlost\n>>>>>>> REPLACE",
    "text\n>>>>>>> REPLACE\ntext\n<<<<<<< SEARCH\nkeep\n=======\nlost",
    "--- a/keep.txt",
    "+++ b/keep.txt",
    "@@ -1,1 +1,1 @@",
    "@@ ... @@",
    "@@",
    "diff --git a/keep.txt b/keep.txt",
    "deleted file mode 100644",
    "rename from keep.txt",
    "\\ No newline at end of file",
    "--- a/keep.txt\n+++ b/keep.txt\n@@ -1,1 +1,1 @@\n-keep\n+lost",
    "[DELETE_FILE path=\"keep.txt\"]",
    "[CREATE_FILE path=\"new.txt\"]",
    "[/CREATE_FILE]",
    "[EDIT_FILE path=\"keep.txt\" start_line=\"1\" end_line=\"1\"]",
    "[/EDIT_FILE]",
    "[CREATE_FILE path=\"keep.txt\"]\nlost\n[/CREATE_FILE]",
    "```",
    "~~~",
    "```text // {keep.txt}",
    "```text // {keep.txt}\nlost\n```",
    "```text keep.txt\nlost\n```",
    "//TODO: delete this file",
    "// START",
    "// END",
    "<source>",
    "</source>",
    "projectId: other",
    "EOF",
];

/// Whether new lines in this form say something else, in so many words: below an operation the next one is no text.
pub fn is_said(form: &str, directive: &str, indent: &str) -> bool {
    form == "hashline"
        && indent.is_empty()
        && directive.lines().any(|line| line.starts_with(['»', '«', '§', '≔']))
}

/// A directive stands among the lines of the file, or among the new ones.
pub fn among_lines(intent: &mut Intent, form: &str, random: &mut Random) -> Option<Wanted> {
    let directive = *random.pick(DIRECTIVES);
    // In a file of tabs, new lines that begin with spaces are written with tabs.
    let level = if intent.before.iter().any(|line| line.starts_with('\t')) { "\t" } else { "    " };
    let indent = *random.pick(&["", " ", level]);
    if is_said(form, directive, indent) {
        return None;
    }
    let number = random.below(intent.pieces.len());
    let at = random.below(intent.pieces[number].lines.len());
    let kind = intent.pieces[number].lines[at].0;
    for (more, line) in directive.lines().enumerate() {
        intent.insert(number, at + 1 + more, kind, format!("{indent}{line}"));
    }
    intent.read_again();
    Some(Wanted::Meant)
}
