//! Every command and every option has a help line.
//!
//! The reference is generated from `--help` and a test of the binary keeps it so, so what it lacks the help lacks.

/// Commands without a description, and arguments without a help line.
fn without_help(reference: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut command = "";
    let mut section = "";
    let mut after_fence = false;
    let lines: Vec<&str> = reference.lines().collect();
    for (at, line) in lines.iter().enumerate() {
        let next = lines.get(at + 1).copied().unwrap_or_default();
        if let Some(name) = line.strip_prefix("## `").and_then(|rest| rest.strip_suffix('`')) {
            (command, section) = (name, "");
        } else if after_fence && (line.is_empty() || line.starts_with("Usage:")) {
            found.push(format!("`{command}` has no description"));
        } else if !line.starts_with(' ') && line.ends_with(':') {
            section = line;
        } else if section == "Commands:" && is_listed(line) && !line.trim().contains("  ") {
            found.push(format!("`{command}` lists `{}` without a description", line.trim()));
        } else if is_argument(section, line) && (!next.starts_with("          ") || next.trim().is_empty()) {
            found.push(format!("`{command}`: `{}` has no help line", line.trim()));
        }
        after_fence = *line == "```text";
    }
    found
}

/// Whether a line begins a command of a list; a long description goes on further in.
fn is_listed(line: &str) -> bool {
    line.starts_with("  ") && !line.starts_with("   ")
}

/// Whether a line begins an argument or an option: its help is on the next line, further in.
fn is_argument(section: &str, line: &str) -> bool {
    let is_list = section == "Arguments:" || section.to_lowercase().ends_with("options:");
    let indent = line.len() - line.trim_start().len();
    is_list && (2..=6).contains(&indent) && line.trim_start().starts_with(['-', '<', '['])
}

#[test]
fn every_command_and_option_has_a_help_line() {
    let reference = super::read("docs/cli.md");
    assert!(reference.matches("\n## `").count() > 40, "the reference has another form now");
    super::assert_none("commands and options without help", &without_help(&reference));
}

#[test]
fn missing_help_is_found() {
    let reference = |about: &str, listed: &str, help: &str| {
        format!(
            "## `relay x`\n\n```text\n{about}Usage: relay x\n\nCommands:\n  a  {listed}\n  help  Print it\n\nArguments:\n  <FILE>\n          The file\n\n\
             Options:\n      --all\n{help}\n  -h, --help\n          Print help\n```\n"
        )
    };
    let good = "          List all\n";
    assert_eq!(without_help(&reference("Does x\n\n", "Does a", good)), Vec::<String>::new());
    for text in [
        reference("", "Does a", good),
        reference("\n", "Does a", good),
        reference("Does x\n\n", "", good),
        reference("Does x\n\n", "Does a", ""),
        reference("Does x\n\n", "Does a", good).replace("          The file\n", ""),
    ] {
        assert_eq!(without_help(&text).len(), 1, "{text}\n{:?}", without_help(&text));
    }
}
