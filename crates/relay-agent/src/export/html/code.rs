//! Code, output and diffs.

use relay_edit::{DiffKind, FileDiff};

use super::writer::Html;
use crate::export::highlight::{language_of, spans};
use crate::export::toolcall::Change;

/// Output with more lines than this can be scrolled in its box.
const TALL_LINES: usize = 24;
/// The most lines of a diff that are shown.
const DIFF_LINES: usize = 2000;

/// Highlighted code, without a box.
pub(super) fn highlighted(language: &str, code: &str) -> Html {
    let (mut html, mut end) = (Html::default(), 0);
    for (range, class) in spans(language, code) {
        html.text(code.get(end..range.start).unwrap_or_default());
        html.raw("<span class=\"").raw(class.name()).raw("\">");
        html.text(code.get(range.clone()).unwrap_or_default()).raw("</span>");
        end = range.end;
    }
    html.text(code.get(end..).unwrap_or_default());
    html
}

/// A box with code in it.
pub(super) fn code_box(language: &str, code: &str) -> Html {
    let mut html = Html::default();
    let code = code.trim_end_matches('\n');
    html.raw("<div class=\"code\">");
    if !language.is_empty() {
        html.element("<span class=\"lang\">", language, "</span>");
    }
    html.raw(if code.lines().count() > TALL_LINES { "<pre class=\"tall\"><code>" } else { "<pre><code>" });
    html.append(highlighted(language, code)).raw("</code></pre></div>");
    html
}

/// A box with what a command or a tool returned.
pub(super) fn output(text: &str, is_error: bool) -> Html {
    let mut html = Html::default();
    let text = text.trim_matches('\n');
    html.raw(if is_error { "<div class=\"code out bad\">" } else { "<div class=\"code out\">" });
    html.raw(if text.lines().count() > TALL_LINES { "<pre class=\"tall\">" } else { "<pre>" });
    html.text(text).raw("</pre></div>");
    html
}

/// A change to a file.
pub(super) fn change(change: &Change<'_>, path: &str) -> Html {
    match change {
        Change::Parts(parts) => {
            let mut html = Html::default();
            for (before, after) in parts {
                html.append(difference(before, after, path));
            }
            html
        }
        Change::Patch(patch) => written_patch(patch),
        Change::Whole(text) => code_box(language_of(path), text),
    }
}

/// Lines before and after, side by side in time.
fn difference(before: &str, after: &str, path: &str) -> Html {
    let mut html = Html::default();
    let language = language_of(path);
    // A part of a file often lacks its last newline on both sides; that is not a difference worth a note.
    let [before, after] = [before, after].map(|text| format!("{}\n", text.trim_end_matches('\n')));
    let FileDiff::Text(hunks) = relay_edit::diff_start(before.as_bytes(), after.as_bytes(), DIFF_LINES)
    else {
        html.append(output("not text", false));
        return html;
    };
    html.raw("<div class=\"code diff\"><pre>");
    for (at, hunk) in hunks.iter().enumerate() {
        if at > 0 {
            html.raw("<span class=\"hunk\">⋯</span>");
        }
        for line in &hunk.lines {
            let (class, sign) = match line.kind {
                DiffKind::Context => ("<span class=\"ln\"><i> </i>", "</span>"),
                DiffKind::Added => ("<span class=\"ln add\"><i>+</i>", "</span>"),
                DiffKind::Removed => ("<span class=\"ln del\"><i>−</i>", "</span>"),
            };
            html.raw(class).append(highlighted(language, &line.text)).raw(sign);
        }
    }
    html.raw("</pre></div>");
    html
}

/// A patch in a written form, coloured by the first character of each line.
fn written_patch(patch: &str) -> Html {
    let mut html = Html::default();
    html.raw("<div class=\"code diff\"><pre>");
    for line in patch.lines().take(DIFF_LINES) {
        let is_head = ["*** ", "--- ", "+++ ", "@@", "diff --git"].iter().any(|mark| line.starts_with(mark));
        let open = match line.as_bytes().first() {
            _ if is_head => "<span class=\"ln head\">",
            Some(b'+') => "<span class=\"ln add\">",
            Some(b'-') => "<span class=\"ln del\">",
            _ => "<span class=\"ln\">",
        };
        html.raw(open).text(line).raw("</span>");
    }
    html.raw("</pre></div>");
    html
}
