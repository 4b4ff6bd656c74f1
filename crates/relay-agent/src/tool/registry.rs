//! All tools, and which of them a session offers.

use std::collections::BTreeSet;
use std::sync::Arc;

use thiserror::Error;

use super::Tool;

/// Tools that come along when another is asked for by name.
const COMPANIONS: [(&str, &[&str]); 5] = [
    ("search", &["ast_grep"]),
    ("edit", &["ast_edit"]),
    ("bash", &["recipe"]),
    ("checkpoint", &["rewind"]),
    ("recall", &["retain", "reflect"]),
];

/// The tool that settles previews. It is always there, and always last.
const RESOLVE: &str = "resolve";

/// All tools, in the order in which models see them.
#[derive(Clone, Default)]
pub struct Registry {
    tools: Vec<Arc<dyn Tool>>,
}

/// Which tools a session offers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Selection {
    /// All that are not hidden.
    #[default]
    All,
    /// Those with these names, and their companions.
    Named(Vec<String>),
    /// None.
    Nothing,
}

/// A name that no tool has.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("unknown tool `{name}`; there are {known}")]
pub struct UnknownTool {
    /// The name.
    pub name: String,
    /// The names there are.
    pub known: String,
}

impl Registry {
    /// A registry with these tools. Where two have one name, the first is kept.
    #[must_use]
    pub fn new(tools: impl IntoIterator<Item = Arc<dyn Tool>>) -> Self {
        let mut registry = Self::default();
        for tool in tools {
            registry.add(tool);
        }
        registry
    }

    /// Adds a tool, unless one of its name is there.
    pub fn add(&mut self, tool: Arc<dyn Tool>) {
        if self.get(&tool.spec().name).is_none() {
            self.tools.push(tool);
        }
    }

    /// Replaces all tools that `is_one_of_these` picks, such as those a host brought.
    pub fn replace(&mut self, is_one_of_these: impl Fn(&str) -> bool, tools: Vec<Arc<dyn Tool>>) {
        self.tools.retain(|tool| !is_one_of_these(&tool.spec().name));
        for tool in tools {
            self.add(tool);
        }
    }

    /// The tool with this name, whatever its case: some models write `Read`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.tools.iter().find(|tool| tool.spec().name.eq_ignore_ascii_case(name))
    }

    /// All names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().map(|tool| tool.spec().name.as_ref())
    }

    /// The tools a selection means, in the order of the registry, `resolve` last.
    ///
    /// # Errors
    /// A name is not that of a tool.
    pub fn select(&self, selection: &Selection) -> Result<Vec<Arc<dyn Tool>>, UnknownTool> {
        let wanted = match selection {
            Selection::All => {
                let shown = self.tools.iter().filter(|tool| !tool.spec().hidden);
                shown.map(|tool| tool.spec().name.to_ascii_lowercase()).collect()
            }
            Selection::Nothing => return Ok(Vec::new()),
            Selection::Named(names) => self.with_companions(names)?,
        };
        let is_wanted = |tool: &&Arc<dyn Tool>| wanted.contains(&tool.spec().name.to_ascii_lowercase());
        let (last, mut rest): (Vec<_>, Vec<_>) = self
            .tools
            .iter()
            .filter(|tool| is_wanted(tool) || tool.spec().name == RESOLVE)
            .cloned()
            .partition(|tool| tool.spec().name == RESOLVE);
        rest.extend(last);
        Ok(rest)
    }

    fn with_companions(&self, names: &[String]) -> Result<BTreeSet<String>, UnknownTool> {
        let mut wanted = BTreeSet::new();
        for name in names {
            let Some(tool) = self.get(name) else {
                let known = self.names().collect::<Vec<_>>().join(", ");
                return Err(UnknownTool { name: name.clone(), known });
            };
            let name = tool.spec().name.to_ascii_lowercase();
            let companions =
                COMPANIONS.iter().find(|(of, _)| *of == name).map_or(&[][..], |(_, names)| names);
            wanted.extend(companions.iter().map(|name| (*name).to_owned()));
            wanted.insert(name);
        }
        Ok(wanted)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::super::{Access, Call, Concurrency, Output, Spec, ToolError};
    use super::*;

    struct Named(Spec);

    impl Tool for Named {
        fn spec(&self) -> &Spec {
            &self.0
        }
        fn access(&self, _: &Map<String, Value>) -> Vec<Access> {
            Vec::new()
        }
        fn run(&self, _: &Call<'_>) -> Result<Output, ToolError> {
            Ok(Output::default())
        }
    }

    fn registry() -> Registry {
        Registry::new(["resolve", "read", "bash", "edit", "ast_edit", "recipe", "CronCreate", "yield"].map(
            |name| {
                let spec = Spec {
                    name: name.into(),
                    description: "".into(),
                    parameters: json!({}),
                    concurrency: Concurrency::Shared,
                    hidden: matches!(name, "resolve" | "yield"),
                };
                Arc::new(Named(spec)) as Arc<dyn Tool>
            },
        ))
    }

    fn check(selection: Selection, expected: &[&str]) {
        let selected = registry().select(&selection).unwrap();
        let names: Vec<&str> = selected.iter().map(|tool| tool.spec().name.as_ref()).collect();
        assert_eq!(names, expected);
    }

    fn named(names: &[&str]) -> Selection {
        Selection::Named(names.iter().map(|name| (*name).to_owned()).collect())
    }

    #[test]
    fn all_means_all_that_are_not_hidden_and_resolve_last() {
        check(Selection::All, &["read", "bash", "edit", "ast_edit", "recipe", "CronCreate", "resolve"]);
    }

    #[test]
    fn names_match_in_any_case_and_bring_companions() {
        check(named(&["croncreate"]), &["CronCreate", "resolve"]);
        check(named(&["Edit", "yield"]), &["edit", "ast_edit", "yield", "resolve"]);
        check(Selection::Nothing, &[]);
    }

    #[test]
    fn an_unknown_name_lists_those_there_are() {
        let Err(error) = registry().select(&named(&["grep"])) else { panic!("it is not there") };
        assert!(error.to_string().contains("`grep`") && error.to_string().contains("CronCreate"));
    }
}
