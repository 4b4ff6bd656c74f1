//! The side of the page: search, filters, and the tree of the session.

use super::writer::Html;
use super::{Page, Places};
use crate::export::outline::{self, Tone};

/// How far the tree is indented at most.
const DEPTH: usize = 8;
/// The style of each depth. A policy that forbids style attributes leaves classes.
const DEPTHS: [&str; DEPTH + 1] = ["d0", "d1", "d2", "d3", "d4", "d5", "d6", "d7", "d8"];

pub(super) fn sidebar(page: &Page<'_>, places: &Places) -> Html {
    let mut html = Html::default();
    html.raw("<aside class=\"side\"><div class=\"bar\"><span class=\"brand\">relay</span>");
    html.raw("<button id=\"menu\" aria-label=\"Show the outline\">☰</button>");
    html.raw(
        "<button id=\"theme\" aria-label=\"Light or dark\" title=\"Light or dark (t)\">◐</button></div>",
    );
    html.raw("<label class=\"find\"><input id=\"find\" type=\"search\" placeholder=\"Search this session\" ");
    html.raw("autocomplete=\"off\" spellcheck=\"false\" aria-label=\"Search this session\"><output id=\"hits\"></output></label>");
    html.raw("<div class=\"chips\" role=\"group\" aria-label=\"What is shown\">");
    html.raw("<button data-hide=\"tool\" aria-pressed=\"true\">Tools</button>");
    html.raw("<button data-hide=\"think\" aria-pressed=\"true\">Thinking</button>");
    html.raw("<button data-hide=\"event\" aria-pressed=\"true\">Events</button>");
    html.raw("<button id=\"fold\" aria-pressed=\"false\" title=\"Open or close everything (e)\">Expand</button></div>");
    html.raw("<nav id=\"tree\" aria-label=\"Outline\">");
    for (at, depth) in page.tree.walk() {
        let Some(entry) = page.transcript.entries.get(at) else { continue };
        let (Some((tone, words)), Some(place)) = (outline::of(entry), places.get(at).copied().flatten())
        else {
            continue;
        };
        html.raw("<a class=\"").raw(DEPTHS.get(depth.min(DEPTH)).copied().unwrap_or_default()).raw(
            match tone {
                Tone::Prompt => " prompt",
                Tone::Answer => " answer",
                Tone::Tool => " call",
                Tone::Note => " mark",
            },
        );
        html.raw(if page.tree.is_active(at) { "" } else { " aside" });
        html.raw("\" href=\"#e").number(place).element("\"><span>", &words, "</span>");
        if let Some(label) = page.tree.label(at) {
            html.element("<span class=\"label\">", label, "</span>");
        }
        html.raw("</a>");
    }
    html.raw("</nav></aside>");
    html
}
