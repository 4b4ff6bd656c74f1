//! One rule from one file, in the formats of the programs that write them.

use super::scope::Scope;
use super::{InterruptMode, Origin, Rule};
use crate::frontmatter::FrontMatter;
use crate::sources::{Skipped, Text};

/// Reads a rule. Fields that mean nothing are reported, and the rule is used without them.
pub(super) fn parse(origin: Origin, name: &str, text: &Text, skipped: &mut Vec<Skipped>) -> Rule {
    let matter = FrontMatter::parse(&text.text);
    let mut complain = |reason: String| skipped.push(Skipped::new(text.path.clone(), reason));
    let mut globs = matter.list("globs", Some(','));
    globs.extend(matter.list("paths", Some(',')));
    globs.extend(matter.list("applyTo", Some(',')));
    let mut rule = Rule {
        name: name.to_owned(),
        path: text.path.clone(),
        origin,
        owner: text.owner,
        description: matter.text("description"),
        globs,
        always: matter.flag("alwaysApply").unwrap_or(false),
        conditions: matter.list("condition", None),
        scopes: Vec::new(),
        interrupt: None,
        content: matter.body.trim().to_owned(),
    };
    rule.scopes = scopes(&matter, &mut rule.conditions, &mut complain);
    if let Some(mode) = matter.text("interruptMode") {
        rule.interrupt = InterruptMode::named(&mode);
        if rule.interrupt.is_none() {
            complain(format!(
                "`interruptMode` cannot be `{mode}`; it takes never, prose-only, tool-only or always"
            ));
        }
    }
    match (origin, matter.text("trigger").as_deref()) {
        // Windsurf says it in one word.
        (Origin::Windsurf, Some("always_on")) => rule.always = true,
        (Origin::Windsurf, Some("manual")) => (rule.description, rule.globs) = (None, Vec::new()),
        (Origin::Windsurf, Some("glob")) => rule.description = None,
        // A rule of Cline, and one of Windsurf without a word about it, always counts, unless it names files.
        (Origin::Windsurf | Origin::Cline, None) if rule.globs.is_empty() && rule.description.is_none() => {
            rule.always = true;
        }
        _ => {}
    }
    if text.is_cut {
        complain(format!("only its first {} bytes are used", text.text.len()));
    }
    rule
}

/// Where a rule watches. A condition that is a pattern for files moves there: it then watches edits of those files.
fn scopes(
    matter: &FrontMatter<'_>,
    conditions: &mut Vec<String>,
    complain: &mut dyn FnMut(String),
) -> Vec<Scope> {
    let mut scopes = Vec::new();
    let named = matter.list("scope", Some(','));
    let has_scope = !named.is_empty();
    for text in named {
        match Scope::parse(&text) {
            Some(scope) => scopes.push(scope),
            None => complain(format!(
                "`scope` cannot be `{text}`; it takes text, thinking, tool or tool:NAME(GLOB)"
            )),
        }
    }
    let (globs, mut regexes): (Vec<String>, Vec<String>) =
        std::mem::take(conditions).into_iter().partition(|condition| is_file_pattern(condition));
    scopes.extend(globs.iter().flat_map(|glob| Scope::of_files(glob)));
    if regexes.is_empty() && !globs.is_empty() {
        regexes.push(".*".to_owned());
    }
    *conditions = regexes;
    // A rule that names only scopes that do not exist watches nothing; it does not watch everything instead.
    if scopes.is_empty() && !has_scope { Scope::usual() } else { scopes }
}

/// Whether a condition is a pattern for files rather than a regular expression: `*.rs`, `src/**/*.ts`. In a regular
/// expression a star is never at the beginning or after a slash.
fn is_file_pattern(condition: &str) -> bool {
    let is_plain = |c: char| {
        c.is_alphanumeric() || matches!(c, '.' | '/' | '-' | '_' | '*' | '?' | '{' | '}' | ',' | '@')
    };
    let starts_name =
        condition.starts_with('*') || ["/*", "{*", ",*"].iter().any(|mark| condition.contains(mark));
    starts_name && condition.chars().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::super::{ToolScope, Use};
    use super::*;
    use crate::sources::Owner;

    fn rule(origin: Origin, text: &str) -> (Rule, Vec<String>) {
        let text = Text {
            path: "p".to_owned(),
            owner: Owner::Project,
            text: text.to_owned(),
            bytes: 0,
            is_cut: false,
        };
        let mut skipped = Vec::new();
        let rule = parse(origin, "n", &text, &mut skipped);
        (rule, skipped.into_iter().map(|skipped| skipped.reason).collect())
    }

    fn check(origin: Origin, matter: &str, expected: Use) {
        let (rule, complaints) = rule(origin, &format!("---\n{matter}\n---\nText.\n"));
        assert_eq!((rule.usage(), complaints), (expected, Vec::new()), "{matter}");
        assert_eq!(rule.content, "Text.");
    }

    #[test]
    fn the_fields_decide_how_a_rule_is_used() {
        check(Origin::Relay, "alwaysApply: true", Use::Always);
        check(Origin::Relay, "description: about it", Use::Listed);
        check(Origin::Cursor, "description:\nglobs: *.ts\nalwaysApply: false", Use::Listed);
        check(Origin::Relay, "globs: ['*.rs']", Use::Listed);
        check(Origin::Relay, "other: x", Use::OnRequest);
        check(Origin::Relay, "condition: 'x'\nalwaysApply: true", Use::Stream);
        check(Origin::Windsurf, "trigger: always_on", Use::Always);
        check(Origin::Windsurf, "trigger: model_decision\ndescription: d", Use::Listed);
        check(Origin::Windsurf, "trigger: glob\nglobs: '*.py'", Use::Listed);
        check(Origin::Windsurf, "trigger: manual\ndescription: d", Use::OnRequest);
        check(Origin::Cline, "paths: ['src/**']", Use::Listed);
        check(Origin::Cline, "x: y", Use::Always);
        assert!(rule(Origin::Cline, "just text").0.always && !rule(Origin::Cursor, "just text").0.always);
    }

    #[test]
    fn conditions_that_are_file_patterns_become_scopes() {
        let tool = |tool: &str, glob: &str| {
            Scope::Tool(ToolScope { tool: Some(tool.to_owned()), glob: Some(glob.to_owned()) })
        };
        let (found, _) = rule(Origin::Relay, "---\ncondition: '*.rs'\n---\n");
        assert_eq!(found.conditions, [".*"]);
        assert_eq!(found.scopes, [tool("edit", "*.rs"), tool("write", "*.rs")]);
        let (found, _) =
            rule(Origin::Relay, "---\ncondition: ['src/**/*.ts', 'console\\.log']\nscope: text\n---\n");
        assert_eq!(found.conditions, ["console\\.log"]);
        assert_eq!(found.scopes, [Scope::Text, tool("edit", "src/**/*.ts"), tool("write", "src/**/*.ts")]);
        for regex in [".*", "a.*b", "foo*", "a/b", "x+", "(a|b)*", "^.*$", "[*]"] {
            assert!(!is_file_pattern(regex), "{regex}");
        }
        for glob in ["*.rs", "**/x", "src/*", "{*.a,*.b}", "a/{b,*}.c"] {
            assert!(is_file_pattern(glob), "{glob}");
        }
    }

    #[test]
    fn unknown_fields_are_reported_and_left_out() {
        let (found, complaints) = rule(
            Origin::Relay,
            "---\ncondition: x\nscope: [prose, thinking]\ninterruptMode: sometimes\n---\n",
        );
        assert_eq!((found.scopes, found.interrupt), (vec![Scope::Thinking], None));
        assert_eq!(complaints.len(), 2, "{complaints:?}");
        assert_eq!(rule(Origin::Relay, "x").0.scopes, Scope::usual());
    }
}
