//! `/NAME arguments`: the user's and the project's templates, and skills.

use relay_agent::session::Body;
use relay_agent::skills;
use relay_agent::sources::{Owner, Place, Reader};
use relay_agent::templates::{self, Template};
use relay_agent::turn::Prompt;
use relay_settings::Settings;
use relay_store::Store;
use relay_workspace::Workspace;
use serde_json::{Value, json};

use super::Binary;
use crate::instructions::{SkillTexts, tilde};

impl Binary {
    /// Everything that `/` may begin, for menus. Front ends add their own commands.
    pub(super) fn slash_commands(&self) -> Vec<Value> {
        let location = |owner: Owner| if owner == Owner::User { "user" } else { "project" };
        let templates = all(&self.reach.store, self.engine.workspace(), &self.reach.settings);
        let templates = templates.iter().map(|template| {
            json!({
                "name": template.name, "description": template.description, "source": "prompt",
                "argumentHint": template.argument_hint, "location": location(template.owner),
                "path": template.path,
            })
        });
        let skills = self.skills.all().iter().filter(|skill| !skill.is_hidden).map(|skill| {
            json!({
                "name": format!("skill:{}", skill.name), "description": skill.description, "source": "skill",
                "location": location(skill.owner), "path": skill.path,
            })
        });
        templates.chain(skills).collect()
    }

    pub(super) fn expanded(&self, message: &str) -> Option<Result<Prompt, String>> {
        expand(message, &self.skills, || {
            all(&self.reach.store, self.engine.workspace(), &self.reach.settings)
        })
    }
}

/// All templates: the user's first, then the project's.
pub fn all(store: &Store, workspace: &Workspace, settings: &Settings) -> Vec<Template> {
    let config = Workspace::open(store.config_dir()).ok();
    let shown = tilde(store.config_dir());
    let own = config.as_ref().map(|config| Place::user(config.root_dir(), &shown));
    let others = templates::Settings {
        enable_claude_user: settings.flag("commands.enableClaudeUser"),
        enable_claude_project: settings.flag("commands.enableClaudeProject"),
        enable_opencode_user: settings.flag("commands.enableOpencodeUser"),
        enable_opencode_project: settings.flag("commands.enableOpencodeProject"),
    };
    templates::discover(&mut Reader::default(), own, Place::project(workspace.root_dir()), "", others)
}

/// What a text that begins with `/` means, or `None` if it is ordinary text.
pub fn expand(
    message: &str,
    skills: &SkillTexts,
    templates: impl FnOnce() -> Vec<Template>,
) -> Option<Result<Prompt, String>> {
    if let Some((name, arguments)) = skills::command(message) {
        return Some(match skills.find(name) {
            Some((skill, text)) => {
                let message = skills::start(skill, &text, arguments);
                let text = format!("/skill:{name} {arguments}").trim_end().to_owned();
                Ok(Prompt { bodies: vec![Body::CustomMessage(Box::new(message))], text })
            }
            None => Err(format!("there is no skill `{name}`")),
        });
    }
    if !message.starts_with('/') {
        return None;
    }
    templates::message(&templates(), message).map(|text| Ok(Prompt::text(text)))
}
