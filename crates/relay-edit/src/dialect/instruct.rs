//! Edits that only the prose around code makes: "replace … with …", "add this after `x`", "remove these lines"; tool calls and
//! here-documents in fences; files named by a comment in their first line.
//!
//! This runs at the end of the reply, over the code that no other dialect read. What it cannot read stays as it is, for
//! [`crate::account`] to explain or refuse.

use super::block::comment_text;
use super::{Dialect, path_line, toolcall};
use crate::edit::{Base, Hunk, HunkLine};
use crate::lead::{Intent, Lead, is_file_name, orders};
use crate::passage::{Body, Passage, Snippet};
use crate::script;
use crate::{Edit, Operation};

/// Reads what is left of a reply's code as instructions, and adds the edits in the order of the reply.
pub(crate) fn read(passages: &mut Vec<Passage>, edits: &mut Vec<Edit>) {
    if !passages.iter().any(|passage| passage.snippet().is_some()) {
        return;
    }
    let (mut kept, mut found): (Vec<Passage>, Vec<Edit>) = (Vec::with_capacity(passages.len()), Vec::new());
    let mut rest = std::mem::take(passages).into_iter().peekable();
    while let Some(mut passage) = rest.next() {
        if let Some(edit) = rest.peek().and_then(|next| pair(&passage, next)) {
            passage.last = rest.next().map_or(passage.last, |next| next.last);
            passage.body = Body::Read;
            found.push(edit);
        } else if let Some((body, edits)) = passage.snippet().and_then(|snippet| alone(&passage, snippet)) {
            passage.body = body;
            found.extend(edits);
        }
        kept.push(passage);
    }
    *passages = kept;
    if !found.is_empty() {
        edits.extend(found);
        edits.sort_by_key(|edit| edit.line);
    }
}

/// What one block of code is by itself. "Remove these lines:" above code, or a here-document `cat > a.ts <<'EOF'`.
fn alone(passage: &Passage, snippet: &Snippet) -> Option<(Body, Vec<Edit>)> {
    if let Some(calls) = toolcall::read(&snippet.text, passage.first) {
        return called(calls);
    }
    let lead = Lead::new(&passage.lead);
    let commented = || commented(passage, snippet, &lead);
    if !script::is_shell(&snippet.language) {
        let edit = removal(passage, snippet, &lead)
            .or_else(|| insertion(passage, snippet, &lead))
            .or_else(commented);
        return edit.map(|edit| (Body::Read, vec![edit]));
    }
    if let Some(edit) = commented().filter(|edit| script::is_file(&edit.path)) {
        return Some((Body::Read, vec![edit]));
    }
    // A script that also changes files otherwise does not land without that.
    let script = script::read(&snippet.text, passage.first);
    (!script.edits.is_empty() && script.changes.is_empty()).then_some((Body::Read, script.edits))
}

fn called(calls: toolcall::Calls) -> Option<(Body, Vec<Edit>)> {
    let body = match (calls.unknown.first(), calls.edits.is_empty(), calls.commands.is_empty()) {
        (Some(name), _, _) => Body::UnknownCall(name.clone()),
        (None, false, _) => Body::Read,
        (None, true, false) => {
            let text = calls.commands.iter().map(|command| format!("{command}\n")).collect();
            Body::Code(Snippet { language: "bash".to_owned(), text, ..Snippet::default() })
        }
        (None, true, true) => Body::HarmlessCall(calls.harmless.first()?.clone()),
    };
    Some((body, calls.edits))
}

/// Two blocks of code that the prose makes old and new. "Replace:" above code, and "with:" above the next.
fn pair(old: &Passage, new: &Passage) -> Option<Edit> {
    let (before, after) = (old.snippet()?, new.snippet()?);
    let (above, between) = (Lead::new(&old.lead), Lead::new(&new.lead));
    let is_shown =
        matches!(above.intent(), Intent::Example | Intent::Output | Intent::Run | Intent::Unchanged);
    // Commands are complete, unless the text says otherwise or they belong to a file.
    let may_be_commands =
        script::is_shell(&before.language) && above.intent() != Intent::Old && above.path().is_none();
    // "The problem is here: … With the check in front:" says it by the code itself.
    let is_told = matches!(above.intent(), Intent::Old | Intent::Quote)
        && matches!(between.intent(), Intent::New | Intent::Unsaid | Intent::Whole)
        && between.path().is_none_or(|path| above.path().is_none_or(|above| above == path))
        && is_version_of(&after.text, &before.text);
    let is_new =
        between.intent() == Intent::New || above.intent() == Intent::Old && between.links() || is_told;
    if !is_new || is_shown || may_be_commands {
        return None;
    }
    let path = above.path().or_else(|| between.path()).or_else(|| before.path.clone()).unwrap_or_default();
    let (before, after): (Vec<&str>, Vec<&str>) =
        (before.text.lines().collect(), after.text.lines().collect());
    Some(patch(path, Hunk::from_sides(&before, &after, old.first)))
}

/// Code that the prose asks to be removed. "Remove this from `src/a.ts`:".
fn removal(passage: &Passage, snippet: &Snippet, lead: &Lead<'_>) -> Option<Edit> {
    // "Delete `src/old.ts`:" is about the file and not about lines of it.
    let is_about_file = lead.last().is_some_and(|line| !orders(line).is_empty());
    if lead.intent() != Intent::Remove || is_about_file || is_elided(snippet) {
        return None;
    }
    let lines = snippet.text.lines().map(|line| HunkLine::Removed(line.to_owned())).collect();
    Some(patch(lead.path().unwrap_or_default(), Hunk::new(lines, passage.first)))
}

/// Code that the prose asks to be put next to a line that it quotes. "After `const a = 1;` add:".
fn insertion(passage: &Passage, snippet: &Snippet, lead: &Lead<'_>) -> Option<Edit> {
    let (anchor, is_after) =
        lead.anchor().filter(|_| lead.intent() == Intent::Insert && !is_elided(snippet))?;
    let anchor = HunkLine::Context(anchor.trim().to_owned());
    let indent =
        snippet.text.lines().filter(|line| !line.trim().is_empty()).map(indentation).min().unwrap_or(0);
    let added =
        snippet.text.lines().map(|line| HunkLine::Added(line.get(indent..).unwrap_or_default().to_owned()));
    let lines = if is_after {
        std::iter::once(anchor).chain(added).collect()
    } else {
        added.chain(std::iter::once(anchor)).collect()
    };
    Some(patch(lead.path().unwrap_or_default(), Hunk::new(lines, passage.first)))
}

/// Code whose first line is a comment with nothing but a file's name. The plan leaves that line out where the file has none.
/// `// src/a.ts` as the first line.
fn commented(passage: &Passage, snippet: &Snippet, lead: &Lead<'_>) -> Option<Edit> {
    let path = named_in(&snippet.text)?;
    let intent = lead.intent();
    if intent != Intent::Unsaid && !intent.proposes() || snippet.text.lines().count() < 2 {
        return None;
    }
    let is_part = matches!(intent, Intent::Insert | Intent::Old | Intent::New | Intent::Remove);
    let operation = Operation::Write { content: snippet.text.clone() };
    let dialect = if is_part { Dialect::Announced } else { Dialect::WholeFile };
    Some(Edit { path, operation, dialect, line: passage.first })
}

/// The file that the first line of code names in a comment. `src/a.ts` for `// File: src/a.ts`.
pub(crate) fn named_in(text: &str) -> Option<String> {
    comment_text(text.lines().next()?).and_then(commented_path)
}

/// The path in the text of a comment: `src/a.ts`, `File: src/a.ts`, `src/a.ts (new)`, `=== src/a.ts ===`.
pub(crate) fn commented_path(comment: &str) -> Option<String> {
    let comment = comment.trim_matches(['=', ' ']);
    // `--- a/src/a.ts` is a diff header and not a comment.
    path_line::read(comment).filter(|path| is_file_name(path) && !comment.starts_with('-'))
}

/// Whether code begins as other code does and has half of its lines: a changed version of it, and no counterpart. `if x
/// {`, `    a();`, `}` and `if x {`, `    b();`, `    a();`, `}`.
fn is_version_of(new: &str, old: &str) -> bool {
    let says = |line: &&str| line.chars().any(char::is_alphanumeric);
    let lines =
        |text: &'_ str| text.lines().map(str::trim).filter(says).map(str::to_owned).collect::<Vec<_>>();
    let (old, new) = (lines(old), lines(new));
    let shared = old.iter().filter(|line| new.contains(line)).count();
    old.first() == new.first() && old != new && shared > 1 && shared * 2 >= old.len()
}

fn patch(path: String, hunk: Hunk) -> Edit {
    let line = hunk.line;
    let hunk = Hunk { presumed: path.is_empty(), ..hunk };
    let operation = Operation::Patch { hunks: vec![hunk], base: Base::Sequential };
    Edit { path, operation, dialect: Dialect::Instruction, line }
}

/// `// ... existing code ...`.
fn is_elided(snippet: &Snippet) -> bool {
    snippet.text.lines().any(|line| crate::elision::elision(line).is_some())
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}
