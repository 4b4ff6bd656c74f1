//! Policy for shell commands: decided from the parse tree, never from the text.

use relay_syntax::shell::{self, Cause, Class as Does, Finding};

use super::rules::{Rule, Say};
use super::{Class, Decision, Level, Place, Policy, Reason};

/// Decides about a command line.
pub fn decide(policy: &Policy, command: &str, cwd: Option<&str>) -> Decision {
    let mut reasons = Vec::new();
    if let Some(cwd) = cwd
        && policy.places.of(cwd) == Place::Outside
        && !is_granted(policy, Class::Outside)
    {
        let what = format!("run a command in {cwd}");
        let why = "the folder is outside the workspace".to_owned();
        reasons.push(Reason { class: Class::Outside, what, why, rule: None });
    }
    // What a path in it means depends on where it runs.
    let placed = cwd.map(|cwd| format!("cd -- '{}'\n{command}", cwd.replace('\'', r"'\''")));
    let script =
        match shell::parse(command).and_then(|script| placed.as_deref().map_or(Ok(script), shell::parse)) {
            Ok(script) => script,
            Err(unparsed) => {
                let why = format!("it cannot be understood as a shell command ({unparsed})");
                return ask_or_deny(policy, vec![reason(Class::Command, command, why, None)]);
            }
        };
    for finding in shell::verdict(&script, &policy.places).findings {
        match of_finding(policy, &finding) {
            Decision::Allow => {}
            Decision::Ask(more) => reasons.extend(more),
            Decision::Deny(why) => return Decision::Deny(why),
        }
    }
    if reasons.is_empty() { Decision::Allow } else { ask_or_deny(policy, reasons) }
}

fn of_finding(policy: &Policy, finding: &Finding) -> Decision {
    let words: Vec<String> = finding.command.split_whitespace().map(str::to_owned).collect();
    match policy.rules.of_command(&words) {
        Some(Say::Deny) => {
            return Decision::Deny(format!("a rule in your settings denies `{}`", finding.command));
        }
        Some(Say::Ask) => {
            let why = "a rule in your settings asks about it".to_owned();
            return Decision::Ask(vec![reason(Class::Command, &finding.command, why, None)]);
        }
        Some(Say::Allow) => return Decision::Allow,
        None => {}
    }
    let Some(class) = needs(policy, finding) else { return Decision::Allow };
    if policy.level == Level::ReadOnly && !matches!(finding.class, Does::Network) {
        return Decision::Deny(format!(
            "`{}` may change something, and the policy is read-only",
            finding.command
        ));
    }
    if is_granted(policy, class) {
        return Decision::Allow;
    }
    let first: Vec<&str> = finding.command.split_whitespace().take(rule_words(finding)).collect();
    let rule = (class != Class::Destructive && !first.is_empty()).then(|| Rule::running(&first));
    Decision::Ask(vec![reason(class, &finding.command, finding.reason.clone(), rule)])
}

/// What must be granted for a command; none for those that may run.
fn needs(policy: &Policy, finding: &Finding) -> Option<Class> {
    let confined = policy.confinement;
    match (&finding.class, policy.level) {
        (Does::Reads, _) => confined.nothing.then_some(Class::Command),
        (Does::Destroys { .. }, _) => Some(Class::Destructive),
        // The proxy asks, about the domain and not about the command.
        (Does::Network, Level::Auto) if confined.domains => None,
        (Does::Network, _) => Some(Class::Network),
        (Does::Unknown(Cause::Outside), _) => Some(Class::Outside),
        (_, Level::ReadOnly | Level::Ask) => Some(Class::Command),
        (Does::Unknown(Cause::Privilege), _) => Some(Class::Command),
        // The sandbox contains what is unknown about a command: it can neither connect nor write elsewhere, and its
        // changes in the workspace are captured.
        (Does::Changes | Does::Unknown(_), _) => {
            (!(confined.writes && confined.network)).then_some(Class::Command)
        }
    }
}

/// How many words an "always" rule takes from a command: the program, and what it does if that is a word of its own.
fn rule_words(finding: &Finding) -> usize {
    const WITH_SUBCOMMAND: [&str; 14] = [
        "git", "cargo", "npm", "pnpm", "yarn", "bun", "go", "docker", "kubectl", "pip", "uv", "gh", "make",
        "dotnet",
    ];
    let first = finding.command.split_whitespace().next().unwrap_or_default();
    if WITH_SUBCOMMAND.contains(&first) { 2 } else { 1 }
}

fn is_granted(policy: &Policy, class: Class) -> bool {
    policy.level == Level::Full || policy.granted.contains(&class)
}

fn ask_or_deny(policy: &Policy, reasons: Vec<Reason>) -> Decision {
    if policy.level == Level::Full { Decision::Allow } else { Decision::Ask(reasons) }
}

fn reason(class: Class, command: &str, why: String, rule: Option<Rule>) -> Reason {
    Reason { class, what: format!("run `{command}`"), why, rule }
}
