//! A session as one HTML page that needs nothing else.
//!
//! The page carries its style and its script, and pictures as addresses with their bytes. Its content security policy
//! forbids every request and every script and style but its own, which are named by their digests. That is the second
//! wall; the first is [`writer::Html`], which takes markup only from the program and escapes everything else.

mod code;
mod entry;
mod masthead;
mod prose;
mod sidebar;
mod tool;
mod writer;

use std::collections::{HashMap, HashSet};

use base64::Engine as _;

use self::entry::{Article, article};
use self::writer::Html;
use super::Transcript;
use super::tree::Tree;
use crate::session::message::ToolResultMessage;
use crate::session::{Entry, Message, milliseconds};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// What the parts of the page are made from.
pub(super) struct Page<'a> {
    pub transcript: &'a Transcript<'a>,
    pub tree: Tree,
    results: HashMap<&'a str, &'a ToolResultMessage>,
    calls: HashSet<&'a str>,
}

impl<'a> Page<'a> {
    fn new(transcript: &'a Transcript<'a>) -> Self {
        let tree = Tree::new(transcript.entries, transcript.leaf);
        let (mut results, mut calls) = (HashMap::new(), HashSet::new());
        for (at, entry) in transcript.entries.iter().enumerate() {
            match entry.message() {
                // A call that was answered on several branches shows the current one's result.
                Some(Message::ToolResult(result))
                    if tree.is_active(at) || !results.contains_key(result.tool_call_id.as_str()) =>
                {
                    results.insert(result.tool_call_id.as_str(), result);
                }
                Some(Message::Assistant(answer)) => {
                    calls.extend(answer.tool_calls().map(|call| call.id.as_str()));
                }
                _ => {}
            }
        }
        Self { transcript, tree, results, calls }
    }

    /// What came of a call.
    fn result_of(&self, call_id: &str) -> Option<&'a ToolResultMessage> {
        self.results.get(call_id).copied()
    }

    fn has_call(&self, call_id: &str) -> bool {
        self.calls.contains(call_id)
    }

    /// A path below the session's folder without that folder.
    fn short_path(&self, text: &str) -> String {
        let cwd = self.transcript.header.cwd();
        let below = text.strip_prefix(cwd).filter(|_| cwd.len() > 1).and_then(|rest| rest.strip_prefix('/'));
        below.unwrap_or(text).to_owned()
    }
}

/// The whole page.
pub(super) fn page(transcript: &Transcript<'_>) -> String {
    let page = Page::new(transcript);
    let style = format!("{STYLE}{}", transcript.style);
    let mut html = Html::default();
    html.raw("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">");
    html.raw("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src '");
    html.text(&digest(&style)).raw("'; script-src '").text(&digest(SCRIPT));
    html.raw("'; base-uri 'none'; form-action 'none'\">");
    html.raw("<meta name=\"referrer\" content=\"no-referrer\"><meta name=\"generator\" content=\"Relay\">");
    html.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">");
    html.raw("<meta name=\"color-scheme\" content=\"light dark\">");
    html.element("<title>", &transcript.name(), "</title><link rel=\"icon\" href=\"data:,\">");
    // What a theme adds has no character that would be written in another way; a style that had one would not count.
    html.raw("<style>").raw(STYLE).text(transcript.style).raw("</style></head><body>");
    html.raw("<a class=\"skip\" href=\"#log\">Skip to the conversation</a>");
    let (log, places) = log(&page);
    html.append(sidebar::sidebar(&page, &places));
    html.raw("<main>").append(masthead::masthead(&page));
    html.raw("<section id=\"log\" aria-label=\"Conversation\">").append(log).raw("</section>");
    html.raw("<footer>Exported by Relay · this page loads nothing from the network</footer></main>");
    html.raw("<script>").raw(SCRIPT).raw("</script></body></html>\n");
    html.finish()
}

/// The name that a policy knows a style or a script by.
fn digest(text: &str) -> String {
    let digest = ring::digest::digest(&ring::digest::SHA256, text.as_bytes());
    format!("sha256-{}", base64::engine::general_purpose::STANDARD.encode(digest))
}

/// For each entry the one whose article shows it: its own, or that of the nearest entry above that has one.
type Places = Vec<Option<usize>>;

/// The articles, in the order of the tree.
fn log(page: &Page<'_>) -> (Html, Places) {
    let entries = page.transcript.entries;
    let mut places: Places = vec![None; entries.len()];
    let mut articles: Vec<Option<Article>> = entries.iter().map(|entry| article(page, entry)).collect();
    // A parent comes before its children in the log, so its place is known by then.
    let mut siblings: HashMap<Option<usize>, Vec<usize>> = HashMap::new();
    for at in 0..entries.len() {
        let above = page.tree.parent(at).and_then(|parent| places.get(parent).copied().flatten());
        let has_article = articles.get(at).is_some_and(Option::is_some);
        if has_article {
            siblings.entry(above).or_default().push(at);
        }
        if let Some(place) = places.get_mut(at) {
            *place = if has_article { Some(at) } else { above };
        }
    }
    let mut html = Html::default();
    for (at, _) in page.tree.walk() {
        let (Some(entry), Some(article)) = (entries.get(at), articles.get_mut(at).and_then(Option::take))
        else {
            continue;
        };
        let above = page.tree.parent(at).and_then(|parent| places.get(parent).copied().flatten());
        let fork = siblings.get(&above).map(Vec::as_slice).unwrap_or_default();
        html.append(framed(page, (at, entry), article, (above, fork)));
    }
    (html, places)
}

/// An article in its frame: its number, its parent's, and the way to the other branches.
fn framed(
    page: &Page<'_>,
    (at, entry): (usize, &Entry),
    article: Article,
    (above, fork): (Option<usize>, &[usize]),
) -> Html {
    let mut html = Html::default();
    html.raw("<article class=\"").raw(article.class).raw(if page.tree.is_active(at) { "" } else { " off" });
    html.raw("\" id=\"e").number(at).raw("\"");
    if let Some(above) = above {
        html.raw(" data-up=\"e").number(above).raw("\"");
    }
    html.raw(">");
    if let Some(place) = fork.iter().position(|sibling| *sibling == at).filter(|_| fork.len() > 1) {
        html.raw("<nav class=\"fork\">Branch ").number(place + 1).raw(" of ").number(fork.len());
        for (number, sibling) in fork.iter().enumerate().filter(|(_, sibling)| **sibling != at).take(50) {
            html.raw(" <a href=\"#e").number(*sibling).raw("\">").number(number + 1).raw("</a>");
        }
        html.raw("</nav>");
    }
    if !article.speaker.is_empty() {
        html.element("<header><b class=\"who\">", &article.speaker, "</b>");
        if let Some(label) = page.tree.label(at) {
            html.element("<span class=\"label\">", label, "</span>");
        }
        html.append(time(entry.timestamp()));
        html.raw("<a class=\"here\" aria-label=\"Link to this entry\" href=\"#e")
            .number(at)
            .raw("\">#</a></header>");
    }
    html.raw("<div class=\"body\">").append(article.html).raw("</div></article>");
    html
}

/// A time as `18 Nov 2026, 08:19`, in UTC; nothing if it cannot be read.
fn time(iso: &str) -> Html {
    let mut html = Html::default();
    let time = milliseconds(iso).and_then(|time| jiff::Timestamp::from_millisecond(time).ok());
    if let Some(time) = time {
        html.element("<time title=\"", &time.strftime("%Y-%m-%d %H:%M:%S UTC").to_string(), "\">");
        html.element("", &time.strftime("%-d %b %Y, %H:%M").to_string(), "</time>");
    }
    html
}
