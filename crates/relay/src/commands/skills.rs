//! `relay skills`: the skills of an agent session started here.

use std::path::Path;
use std::sync::Arc;

use relay_agent::prompt::Options;
use relay_agent::skills::Skill;
use relay_agent::sources::Owner;
use relay_diagnostics::Diagnostic;
use relay_engine::suggest;
use serde_json::{Value, json};

use crate::cli::SkillsArgs;
use crate::failure::{BAD_USAGE, Failure};
use crate::instructions::{self, SkillTexts};
use crate::terminal::report::line;
use crate::terminal::style::{FAINT, STRONG, paint};
use crate::terminal::{self, visible};
use crate::{agent, open, user};

pub fn run(root: Option<&Path>, args: &SkillsArgs) -> Result<u8, Failure> {
    let (store, engine) = (open::store()?, Arc::new(open::engine_told(root)?));
    let settings = user::settings(&store)?;
    let options = Options { skills: agent::skills(&settings), ..Options::default() };
    let material = instructions::material(engine.workspace(), &store, None, options);
    let texts = SkillTexts::new(engine, &store, &material);
    if let Some(name) = &args.name {
        let (_, text) = texts.find(name).ok_or_else(|| unknown(name, texts.all()))?;
        return Ok(terminal::print_as_is(&text.text));
    }
    if args.json {
        let skills: Vec<Value> = texts.all().iter().map(document).collect();
        return Ok(terminal::print_document(&json!({ "skills": skills })));
    }
    let mut shown = String::new();
    for skill in texts.all() {
        let name = paint(STRONG, visible(&skill.name));
        let place = paint(FAINT, visible(&skill.path));
        line(&mut shown, format_args!("{name}  {}  {place}", visible(&skill.description)));
    }
    terminal::print_as_is(&shown);
    if texts.all().is_empty() && !settings.flag("skills.enabled") {
        terminal::tell("skills are off; `relay config set skills.enabled true` turns them on\n");
    } else if texts.all().is_empty() {
        terminal::tell("no skills yet; a folder with a SKILL.md in .relay/skills is one\n");
    }
    Ok(0)
}

fn document(skill: &Skill) -> Value {
    json!({
        "name": skill.name, "description": skill.description, "path": skill.path, "hidden": skill.is_hidden,
        "location": if skill.owner == Owner::User { "user" } else { "project" },
    })
}

fn unknown(name: &str, skills: &[Skill]) -> Failure {
    let names: Vec<&str> = skills.iter().map(|skill| skill.name.as_str()).collect();
    let diagnostic = Diagnostic::error(BAD_USAGE, format!("there is no skill `{}`", visible(name)));
    Failure::usage(match suggest::closest(name, &names) {
        Some(near) => diagnostic.hinted(format!("Did you mean `{near}`?")),
        None => diagnostic.hinted("`relay skills` lists them."),
    })
}
