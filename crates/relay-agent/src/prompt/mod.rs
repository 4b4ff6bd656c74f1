//! The system prompt: what a model reads before the conversation.
//!
//! [`gather`] reads what the user and the repository have to say, once, when a session starts; [`compose`] makes the
//! prompt from it and is a pure function: the same material gives the same bytes, so the provider's cache serves every
//! turn. Whatever comes from a repository is in a frame that it cannot leave, capped in size, and marked as data: no
//! text in a file widens what the agent may do. `relay prompt --system` shows the prompt with the source and the size
//! of every part.

mod compose;
mod environment;
mod instructions;

use std::collections::BTreeSet;

use relay_workspace::Dir;
use serde::Serialize;

pub use compose::compose;
pub use environment::Environment;
pub(crate) use instructions::chain;

use crate::rules::{self, Rule};
use crate::skills::{self, Skill};
use crate::sources::{FILE_LIMIT_BYTES, Place, Reader, Skipped, Text};
use crate::tokens;

/// What the user decides about the prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// `--system-prompt`: in place of Relay's own.
    pub system_prompt: Option<String>,
    /// `--append-system-prompt`: after it.
    pub append: Option<String>,
    /// `--no-rules`: no rules of any program.
    pub no_rules: bool,
    /// `--no-context-files`: no instruction files of the repository.
    pub no_files: bool,
    /// Which skills there are.
    pub skills: skills::Settings,
}

/// Where everything is.
#[derive(Clone, Debug)]
pub struct Places<'a> {
    /// The root of the repository.
    pub project: &'a Dir,
    /// The working folder, from the root; empty for the root itself.
    pub folder: &'a str,
    /// The user's config folder for Relay, and how it is shown.
    pub user: Option<(&'a Dir, &'a str)>,
    /// The user's folders of skills, and how they are shown.
    pub skills: Vec<(&'a Dir, &'a str)>,
}

impl<'a> Places<'a> {
    /// The folders that skills are searched in: the user's, then the repository.
    #[must_use]
    pub fn for_skills(&self) -> Vec<Place<'a>> {
        let own = self.skills.iter().map(|(dir, shown)| Place::user(dir, shown));
        own.chain([Place::project(self.project)]).collect()
    }
}

/// Everything that goes into a prompt, read once.
#[derive(Clone, Debug, Default)]
pub struct Material {
    /// The user's options.
    pub options: Options,
    /// The user's instructions for every project.
    pub user: Option<Text>,
    /// The repository's instruction files, from the root down.
    pub project: Vec<Text>,
    /// All rules.
    pub rules: Vec<Rule>,
    /// All skills.
    pub skills: Vec<Skill>,
    /// The environment.
    pub environment: Environment,
    /// What was not used, and why.
    pub skipped: Vec<Skipped>,
}

/// Reads everything that goes into a prompt. What cannot be read is left out and reported.
#[must_use]
pub fn gather(places: &Places<'_>, environment: Environment, options: Options) -> Material {
    let mut reader = Reader::default();
    let project = Place::project(places.project);
    let user = places.user.map(|(dir, shown)| Place::user(dir, shown));
    let own = user.and_then(|user| reader.text(user, instructions::USER_NAME, FILE_LIMIT_BYTES));
    let files = match options.no_files {
        true => Vec::new(),
        false => instructions::project(&mut reader, project, places.folder),
    };
    let rules = match options.no_rules {
        true => Vec::new(),
        false => rules::discover(&mut reader, user, project, places.folder),
    };
    let skills = skills::discover(&mut reader, &places.for_skills(), places.folder, &options.skills);
    let mut seen = BTreeSet::new();
    let mut skipped = reader.skipped;
    skipped.retain(|skipped| seen.insert((skipped.path.clone(), skipped.reason.clone())));
    Material { options, user: own, project: files, rules, skills, environment, skipped }
}

/// A part of the prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Section {
    /// What it is.
    pub kind: SectionKind,
    /// Where it comes from: a path, or what wrote it.
    pub source: String,
    /// Whether it comes from the repository, and so is data.
    pub of_repository: bool,
    /// How many bytes it has.
    pub bytes: usize,
    /// About how many tokens that is.
    pub tokens: u64,
    /// How many bytes its source has, if only a part of it is here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut_from_bytes: Option<u64>,
    /// The text.
    pub text: String,
}

/// What a part of the prompt is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SectionKind {
    /// Who the agent is and how it works.
    Base,
    /// What the user adds on the command line.
    Appended,
    /// The user's instructions for every project.
    UserInstructions,
    /// What introduces the repository's texts.
    Introduction,
    /// An instruction file of the repository.
    ProjectFile,
    /// A rule that always counts.
    Rule,
    /// The list of rules.
    Rules,
    /// The list of skills.
    Skills,
    /// Facts about the environment.
    Environment,
}

impl Section {
    fn new(kind: SectionKind, source: &str, text: String) -> Self {
        Self {
            kind,
            source: source.to_owned(),
            of_repository: false,
            bytes: text.len(),
            tokens: tokens::of_text(&text),
            cut_from_bytes: None,
            text,
        }
    }
}

/// A system prompt, part by part.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SystemPrompt {
    /// The parts, in order.
    pub sections: Vec<Section>,
    /// What was not used, and why.
    pub skipped: Vec<Skipped>,
}

impl SystemPrompt {
    /// The whole text.
    #[must_use]
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self.sections.iter().map(|section| section.text.as_str()).collect();
        texts.join("\n\n")
    }

    /// About how many tokens it has.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        self.sections.iter().map(|section| section.tokens).sum()
    }
}
