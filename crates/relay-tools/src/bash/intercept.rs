//! Interception: a command for which there is a better tool is refused, with the name of that tool.
//!
//! Off unless the user turns it on. Decided from the parse tree, so that `git log --grep='cat x'` is not a `cat`.

use regex::Regex;
use relay_agent::tool::ToolError;
use relay_syntax::shell::{self, Command, RedirectKind, Simple};
use serde::Deserialize;

/// A rule: which tool is better, and why.
struct Rule {
    tool: &'static str,
    says: &'static str,
    matches: fn(&Simple) -> bool,
}

const RULES: [Rule; 7] = [
    Rule {
        tool: "read",
        says: "Use the `read` tool instead of cat, head, tail, less or more.",
        matches: |simple| {
            is_one_of(simple, &["cat", "head", "tail", "less", "more"])
                && !writes(simple)
                && !has_heredoc(simple)
        },
    },
    Rule {
        tool: "search",
        says: "Use the `search` tool instead of grep, rg, ripgrep, ag or ack.",
        matches: |simple| is_one_of(simple, &["grep", "rg", "ripgrep", "ag", "ack"]),
    },
    Rule {
        tool: "find",
        says: "Use the `find` tool instead of find, fd or locate.",
        matches: |simple| {
            let options = [
                "-name",
                "-iname",
                "-type",
                "-path",
                "-glob",
                "--type",
                "--extension",
                "-e",
                "-t",
                "--glob",
                "-g",
            ];
            is_one_of(simple, &["find", "fd", "locate"]) && has_word(simple, |word| options.contains(&word))
        },
    },
    Rule {
        tool: "edit",
        says: "Use the `edit` tool instead of sed -i.",
        matches: |simple| {
            is_one_of(simple, &["sed"])
                && has_word(simple, |word| {
                    word.starts_with("-i") || word.starts_with("--in-place") || is_bundle(word, 'i')
                })
        },
    },
    Rule {
        tool: "edit",
        says: "Use the `edit` tool instead of perl -i.",
        matches: |simple| is_one_of(simple, &["perl"]) && has_word(simple, |word| is_bundle(word, 'i')),
    },
    Rule {
        tool: "edit",
        says: "Use the `edit` tool instead of awk -i inplace.",
        matches: |simple| {
            is_one_of(simple, &["awk", "gawk"])
                && has_word(simple, |word| word == "inplace" || word == "-iinplace")
        },
    },
    Rule {
        tool: "write",
        says: "Use the `write` tool instead of echo, printf or cat with a redirection.",
        matches: |simple| {
            (is_one_of(simple, &["echo", "printf"]) || (is_one_of(simple, &["cat"]) && has_heredoc(simple)))
                && writes(simple)
        },
    },
];

/// A rule of the user's own, in place of those above.
#[derive(Clone, Debug, Deserialize)]
pub struct Pattern {
    /// A regular expression that the command's text is searched for.
    pattern: String,
    /// The better tool.
    tool: String,
    /// What the model reads.
    #[serde(default)]
    message: Option<String>,
}

/// Refuses a command for which one of these tools is better. Rules of the user's own take the place of the built-in ones.
///
/// # Errors
/// It is one, or a rule is not a regular expression.
pub fn check(command: &str, tools: &[String], own: Option<&[Pattern]>) -> Result<(), ToolError> {
    match own {
        Some(own) => check_own(command, tools, own),
        None => check_built_in(command, tools),
    }
}

fn blocked(says: &str, command: &str) -> ToolError {
    ToolError::Failed(format!("Blocked: {says}\n\nOriginal command: {command}"))
}

fn check_own(command: &str, tools: &[String], own: &[Pattern]) -> Result<(), ToolError> {
    for rule in own.iter().filter(|rule| tools.contains(&rule.tool)) {
        let pattern = Regex::new(&rule.pattern).map_err(|error| {
            ToolError::Failed(format!(
                "bashInterceptor.patterns: invalid pattern `{}`: {error}",
                rule.pattern
            ))
        })?;
        if pattern.is_match(command) {
            let usual = format!("Use the `{}` tool instead.", rule.tool);
            return Err(blocked(rule.message.as_deref().unwrap_or(&usual), command));
        }
    }
    Ok(())
}

fn check_built_in(command: &str, tools: &[String]) -> Result<(), ToolError> {
    let Ok(script) = shell::parse(command) else { return Ok(()) };
    let firsts =
        script.items.iter().flat_map(|item| &item.list.pipelines).filter_map(|(_, pipeline)| match pipeline
            .stages
            .first()
        {
            Some(Command::Simple(simple)) => Some(simple),
            _ => None,
        });
    // A later command of a line may need what the first one did; only the first decides.
    let Some(simple) = firsts.into_iter().next() else { return Ok(()) };
    let is_there = |tool: &str| tools.iter().any(|name| name == tool);
    match RULES.iter().find(|rule| is_there(rule.tool) && (rule.matches)(simple)) {
        Some(rule) => Err(blocked(rule.says, command)),
        None => Ok(()),
    }
}

fn is_one_of(simple: &Simple, names: &[&str]) -> bool {
    simple.words.first().and_then(|word| word.literal()).is_some_and(|name| names.contains(&name))
}

fn has_word(simple: &Simple, fits: impl Fn(&str) -> bool) -> bool {
    simple.words.iter().skip(1).any(|word| fits(&word.text))
}

/// Whether single-letter options such as `-pie` include one.
fn is_bundle(word: &str, letter: char) -> bool {
    word.strip_prefix('-').is_some_and(|letters| {
        !letters.starts_with('-')
            && letters.chars().take_while(char::is_ascii_alphabetic).any(|c| c == letter)
    })
}

fn writes(simple: &Simple) -> bool {
    simple.redirects.iter().any(|redirect| {
        matches!(redirect.kind, RedirectKind::Truncate | RedirectKind::Append)
            && redirect.descriptor.is_none_or(|descriptor| descriptor == 1)
            && !redirect.target.text.starts_with("/dev/")
    })
}

fn has_heredoc(simple: &Simple) -> bool {
    simple
        .redirects
        .iter()
        .any(|redirect| matches!(redirect.kind, RedirectKind::HereDocument | RedirectKind::HereString))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(command: &str, tools: &[&str]) -> Option<String> {
        let tools: Vec<String> = tools.iter().map(|tool| (*tool).to_owned()).collect();
        check(command, &tools, None).err().map(|error| error.to_string())
    }

    #[test]
    fn each_rule_names_its_tool_and_the_command() {
        let all = ["read", "search", "find", "edit", "write"];
        for (command, tool) in [
            ("cat a.txt", "read"),
            ("head -20 a | wc", "read"),
            ("rg -n foo src", "search"),
            ("find . -name '*.rs'", "find"),
            ("sed -i s/a/b/ x", "edit"),
            ("perl -pi -e s/a/b/ x", "edit"),
            ("awk -i inplace 1 x", "edit"),
            ("echo hi > a.txt", "write"),
            ("cat <<X > a\nhi\nX", "write"),
        ] {
            let said = verdict(command, &all).unwrap_or_else(|| panic!("{command} is not intercepted"));
            assert!(said.starts_with("Blocked: ") && said.contains(&format!("`{tool}`")), "{said}");
            assert!(said.ends_with(&format!("Original command: {command}")), "{said}");
        }
    }

    #[test]
    fn rules_of_the_users_own_take_the_place_of_the_built_in_ones() {
        let rules: Vec<Pattern> = serde_json::from_str(
            r#"[{ "pattern": "^curl ", "tool": "read", "message": "Read the page." }, { "pattern": "(", "tool": "gone" }]"#,
        )
        .unwrap();
        let tools = ["read".to_owned()];
        let said = |command: &str| check(command, &tools, Some(&rules)).err().map(|error| error.to_string());
        assert_eq!(said("curl x").as_deref(), Some("Blocked: Read the page.\n\nOriginal command: curl x"));
        assert_eq!(said("cat a.txt"), None);
        let wrong = [Pattern { pattern: "(".to_owned(), tool: "read".to_owned(), message: None }];
        assert!(check("ls", &tools, Some(&wrong)).unwrap_err().to_string().contains("invalid pattern `(`"));
    }

    #[test]
    fn what_is_something_else_passes() {
        let all = ["read", "search", "find", "edit", "write"];
        for command in [
            "git grep x",
            "echo hi",
            "find .",
            "sed -n 3p x",
            "make | cat",
            "echo 'cat x'",
            "cat <<X | sh\nX",
            "echo x > /dev/null",
        ] {
            assert_eq!(verdict(command, &all), None, "{command}");
        }
        assert_eq!(verdict("cat a.txt", &["search"]), None);
    }
}
