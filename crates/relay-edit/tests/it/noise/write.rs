//! Edits written down in every dialect, the way models do.

use std::fmt::Write;

use relay_edit::anchors::LineHash;

use super::change::{Intent, Kind, Piece};
use crate::fuzz::damage::Random;

/// The forms an edit is written in.
pub const FORMS: &[&str] = &[
    "unified-bare", "unified-fenced", "unified-plain", "git-diff", "new-unified", "search-bare",
    "search-fenced", "search-inside", "search-dashes", "search-hinted", "multi-search", "apply-patch",
    "apply-patch-fenced", "apply-patch-heredoc", "edit-repl", "hashline", "edit-file", "create-file",
    "fenced-whole", "fenced-marked", "whole-below", "whole-info",
];

/// How the numbers of a diff's headers come out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Numbers {
    /// How far the line numbers are off.
    pub shift: usize,
    /// The counts are wrong.
    pub miscounted: bool,
}

/// Whether a form says how many lines its hunks have.
pub fn counts(form: &str) -> bool {
    matches!(form, "unified-bare" | "unified-fenced" | "git-diff" | "new-unified")
}

/// Whether a form is a diff with a sign before each line.
pub fn signed(form: &str) -> bool {
    counts(form) || form.starts_with("unified") || form.starts_with("apply-patch")
}

/// Whether a form holds the whole file.
pub fn whole(form: &str) -> bool {
    matches!(form, "create-file" | "fenced-whole" | "fenced-marked" | "whole-below" | "whole-info")
}

/// Whether a form quotes no old lines, so that every line of it is meant as it stands.
pub fn literal(form: &str) -> bool {
    whole(form) || matches!(form, "hashline" | "edit-file")
}

/// Writes an edit down.
pub fn written(path: &str, form: &str, intent: &Intent, numbers: Numbers, random: &mut Random) -> String {
    match form {
        "hashline" => hashline(path, intent, random),
        "edit-file" => edit_file(path, intent),
        form if whole(form) => whole_file(path, form, &intent.meant),
        form => quoting(path, form, &intent.pieces, numbers, random),
    }
}

/// The whole file as its author wants it.
fn whole_file(path: &str, form: &str, meant: &[String]) -> String {
    let text: String = meant.iter().map(|line| format!("{line}\n")).collect();
    match form {
        "create-file" => format!("[CREATE_FILE path=\"{path}\"]\n{text}[/CREATE_FILE]\n"),
        "fenced-whole" => format!("````text // {{{path}}}\n{text}````\n"),
        "fenced-marked" => format!("````text // {{{path}}} replace\n// START\n\n{text}\n// END\n````\n"),
        "whole-info" => format!("````text {path}\n{text}````\n"),
        _ => format!("### `{path}`\n\n````\n{text}````\n"),
    }
}

/// Operations on anchors, which all mean the file as it was read.
fn hashline(path: &str, intent: &Intent, random: &mut Random) -> String {
    let anchor = |line: usize| format!("{}{}", line + 1, LineHash::of(intent.seen[line].as_bytes()));
    let mut text = format!("§{path}\n");
    for piece in &intent.pieces {
        let (gone, added) = piece.exchange();
        let operation = match (gone.len(), gone.start) {
            (0, 0) => "»BOF".to_owned(),
            (0, at) if at == intent.seen.len() => "«EOF".to_owned(),
            (0, at) if random.below(2) == 0 => format!("«{}", anchor(at)),
            (0, at) => format!("»{}", anchor(at - 1)),
            (1, at) => format!("≔{}", anchor(at)),
            (_, at) => format!("≔{}..{}", anchor(at), anchor(gone.end - 1)),
        };
        writeln!(text, "{operation}").expect("text");
        added.iter().for_each(|line| writeln!(text, "{line}").expect("text"));
    }
    // Without an end of its own, everything below would be payload.
    match random.below(2) {
        0 => format!("*** Begin Patch\n{text}*** End Patch\n"),
        _ => format!("````\n{text}````\n"),
    }
}

/// Ranges of lines, from the bottom to the top, so that none moves the lines of another.
fn edit_file(path: &str, intent: &Intent) -> String {
    intent.pieces.iter().rev().fold(String::new(), |text, piece| {
        let (mut gone, added) = piece.exchange();
        let mut body: Vec<&str> = added;
        // A range has at least one line, so an insertion takes in a neighbour.
        if gone.is_empty() && gone.end < intent.seen.len() {
            body.push(&intent.seen[gone.end]);
            gone.end += 1;
        } else if gone.is_empty() {
            gone.start -= 1;
            body.insert(0, &intent.seen[gone.start]);
        }
        let body: String = body.iter().map(|line| format!("{line}\n")).collect();
        let (first, last) = (gone.start + 1, gone.end);
        format!(
            "{text}[EDIT_FILE path=\"{path}\" start_line=\"{first}\" end_line=\"{last}\"]\n{body}[/EDIT_FILE]\n\n"
        )
    })
}

/// The pieces of an edit, with the old lines they are about.
fn quoting(path: &str, form: &str, pieces: &[Piece], numbers: Numbers, random: &mut Random) -> String {
    let body = match form {
        "unified-plain" => diff(path, pieces, None),
        form if counts(form) => diff(path, pieces, Some(numbers)),
        _ => String::new(),
    };
    let sections = |open: &str, close: &str, hinted: bool, each: &str| -> String {
        let mut text = String::new();
        for piece in pieces {
            text.push_str(each);
            writeln!(text, "{open} SEARCH").expect("text");
            if hinted {
                writeln!(text, ":start_line:{}\n-------", piece.new_start + numbers.shift).expect("text");
            }
            piece.old().iter().for_each(|line| writeln!(text, "{line}").expect("text"));
            text.push_str("=======\n");
            piece.replacement().iter().for_each(|line| writeln!(text, "{line}").expect("text"));
            writeln!(text, "{close} REPLACE").expect("text");
        }
        text
    };
    let angled = |hinted: bool| sections("<<<<<<<", ">>>>>>>", hinted, "");
    match form {
        "unified-bare" => body,
        "unified-fenced" | "unified-plain" => format!("```diff\n{body}```\n"),
        "git-diff" => format!("diff --git a/{path} b/{path}\nindex 1a2b3c4..5d6e7f8 100644\n{body}"),
        "new-unified" => format!("```diff // {{{path}}} new-unified\n{body}```\n"),
        "search-bare" => sections("<<<<<<<", ">>>>>>>", false, &format!("{path}\n")),
        "search-fenced" => format!("{path}\n```\n{}```\n", angled(false)),
        "search-inside" => format!("```\n{path}\n{}```\n", angled(false)),
        "search-dashes" => format!("**{path}**\n```\n{}```\n", sections("-------", "+++++++", false, "")),
        "search-hinted" => format!("`{path}`\n```\n{}```\n", angled(true)),
        "multi-search" => format!("```text // {{{path}}} multi-search-replace\n{}```\n", angled(false)),
        "edit-repl" => pieces.iter().fold(String::new(), |text, piece| {
            let (old, new) = (piece.old().join("\n"), piece.replacement().join("\n"));
            let ended = |side: String| if side.is_empty() { side } else { format!("{side}\n") };
            format!("{text}{path}\n««« EDIT\n{}═══════ REPL\n{}»»» EDIT END\n\n", ended(old), ended(new))
        }),
        _ => {
            let scoped = random.below(4) == 0;
            let mut text = format!("*** Begin Patch\n*** Update File: {path}\n");
            for piece in pieces {
                let scope = if scoped { " " } else { "" };
                writeln!(text, "@@{scope}").expect("text");
                signed_lines(&mut text, piece);
            }
            text.push_str("*** End Patch\n");
            match form {
                "apply-patch-fenced" => format!("```\n{text}```\n"),
                "apply-patch-heredoc" => format!("```bash\napply_patch <<'EOF'\n{text}EOF\n```\n"),
                _ => text,
            }
        }
    }
}

fn diff(path: &str, pieces: &[Piece], numbers: Option<Numbers>) -> String {
    let mut text = format!("--- a/{path}\n+++ b/{path}\n");
    for piece in pieces {
        match numbers {
            None => text.push_str("@@ ... @@\n"),
            Some(Numbers { shift, miscounted }) => {
                let more = if miscounted { 2 } else { 0 };
                let written = (piece.old().len(), piece.replacement().len());
                let (old, new) = piece.announced.unwrap_or(written);
                writeln!(
                    text,
                    "@@ -{},{} +{},{} @@",
                    piece.start + shift,
                    old + more,
                    piece.new_start + shift,
                    new + more
                )
                .expect("text");
            }
        }
        signed_lines(&mut text, piece);
    }
    text
}

fn signed_lines(text: &mut String, piece: &Piece) {
    for (kind, line) in &piece.lines {
        let sign = match kind {
            Kind::Context if line.starts_with(BARE) => "",
            Kind::Context => " ",
            Kind::Removed => "-",
            Kind::Added => "+",
        };
        writeln!(text, "{sign}{}", line.trim_start_matches(BARE)).expect("text");
    }
}

/// Marks a context line that is written without its sign.
pub const BARE: char = '\u{1}';
