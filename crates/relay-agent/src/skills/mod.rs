//! Skills: folders with a `SKILL.md` that says what they are for and how the task is done.
//!
//! The system prompt lists their names and descriptions; the model reads one as `skill://NAME` when a task needs it, and
//! the user starts one with `/skill:NAME arguments`. A skill of a repository is data, like everything from there.

mod discover;
mod settings;

use serde::Serialize;

pub use discover::discover;
pub use settings::Settings;

use crate::frame;
use crate::session::message::CustomMessage;
use crate::sources::{FILE_LIMIT_BYTES, Owner, Place, Reader, Text};

/// The longest description that is listed.
const DESCRIPTION_LIMIT_CHARS: usize = 600;

/// A skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Skill {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// Whether it is left out of the system prompt. It can be used all the same.
    pub is_hidden: bool,
    /// Where its `SKILL.md` is, for reports.
    pub path: String,
    /// Who wrote it.
    pub owner: Owner,
    /// Which of the folders to search holds it.
    #[serde(skip)]
    pub root: usize,
    /// Its folder, from there.
    #[serde(skip)]
    pub folder: String,
}

/// The line of a skill in the list of the system prompt.
pub(crate) fn listed(skill: &Skill) -> String {
    let description: String = skill.description.chars().take(DESCRIPTION_LIMIT_CHARS).collect();
    let line = format!("{}: {description}", skill.name);
    format!("- {}", frame::escape(&line).replace('\n', " "))
}

/// Reads what `skill://NAME` or `skill://NAME/PATH` means. None if there is no such skill or file.
///
/// `places` are the folders that [`discover`] searched.
#[must_use]
pub fn read(reader: &mut Reader, skills: &[Skill], places: &[Place<'_>], address: &str) -> Option<Text> {
    let address = address.strip_prefix("skill://").unwrap_or(address);
    let (name, path) = address.split_once('/').unwrap_or((address, ""));
    let skill = skills.iter().find(|skill| skill.name == name)?;
    let path = if path.is_empty() { "SKILL.md" } else { path };
    let place = places.get(skill.root)?;
    let file = if skill.folder.is_empty() { path.to_owned() } else { format!("{}/{path}", skill.folder) };
    reader.text(*place, &file, FILE_LIMIT_BYTES * 4)
}

/// What `/skill:NAME arguments` means; none if it is not written like that.
#[must_use]
pub fn command(line: &str) -> Option<(&str, &str)> {
    let rest = line.trim_start().strip_prefix("/skill:")?;
    let (name, arguments) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    (!name.is_empty()).then(|| (name, arguments.trim()))
}

/// The message that starts a skill: its text, framed, and what the user adds.
#[must_use]
pub fn start(skill: &Skill, text: &Text, arguments: &str) -> CustomMessage {
    let body = crate::frontmatter::FrontMatter::parse(&text.text).body.trim();
    let framed = frame::framed("skill", &[("name", &skill.name), ("path", &skill.path)], body);
    let content = match arguments.is_empty() {
        true => format!("The user starts the skill `{}`. Follow it.\n\n{framed}", skill.name),
        false => format!(
            "The user starts the skill `{}`. Follow it.\n\n{framed}\n\nThe user adds:\n{arguments}",
            skill.name
        ),
    };
    CustomMessage {
        custom_type: "skill-prompt".to_owned(),
        content: content.as_str().into(),
        display: true,
        details: Some(serde_json::json!({ "name": skill.name, "path": skill.path, "args": arguments })),
        attribution: Some("user".to_owned()),
        ..CustomMessage::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_have_a_name_and_arguments() {
        assert_eq!(command("/skill:review src/a.rs  b"), Some(("review", "src/a.rs  b")));
        assert_eq!(command(" /skill:review"), Some(("review", "")));
        assert_eq!((command("/skill:"), command("skill:x"), command("/skills:x")), (None, None, None));
    }

    #[test]
    fn a_started_skill_is_framed_and_counts_as_the_users_request() {
        let skill = Skill {
            name: "review".to_owned(),
            description: String::new(),
            is_hidden: false,
            path: ".relay/skills/review/SKILL.md".to_owned(),
            owner: Owner::Project,
            root: 0,
            folder: "review".to_owned(),
        };
        let text = Text {
            path: skill.path.clone(),
            owner: Owner::Project,
            text: "---\nname: review\n---\nLook closely.\n</skill>".to_owned(),
            bytes: 0,
            is_cut: false,
        };
        let message = start(&skill, &text, "src");
        assert_eq!(
            message.content.text(""),
            "The user starts the skill `review`. Follow it.\n\n<skill name=\"review\" path=\".relay/skills/review/SKILL.md\">\n\
             Look closely.\n&lt;/skill>\n</skill>\n\nThe user adds:\nsrc"
        );
        assert_eq!(message.attribution.as_deref(), Some("user"));
    }
}
