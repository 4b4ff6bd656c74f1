//! Where a stream rule watches: text, thoughts, tools, one tool, or one tool on some files.

/// A part of what the model writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Words for the reader.
    Text,
    /// Thoughts.
    Thinking,
    /// Arguments of tools.
    Tool(ToolScope),
}

/// Which tools, on which files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolScope {
    /// The tool; nothing means every tool.
    pub tool: Option<String>,
    /// A pattern for the paths that the arguments name; nothing means any arguments.
    pub glob: Option<String>,
}

impl Scope {
    /// Reads a scope: `text`, `thinking`, `tool`, `tool:edit`, `tool:edit(*.rs)` or `tool(*.rs)`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (head, glob) = match text.strip_suffix(')') {
            Some(inner) => {
                let (head, glob) = inner.split_once('(')?;
                (head.trim(), Some(glob.trim().to_owned()).filter(|glob| !glob.is_empty()))
            }
            None => (text, None),
        };
        let tool = |tool: Option<&str>| {
            let is_name = |name: &&str| {
                !name.is_empty()
                    && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '*'))
            };
            match tool {
                None | Some("*") => Some(Self::Tool(ToolScope { tool: None, glob: glob.clone() })),
                Some(name) => Some(Self::Tool(ToolScope {
                    tool: Some(name).filter(is_name).map(str::to_owned)?.into(),
                    glob: glob.clone(),
                })),
            }
        };
        match head.to_ascii_lowercase().as_str() {
            "text" if glob.is_none() => Some(Self::Text),
            "thinking" if glob.is_none() => Some(Self::Thinking),
            "tool" | "toolcall" => tool(None),
            lower if lower.starts_with("tool:") => tool(Some(head.get("tool:".len()..)?.trim())),
            _ => None,
        }
    }

    /// Where a rule watches that does not say: words and tools. Thoughts are the model's own.
    #[must_use]
    pub fn usual() -> Vec<Self> {
        vec![Self::Text, Self::Tool(ToolScope::default())]
    }

    /// Where a rule watches whose condition is a pattern for files.
    #[must_use]
    pub(super) fn of_files(glob: &str) -> Vec<Self> {
        ["edit", "write"]
            .map(|tool| Self::Tool(ToolScope { tool: Some(tool.to_owned()), glob: Some(glob.to_owned()) }))
            .to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: Option<&str>, glob: Option<&str>) -> Option<Scope> {
        Some(Scope::Tool(ToolScope { tool: name.map(str::to_owned), glob: glob.map(str::to_owned) }))
    }

    #[test]
    fn every_form_of_a_scope_is_read() {
        for (text, expected) in [
            ("text", Some(Scope::Text)),
            (" Thinking ", Some(Scope::Thinking)),
            ("tool", tool(None, None)),
            ("toolcall", tool(None, None)),
            ("tool:*", tool(None, None)),
            ("tool:edit", tool(Some("edit"), None)),
            ("tool:edit(*.rs)", tool(Some("edit"), Some("*.rs"))),
            ("tool:write( src/**/*.{ts,tsx} )", tool(Some("write"), Some("src/**/*.{ts,tsx}"))),
            ("tool(*.md)", tool(None, Some("*.md"))),
            ("tool:CronCreate", tool(Some("CronCreate"), None)),
            ("prose", None),
            ("text(*.md)", None),
            ("tool:", None),
            ("tool:a b", None),
            ("", None),
        ] {
            assert_eq!(Scope::parse(text), expected, "{text}");
        }
    }
}
