//! A tool call with what came of it, as a card that can be opened.

use super::Page;
use super::code::{change, code_box, output};
use super::writer::Html;
use crate::export::toolcall::{self, Change};
use crate::export::{ansi, outline, picture};
use crate::session::content::ToolCall;
use crate::session::message::ToolResultMessage;
use crate::session::{Block, Content};

/// A call. Failures, changes to files and pictures are open from the start: they are what a reader looks for.
pub(super) fn card(page: &Page<'_>, call: &ToolCall) -> Html {
    let result = page.result_of(&call.id);
    let edit = toolcall::change(call, result);
    let is_error = result.is_some_and(|result| result.is_error);
    let has_picture = result.is_some_and(|result| {
        result.content.blocks().iter().any(|block| matches!(block, Block::Image { .. }))
    });
    let is_open = is_error || has_picture || matches!(edit, Some(Change::Parts(_) | Change::Patch(_)));
    let mut html = Html::default();
    html.raw("<details class=\"tool");
    html.raw(if is_error { " bad" } else { "" }).raw("\"").raw(if is_open { " open" } else { "" }).raw(">");
    html.raw("<summary><span class=\"dot\"></span>").element("<b>", &call.name, "</b>");
    let subject = toolcall::subject(call).unwrap_or_default();
    html.element("<code>", &outline::cut(&page.short_path(&subject), 160), "</code>");
    html.raw(match result {
        None => "<em class=\"pill\">no result</em>",
        Some(_) if is_error => "<em class=\"pill bad\">failed</em>",
        Some(_) => "",
    });
    html.raw("</summary><div class=\"in\">");
    html.append(arguments(call, edit.as_ref()));
    if let Some(result) = result {
        html.append(outcome(page, result, edit.is_some() && !is_error));
    }
    html.raw("</div></details>");
    html
}

/// What the tool was called with.
fn arguments(call: &ToolCall, edit: Option<&Change<'_>>) -> Html {
    let mut html = Html::default();
    if let Some(malformed) = &call.malformed {
        html.element("<p class=\"hint\">The arguments are not a JSON object: ", &malformed.reason, "</p>");
        html.append(output(&malformed.text, true));
        return html;
    }
    if let Some(edit) = edit {
        let path = toolcall::path(call).unwrap_or_default();
        if !path.is_empty() {
            html.element("<p class=\"path\">", path, "</p>");
        }
        html.append(change(edit, path));
        return html;
    }
    if let Some((text, language)) = toolcall::script(call) {
        html.append(code_box(language, text));
        let rest: serde_json::Map<_, _> = call
            .arguments
            .iter()
            .filter(|(_, value)| value.as_str() != Some(text))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        if !rest.is_empty() {
            html.append(code_box("json", &serde_json::to_string_pretty(&rest).unwrap_or_default()));
        }
        return html;
    }
    if !call.arguments.is_empty() {
        html.append(code_box("json", &serde_json::to_string_pretty(&call.arguments).unwrap_or_default()));
    }
    html
}

/// What came of it. Below a diff, what a tool says about its success is small print.
fn outcome(page: &Page<'_>, result: &ToolResultMessage, is_brief: bool) -> Html {
    let mut html = Html::default();
    let text = result.content.text("\n");
    let text = ansi::plain(&text);
    if result.pruned_at.is_some() {
        html.raw("<p class=\"hint\">The output was removed from the conversation to save room.</p>");
    }
    if is_brief && text.lines().count() <= 3 {
        html.element("<p class=\"hint\">", text.trim(), "</p>");
    } else if !text.trim().is_empty() {
        html.append(output(&text, result.is_error));
    } else if result.content.blocks().is_empty() {
        html.raw("<p class=\"hint\">no output</p>");
    }
    html.append(pictures(page, &result.content));
    html
}

/// A result without its call: the call was summarised away, or is missing.
pub(super) fn lone_result(page: &Page<'_>, result: &ToolResultMessage) -> Html {
    let mut html = Html::default();
    html.raw(if result.is_error { "<details class=\"tool bad\">" } else { "<details class=\"tool\">" });
    html.raw("<summary><span class=\"dot\"></span>").element("<b>", &result.tool_name, "</b>");
    html.raw("<code>result without its call</code></summary><div class=\"in\">");
    html.append(outcome(page, result, false)).raw("</div></details>");
    html
}

/// The pictures of a content.
pub(super) fn pictures(page: &Page<'_>, content: &Content) -> Html {
    let mut html = Html::default();
    for block in content.blocks() {
        html.append(one_picture(page, block));
    }
    html
}

pub(super) fn one_picture(page: &Page<'_>, block: &Block) -> Html {
    let mut html = Html::default();
    let Block::Image { data, mime_type } = block else { return html };
    match picture::read(data, page.transcript.blobs) {
        Ok(picture) => {
            html.element(
                "<figure><img alt=\"Picture\" loading=\"lazy\" src=\"",
                &picture.address,
                "\"></figure>",
            );
        }
        Err(reason) => {
            html.element("<p class=\"hint\">Picture (", mime_type, "): ").raw(reason).raw("</p>");
        }
    }
    html
}
