//! The head of the page: the session's name, where and when it was held, what it used up.

use super::entry::folded;
use super::writer::Html;
use super::{Page, time};
use crate::export::tally::{ModelTally, dollars, short_count, span};

pub(super) fn masthead(page: &Page<'_>) -> Html {
    let transcript = page.transcript;
    let (header, tally) = (transcript.header, transcript.tally());
    let mut html = Html::default();
    html.raw("<header class=\"top\">").element("<h1>", &transcript.name(), "</h1><p class=\"facts\">");
    if !header.cwd().is_empty() {
        html.element("<span class=\"cwd\">", header.cwd(), "</span>");
    }
    html.raw("<span>").append(time(header.timestamp())).raw("</span>");
    html.element("<span>", header.id(), "</span>");
    if let Some(parent) = header.parent_session() {
        html.element("<span>from ", parent, "</span>");
    }
    html.raw("</p><dl class=\"stats\">");
    let total = tally.total();
    let mut stat = |name: &'static str, value: &str, note: &str| {
        html.raw("<div><dt>").raw(name).element("</dt><dd>", value, "");
        if !note.is_empty() {
            html.element("<small>", note, "</small>");
        }
        html.raw("</dd></div>");
    };
    stat("Prompts", &tally.prompts.to_string(), "");
    stat("Answers", &tally.answers.to_string(), "");
    let failures = if tally.failures > 0 { format!("{} failed", tally.failures) } else { String::new() };
    stat("Tool calls", &tally.calls.to_string(), &failures);
    let cached = if total.cache_read > 0 {
        format!("{} cached", short_count(total.cache_read))
    } else {
        String::new()
    };
    stat("Tokens in", &short_count(total.input + total.cache_read + total.cache_write), &cached);
    stat("Tokens out", &short_count(total.output), "");
    stat("Cost", &dollars(total.cost), "");
    stat("Span", &span(tally.span_ms), "");
    html.raw("</dl>");
    if tally.models.len() > 1 {
        html.append(models(&tally.models));
    }
    if let Some(prompt) = transcript.system_prompt {
        html.append(folded("System prompt", prompt));
    }
    if !transcript.tools.is_empty() {
        let tools = transcript.tools.iter().map(|tool| format!("{}\n{}", tool.name, tool.description));
        html.append(folded("Tools", &tools.collect::<Vec<_>>().join("\n\n")));
    }
    html.raw("</header>");
    html
}

fn models(models: &[ModelTally]) -> Html {
    let mut html = Html::default();
    html.raw("<div class=\"scroll\"><table class=\"models\"><thead><tr><th>Model<th>Answers<th>In<th>Cached<th>Out<th>Cost");
    html.raw("</tr></thead>");
    for model in models {
        html.element("<tr><td><code>", &model.model, "</code>");
        html.element("<td>", &model.answers.to_string(), "");
        html.element("<td>", &short_count(model.input + model.cache_write), "");
        html.element("<td>", &short_count(model.cache_read), "");
        html.element("<td>", &short_count(model.output), "");
        html.element("<td>", &dollars(model.cost), "</tr>");
    }
    html.raw("</table></div>");
    html
}
