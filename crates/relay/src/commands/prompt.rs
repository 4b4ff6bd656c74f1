//! `relay prompt`: the instructions that teach a model the reply format, or the system prompt of Relay's own agent.

use std::path::Path;

use relay_agent::prompt::{Options, SystemPrompt, compose};
use relay_edit::prompt::system_prompt;
use serde_json::json;

use crate::cli::PromptArgs;
use crate::failure::Failure;
use crate::terminal::report::line;
use crate::terminal::style::{FAINT, NOTE, STRONG, count, paint};
use crate::terminal::{self, visible};
use crate::{clipboard, instructions, open};

pub fn run(root: Option<&Path>, args: &PromptArgs) -> Result<u8, Failure> {
    if args.system {
        return of_the_agent(root, args);
    }
    let engine = open::engine_told(root)?;
    let text = system_prompt(args.dialect, engine.config().project_id.as_deref());
    if args.copy {
        clipboard::copy(&text)?;
        terminal::tell(
            "the instructions are on the clipboard; paste them into your chat's custom instructions\n",
        );
        return Ok(0);
    }
    Ok(terminal::print_exactly(&text))
}

/// The system prompt of an agent session started here.
fn of_the_agent(root: Option<&Path>, args: &PromptArgs) -> Result<u8, Failure> {
    let options = Options {
        system_prompt: args.system_prompt.clone(),
        append: args.append_system_prompt.clone(),
        no_rules: args.no_rules,
        ..Options::default()
    };
    let prompt = compose(&instructions::material(&open::workspace(root)?, &open::store()?, None, options));
    if args.copy {
        clipboard::copy(&prompt.text())?;
        terminal::tell("the system prompt is on the clipboard\n");
        return Ok(0);
    }
    if args.json {
        let document = json!({
            "text": prompt.text(),
            "bytes": prompt.text().len(),
            "tokens": prompt.tokens(),
            "sections": prompt.sections,
            "skipped": prompt.skipped,
        });
        return Ok(terminal::print_document(&document));
    }
    Ok(terminal::print_as_is(&shown(&prompt)))
}

/// Every part with its source and size, then the total and what was left out.
fn shown(prompt: &SystemPrompt) -> String {
    let mut text = String::new();
    for section in &prompt.sections {
        let whose = if section.of_repository { ", from the repository" } else { "" };
        let cut = section.cut_from_bytes.map(|bytes| format!(", cut from {bytes} bytes")).unwrap_or_default();
        let size = format!("{} bytes, about {} tokens{whose}{cut}", section.bytes, section.tokens);
        let source = visible(&section.source);
        line(&mut text, format_args!("{} {}", paint(STRONG, format!("[{source}]")), paint(FAINT, size)));
        line(&mut text, format_args!("{}\n", visible(&section.text)));
    }
    let parts = count(prompt.sections.len(), "part");
    let total = format!("{parts}, {} bytes, about {} tokens", prompt.text().len(), prompt.tokens());
    line(&mut text, format_args!("{}", paint(STRONG, total)));
    for skipped in &prompt.skipped {
        let skipped = format!("not used: {}: {}", visible(&skipped.path), visible(&skipped.reason));
        line(&mut text, format_args!("{}", paint(NOTE, skipped)));
    }
    text
}
