//! Composing the prompt, purely: the same material gives the same bytes.
//!
//! What changes least comes first, so that as much as possible of the prompt is the same from session to session.

use super::{Material, Section, SectionKind, SystemPrompt};
use crate::frame;
use crate::rules::{self, Rule, Use};
use crate::skills::{self, Skill};
use crate::sources::{Owner, Skipped, Text};

const BASE: &str = include_str!("text/base.md");
const USER_INSTRUCTIONS: &str = include_str!("text/user_instructions.md");
const PROJECT_FILES: &str = include_str!("text/project_files.md");
const RULES: &str = include_str!("text/rules.md");
const SKILLS: &str = include_str!("text/skills.md");

/// What Relay's own parts are called in reports.
const BUILT_IN: &str = "built in";
/// How many bytes of rules that always count reach a prompt, from the repository.
const RULES_LIMIT_BYTES: usize = 32 << 10;
/// How many bytes the lists of rules and of skills may have, each.
const LIST_LIMIT_BYTES: usize = 16 << 10;

/// Makes the prompt.
#[must_use]
pub fn compose(material: &Material) -> SystemPrompt {
    let mut prompt = SystemPrompt { sections: vec![base(material)], skipped: material.skipped.clone() };
    if let Some(text) = material.options.append.as_deref().filter(|text| !text.trim().is_empty()) {
        let text = text.trim().to_owned();
        prompt.sections.push(Section::new(SectionKind::Appended, "--append-system-prompt", text));
    }
    let (own, foreign) = always(&material.rules, &mut prompt.skipped);
    let user = material.user.iter().filter(|text| !text.text.trim().is_empty());
    let mut user: Vec<Section> = user.map(user_instructions).collect();
    user.extend(own.into_iter().map(rule_section));
    prompt.sections.extend(user);
    let files = material.project.iter().map(project_file);
    let repository: Vec<Section> = files.chain(foreign.into_iter().map(rule_section)).collect();
    if !repository.is_empty() {
        let introduction = PROJECT_FILES.trim_end().to_owned();
        prompt.sections.push(Section::new(SectionKind::Introduction, BUILT_IN, introduction));
        prompt.sections.extend(repository);
    }
    prompt.sections.extend(list_of_rules(&material.rules, &mut prompt.skipped));
    prompt.sections.extend(list_of_skills(&material.skills, &mut prompt.skipped));
    let environment = material.environment.shown();
    prompt.sections.push(Section::new(SectionKind::Environment, BUILT_IN, environment));
    prompt
}

fn base(material: &Material) -> Section {
    match &material.options.system_prompt {
        Some(text) => Section::new(SectionKind::Base, "--system-prompt", text.trim_end().to_owned()),
        None => Section::new(SectionKind::Base, BUILT_IN, BASE.trim_end().to_owned()),
    }
}

fn user_instructions(text: &Text) -> Section {
    let framed = frame::framed("user-instructions", &[("path", &text.path)], &text.text);
    let shown = format!("{}\n\n{framed}", USER_INSTRUCTIONS.trim_end());
    Section { cut_from_bytes: cut(text), ..Section::new(SectionKind::UserInstructions, &text.path, shown) }
}

fn project_file(text: &Text) -> Section {
    let mut shown = frame::framed("project-file", &[("path", &text.path)], &text.text);
    if let Some(bytes) = cut(text) {
        shown.push_str(&format!(
            "\n[The file has {bytes} bytes; only the beginning is shown. Read it for the rest.]"
        ));
    }
    Section {
        of_repository: true,
        cut_from_bytes: cut(text),
        ..Section::new(SectionKind::ProjectFile, &text.path, shown)
    }
}

fn cut(text: &Text) -> Option<u64> {
    text.is_cut.then_some(text.bytes)
}

fn rule_section(rule: &Rule) -> Section {
    Section {
        of_repository: rule.owner == Owner::Project,
        ..Section::new(SectionKind::Rule, &rule.path, rule.framed())
    }
}

/// Rules that always count: the user's, and as many of the repository's as there is room for.
fn always<'a>(rules: &'a [Rule], skipped: &mut Vec<Skipped>) -> (Vec<&'a Rule>, Vec<&'a Rule>) {
    let all = rules.iter().filter(|rule| rule.usage() == Use::Always && !rule.content.is_empty());
    let (own, foreign): (Vec<&Rule>, Vec<&Rule>) = all.partition(|rule| rule.owner == Owner::User);
    let mut room = RULES_LIMIT_BYTES;
    let mut kept = Vec::new();
    for rule in foreign {
        match room.checked_sub(rule.content.len()) {
            Some(rest) => {
                room = rest;
                kept.push(rule);
            }
            None => {
                let reason =
                    format!("rules that always count may have {} KiB together", RULES_LIMIT_BYTES >> 10);
                skipped.push(Skipped::new(rule.path.clone(), reason));
            }
        }
    }
    (own, kept)
}

fn list_of_rules(rules: &[Rule], skipped: &mut Vec<Skipped>) -> Option<Section> {
    let listed = rules.iter().filter(|rule| rule.usage() == Use::Listed);
    let lines = listed.map(|rule| (rules::listed(rule), rule.path.as_str(), rule.owner));
    list(SectionKind::Rules, RULES, lines, skipped)
}

fn list_of_skills(skills: &[Skill], skipped: &mut Vec<Skipped>) -> Option<Section> {
    let shown = skills.iter().filter(|skill| !skill.is_hidden);
    let lines = shown.map(|skill| (skills::listed(skill), skill.path.as_str(), skill.owner));
    list(SectionKind::Skills, SKILLS, lines, skipped)
}

/// A list with its introduction; none if it is empty. What does not fit is reported.
fn list<'a>(
    kind: SectionKind,
    introduction: &str,
    lines: impl Iterator<Item = (String, &'a str, Owner)>,
    skipped: &mut Vec<Skipped>,
) -> Option<Section> {
    let mut text = String::new();
    let mut of_repository = false;
    let mut count = 0_usize;
    for (line, path, owner) in lines {
        if text.len() + line.len() > LIST_LIMIT_BYTES {
            let reason = format!("the list may have {} KiB", LIST_LIMIT_BYTES >> 10);
            skipped.push(Skipped::new(path, reason));
            continue;
        }
        text.push('\n');
        text.push_str(&line);
        of_repository |= owner == Owner::Project;
        count += 1;
    }
    let (tag, source) = match kind {
        SectionKind::Rules => ("rules", format!("{count} rule{}", if count == 1 { "" } else { "s" })),
        _ => ("skills", format!("{count} skill{}", if count == 1 { "" } else { "s" })),
    };
    (count > 0).then(|| {
        // Names and descriptions are escaped already: each line by itself, so that none can pose as two.
        let shown = format!("{}\n\n<{tag}>{text}\n</{tag}>", introduction.trim_end());
        Section { of_repository, ..Section::new(kind, &source, shown) }
    })
}
