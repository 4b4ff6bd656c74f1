//! `skills.*`: which folders are searched, and which skills are used.

use serde::{Deserialize, Serialize};

use crate::rules::Globs;

/// `skills.*`. Unlike elsewhere, skills are on by default: those of the repository (`.relay/skills`, `.agents/skills`,
/// `.claude/skills`) and those in the user's own folder. Folders of other programs in the user's home are asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Settings {
    /// Whether there are any.
    pub enabled: bool,
    /// Whether `/skill:NAME` starts one.
    pub enable_skill_commands: bool,
    /// Whether `~/.codex/skills` is searched.
    pub enable_codex_user: bool,
    /// Whether `~/.claude/skills` is searched.
    pub enable_claude_user: bool,
    /// Whether the repository's `.claude/skills` is searched.
    pub enable_claude_project: bool,
    /// Whether `~/.pi/agent/skills` is searched.
    pub enable_pi_user: bool,
    /// Whether the repository's `.pi/skills` is searched.
    pub enable_pi_project: bool,
    /// Further folders of the user.
    pub custom_directories: Vec<String>,
    /// Patterns for names that are not used.
    pub ignored_skills: Vec<String>,
    /// Patterns for names that are used; none means all.
    pub include_skills: Vec<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            enabled: true,
            enable_skill_commands: true,
            enable_codex_user: false,
            enable_claude_user: false,
            enable_claude_project: true,
            enable_pi_user: false,
            enable_pi_project: false,
            custom_directories: Vec::new(),
            ignored_skills: Vec::new(),
            include_skills: Vec::new(),
        }
    }
}

impl Settings {
    /// The folders of a repository that are searched.
    #[must_use]
    pub fn project_folders(&self) -> Vec<&'static str> {
        let mut folders = vec![".relay/skills", ".agents/skills"];
        folders.extend(self.enable_claude_project.then_some(".claude/skills"));
        folders.extend(self.enable_pi_project.then_some(".pi/skills"));
        folders
    }

    /// The folders in the user's home that are searched beside Relay's own.
    #[must_use]
    pub fn home_folders(&self) -> Vec<&'static str> {
        let mut folders = vec![".agents/skills"];
        folders.extend(self.enable_claude_user.then_some(".claude/skills"));
        folders.extend(self.enable_codex_user.then_some(".codex/skills"));
        folders.extend(self.enable_pi_user.then_some(".pi/agent/skills"));
        folders
    }

    /// Whether a skill with this name is used.
    #[must_use]
    pub fn admits(&self, name: &str) -> bool {
        let is_included = self.include_skills.is_empty() || Globs::new(&self.include_skills).matches(name);
        is_included && !Globs::new(&self.ignored_skills).matches(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_asked_for_and_names_are_filtered() {
        let settings = Settings::default();
        assert_eq!(settings.project_folders(), [".relay/skills", ".agents/skills", ".claude/skills"]);
        assert_eq!(settings.home_folders(), [".agents/skills"]);
        let settings: Settings = serde_json::from_str(
            r#"{"enableClaudeProject":false,"enableCodexUser":true,"includeSkills":["re*"],"ignoredSkills":["*-old"]}"#,
        )
        .unwrap();
        assert_eq!(settings.project_folders(), [".relay/skills", ".agents/skills"]);
        assert_eq!(settings.home_folders(), [".agents/skills", ".codex/skills"]);
        assert!(settings.admits("review") && !settings.admits("review-old") && !settings.admits("deploy"));
    }
}
