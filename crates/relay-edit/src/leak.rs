//! Leaked routing: a model writes the plain-text shadow of its own tool calls (`analysis to=functions.edit code …`) into
//! what it was asked for, and what follows is junk.
//!
//! The marker alone proves nothing; a text may speak about it. A leak is the marker together with one more sign right
//! beside it: a channel word, a known glitch string, `】【`, or a run of letters that are not Latin. Quoting is not
//! leaking: what is in a code span, in quotation marks or in a fence of plain text is passed over.
//!
//! What follows a leak is never to be trusted: mostly it repeats an edit from before, or is meant for another tool. So
//! [`of_edit`] is for cutting a reply at its last clean edit, and nothing here tries to repair one.

mod quoted;

use crate::edit::{Edit, Hunk, HunkLine, Operation};
use crate::{Diagnostic, Reply, codes};
pub use quoted::Form;
use quoted::is_quoted;

/// What every leak has in it.
pub const MARKER: &str = "to=functions.";

/// Words that name a channel or a speaker in the routing.
const CHANNELS: [&str; 4] = ["analysis", "assistant", "commentary", "user"];

/// Strings whose appearance before the marker is a sign in itself.
const GLITCHES: [&str; 4] = ["Japgolly", "Jsii", "changedFiles", "RTLU"];

/// How far around the marker signs are looked for.
pub const BESIDE_BYTES: usize = 48;

/// How many leaks of a text may turn out to be quoted. A text that quotes more is about nothing else.
pub const QUOTES: u8 = 32;

/// Whether the marker is in a text at all; in almost none it is, and this is all that looking for leaks costs.
#[must_use]
pub fn may_be_in(text: &str) -> bool {
    memchr::memmem::find(text.as_bytes(), MARKER.as_bytes()).is_some()
}

/// Where in a whole text routing leaked into it.
///
/// ```
/// use relay_edit::leak::{Form, find};
///
/// assert_eq!(find("f();】【analysis to=functions.edit code", Form::Source), Some("f();".len()));
/// assert_eq!(find("it wrote `analysis to=functions.edit code`", Form::Prose), None);
/// ```
#[must_use]
pub fn find(text: &str, form: Form) -> Option<usize> {
    find_from(text, 0, form, true, &mut { QUOTES })
}

/// Where the first leak begins whose marker is at `from` or later; `is_whole` says whether the text ends where it
/// ends, or more of it may come. Leaks that are quoted are counted off from `quotes_left`, and with none left there is
/// nothing to find.
#[must_use]
pub fn find_from(text: &str, from: usize, form: Form, is_whole: bool, quotes_left: &mut u8) -> Option<usize> {
    let searched = text.get(from..)?;
    for at in memchr::memmem::find_iter(searched.as_bytes(), MARKER) {
        if *quotes_left == 0 {
            return None;
        }
        let Some(leak) = leak_at(text, from + at) else { continue };
        if !is_quoted(text, leak, from + at + MARKER.len(), form, is_whole) {
            return Some(leak);
        }
        *quotes_left -= 1;
    }
    None
}

/// The line of a reply at which routing leaked into what an edit writes: where the edit begins, or the first hunk with a
/// leak. Lines that an edit removes or leaves alone do not count, and an author who edits lines with the marker is
/// writing about it.
#[must_use]
pub fn of_edit(edit: &Edit) -> Option<usize> {
    let form = Form::of_file(&edit.path);
    match &edit.operation {
        Operation::Write { content } => find(content, form).map(|_| edit.line),
        Operation::Patch { hunks, .. } => hunks.iter().find(|hunk| of_hunk(hunk, form)).map(|hunk| hunk.line),
        Operation::Delete | Operation::Rename { .. } | Operation::Mode { .. } => None,
    }
}

/// What is left of an edit when a reply is cut at a line.
pub(crate) fn before(mut edit: Edit, line: usize) -> Option<Edit> {
    if let Operation::Patch { hunks, .. } = &mut edit.operation {
        hunks.retain(|hunk| hunk.line < line);
        return (!hunks.is_empty()).then_some(edit);
    }
    (edit.line < line).then_some(edit)
}

fn of_hunk(hunk: &Hunk, form: Form) -> bool {
    let mut with_marker = hunk.lines.iter().filter(|line| may_be_in(line.text())).peekable();
    if with_marker.peek().is_none() || with_marker.any(HunkLine::is_old) {
        return false;
    }
    // Context too: a fence that quotes may be open there.
    let text: Vec<&str> = hunk.new_lines().collect();
    find(&text.join("\n"), form).is_some()
}

/// The finding for a leak that begins in this line of a reply.
pub(crate) fn finding(line: usize) -> Diagnostic {
    Diagnostic::error(
        codes::LEAKED_ROUTING,
        "the model's own routing leaked into the reply (`to=functions.…`); nothing from here on can be trusted",
    )
    .hinted("send this change and those after it again; put routing that is meant as text in backticks or quotation marks")
    .at(line)
}

/// Cuts a reply at a line with a leak that destroyed the block it was in, so that no edit shows it. A reply that could
/// be read to its end is not doubted for the sake of a line that no edit writes.
pub(crate) fn cut(reply: &mut Reply, line: usize) {
    let is_told = |finding: &Diagnostic| finding.code == codes::LEAKED_ROUTING;
    if reply.diagnostics.iter().any(is_told) || !reply.diagnostics.iter().any(Diagnostic::is_error) {
        return;
    }
    reply.edits =
        std::mem::take(&mut reply.edits).into_iter().filter_map(|edit| before(edit, line)).collect();
    reply.diagnostics.push(finding(line));
    reply.diagnostics.sort_by_key(|finding| finding.line);
}

/// Where the leak begins to which the marker at this place belongs, if it belongs to one.
fn leak_at(text: &str, marker: usize) -> Option<usize> {
    let (before, rest) = (text.get(..marker)?, text.get(marker + MARKER.len()..)?);
    let name = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
    if name == 0 {
        return None;
    }
    let near = before.get(before.floor_char_boundary(before.len().saturating_sub(BESIDE_BYTES))..)?;
    let after = rest.get(name..)?;
    let after = after.get(..after.floor_char_boundary(BESIDE_BYTES.min(after.len())))?;
    let word = near.trim_end().rsplit(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
    let channel = CHANNELS.iter().find(|channel| word.ends_with(*channel));
    let word_start = before.trim_end().len() - channel.map_or(0, |channel| channel.len());
    // The brackets of the real routing never leak, so a text that has them is about it.
    if channel.is_some() && before.get(..word_start)?.ends_with("|>") {
        return None;
    }
    let is_leak = channel.is_some()
        || GLITCHES.iter().any(|glitch| near.contains(glitch))
        || near.contains("】【")
        || after.contains("】【")
        || has_foreign_run(near)
        || has_foreign_run(after);
    // The channel word belongs to the leak, and junk that touches it does too.
    is_leak.then(|| junk_start(text, if channel.is_some() { word_start } else { marker }))
}

/// Where junk begins that ends at `end`; blanks and quotes alone are not junk, but may occur within it.
fn junk_start(text: &str, end: usize) -> usize {
    let before = text.get(..end).unwrap_or_default();
    let is_sure = |c: char| matches!(c, '】' | '【') || is_foreign(c);
    let kept = before.trim_end_matches(|c: char| matches!(c, '"' | ' ') || is_sure(c)).len();
    let junk = before.get(kept..).unwrap_or_default();
    junk.find(is_sure).map_or(end, |at| kept + at)
}

/// Whether three letters in a row are of a script that is not Latin or Greek.
fn has_foreign_run(text: &str) -> bool {
    let mut run = 0;
    for c in text.chars() {
        run = if is_foreign(c) { run + 1 } else { 0 };
        if run >= 3 {
            return true;
        }
    }
    // JSON may write them as escapes.
    text.match_indices("\\u").filter(|(at, _)| is_foreign_escape(text, *at)).count() >= 3
}

fn is_foreign_escape(text: &str, at: usize) -> bool {
    let digits = text.get(at + 2..at + 6);
    let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
    code.and_then(char::from_u32).is_some_and(is_foreign)
}

/// Letters and marks beyond Latin and Greek, without punctuation, arrows and box drawing.
fn is_foreign(c: char) -> bool {
    let code = u32::from(c);
    (0x0400..0x1e00).contains(&code) || (0x2e80..0xe000).contains(&code) && !matches!(c, '】' | '【')
}

#[cfg(test)]
mod tests {
    use super::{Form, find, of_edit};
    use crate::parse;

    /// What is left of the text when the leak is cut off; all of it when there is none.
    #[track_caller]
    fn check(text: &str, form: Form, expected: &str) {
        let kept = find(text, form).map_or(text, |at| &text[..at]);
        assert_eq!(kept, expected);
    }

    #[test]
    fn leaks_are_found_with_their_junk() {
        for form in [Form::Prose, Form::Source, Form::Json] {
            check("install(os);】【\"】【analysis to=functions.edit code above", form, "install(os);");
            check("let x = 1;\nassistant to=functions.eval code {}", form, "let x = 1;\n");
            check("done Japgolly to=functions.edit code", form, "done Japgolly ");
            check("x大发时时彩 to=functions.edit", form, "x");
            check("a to=functions.edit code เงินไทยฟรี", form, "a ");
            check("call(\"x\"); user to=functions.edit code \"y\"", form, "call(\"x\"); ");
        }
    }

    #[test]
    fn the_marker_alone_is_not_a_leak() {
        for text in [
            "write to=functions.edit in the header",
            "commentary to=functions.<NAME>",
            "analysis of functions.edit",
            "<|start|>assistant<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{}",
        ] {
            check(text, Form::Prose, text);
            check(text, Form::Source, text);
        }
    }

    #[test]
    fn quoting_is_not_leaking() {
        for text in [
            "leaks the bracket-less spelling `analysis to=functions.X code`",
            "that is, `analysis to=functions.X\ncode …` — because",
            "Example:\n```\n);】【analysis to=functions.edit code เงินไทย\n```\n",
            "````md\n```\n);】【analysis to=functions.edit code\n```\n````\n",
            "The model wrote \"analysis to=functions.edit code\" into the file.",
            "The model wrote “】【analysis to=functions.edit code” into the file.",
        ] {
            check(text, Form::Prose, text);
        }
        let text = "\"Example:\\n```\\n);】【analysis to=functions.edit code\\n```\"";
        check(text, Form::Json, text);
        for text in [
            "check(\"】【analysis to=functions.edit code\", 1);",
            "# it writes 'user to=functions.edit' there",
            "//! (`analysis to=functions.edit code …`)",
        ] {
            check(text, Form::Source, text);
        }
        check("```\ncode\n```\nuser to=functions.edit", Form::Prose, "```\ncode\n```\n");
    }

    #[test]
    fn code_is_judged_as_code_anywhere() {
        check("```ts\nf();】【analysis to=functions.edit code\n", Form::Prose, "```ts\nf();");
        check("let s = \"a】【analysis to=functions.edit code\n", Form::Source, "let s = \"a");
        check("let s = `a】【analysis to=functions.edit code\n`", Form::Source, "let s = `a");
        check("// don't 】【analysis to=functions.edit code", Form::Source, "// don't ");
    }

    #[test]
    fn an_edit_is_judged_by_what_it_writes() {
        let patch = |old: &str, new: &str| {
            format!(
                "```rs // {{a.rs}} search-replace\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n```\n"
            )
        };
        let leak = "f();】【analysis to=functions.edit code";
        let leaks = |text: &str| parse(text, None).edits.iter().any(|edit| of_edit(edit).is_some());
        // Only edits that are not cut off can be looked at one by one.
        assert!(!leaks(&patch(leak, "f();")), "removing it is not a leak");
        assert!(!leaks(&patch("g(); // user to=functions.edit", leak)), "the file speaks about it");
        assert!(!leaks(&patch("f();", "g();")));
    }
}
