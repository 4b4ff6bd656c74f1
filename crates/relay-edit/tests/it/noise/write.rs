//! Edits written down in every dialect, the way models do.

use std::fmt::Write;

use super::change::{Kind, Piece};
use crate::fuzz::damage::Random;

/// The forms an edit is written in.
pub const FORMS: &[&str] = &[
    "unified-bare",
    "unified-fenced",
    "unified-plain",
    "git-diff",
    "new-unified",
    "search-bare",
    "search-fenced",
    "search-inside",
    "search-dashes",
    "search-hinted",
    "multi-search",
    "apply-patch",
    "apply-patch-fenced",
    "apply-patch-heredoc",
    "edit-repl",
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

/// Writes the pieces down.
pub fn written(path: &str, form: &str, pieces: &[Piece], numbers: Numbers, random: &mut Random) -> String {
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
                writeln!(
                    text,
                    "@@ -{},{} +{},{} @@",
                    piece.start + shift,
                    piece.old().len() + more,
                    piece.new_start + shift,
                    piece.replacement().len() + more
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
