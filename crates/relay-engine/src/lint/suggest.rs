//! Which linter fits a project? `relay init` writes the answer into the config and tells the reason.
//!
//! Pure: the caller looks at the project's root and passes on what is there. Only a tool the project already shows
//! signs of is suggested; a wrong guess would fail every transaction.

use serde_json::Value;

/// What is known about a project.
#[derive(Clone, Copy, Debug, Default)]
pub struct ProjectFacts<'a> {
    /// The names of the files at the project's root.
    pub files: &'a [&'a str],
    /// The text of `package.json`, if there is one.
    pub package_json: Option<&'a str>,
    /// The text of `pyproject.toml`, if there is one.
    pub pyproject_toml: Option<&'a str>,
    /// The text of `setup.cfg`, if there is one.
    pub setup_cfg: Option<&'a str>,
}

impl ProjectFacts<'_> {
    fn has(&self, name: &str) -> bool {
        self.files.contains(&name)
    }

    /// The first of these files that exists.
    fn first_of<'n>(&self, names: &[&'n str]) -> Option<&'n str> {
        names.iter().copied().find(|name| self.has(name))
    }

    /// Whether `package.json` asks for this package.
    fn depends_on(&self, package: &str) -> bool {
        let manifest = self.package_json.and_then(|text| serde_json::from_str::<Value>(text).ok());
        manifest.is_some_and(|manifest| {
            ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"]
                .iter()
                .any(|kind| manifest.get(kind).is_some_and(|packages| packages.get(package).is_some()))
        })
    }

    /// Whether `pyproject.toml` configures this tool.
    fn pyproject_configures(&self, tool: &str) -> bool {
        let project = self.pyproject_toml.and_then(|text| text.parse::<toml::Table>().ok());
        project.is_some_and(|project| project.get("tool").is_some_and(|tools| tools.get(tool).is_some()))
    }
}

/// A linter command and why it was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinterChoice {
    /// The command, as it goes into the config's `linter`.
    pub command: String,
    /// Why this one, in a sentence for a person.
    pub reason: String,
}

impl LinterChoice {
    fn new(command: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { command: command.into(), reason: reason.into() }
    }
}

/// The linter that fits the project; `None` when there is no sign of one, which [`no_linter_reason`] explains.
///
/// A project in several languages gets the linter of the first in this order: TypeScript, Rust, Python, Go.
///
/// ```
/// # use relay_engine::lint::{ProjectFacts, suggest_linter};
/// let facts = ProjectFacts { files: &["Cargo.toml", "src"], ..ProjectFacts::default() };
/// let choice = suggest_linter(&facts).unwrap();
/// assert_eq!(choice.command, "cargo check --message-format=short");
/// ```
#[must_use]
pub fn suggest_linter(facts: &ProjectFacts<'_>) -> Option<LinterChoice> {
    typescript(facts).or_else(|| rust(facts)).or_else(|| python(facts)).or_else(|| go(facts))
}

/// Why [`suggest_linter`] found nothing, in a sentence for a person.
#[must_use]
pub fn no_linter_reason(facts: &ProjectFacts<'_>) -> String {
    let looked_for = "no tsconfig.json, Cargo.toml, pyproject.toml, setup.py, requirements.txt or go.mod";
    let way_out = "set \"linter\" to any command that fails on errors";
    if facts.package_json.is_some() || facts.has("package.json") {
        format!("package.json does not mention typescript, and there is {looked_for}; {way_out}")
    } else {
        format!("there is {looked_for} here; {way_out}")
    }
}

fn typescript(facts: &ProjectFacts<'_>) -> Option<LinterChoice> {
    let command = "bun tsc --noEmit";
    if facts.has("tsconfig.json") {
        let reason = "tsconfig.json says this is a TypeScript project; without bun, use `npx tsc --noEmit`";
        return Some(LinterChoice::new(command, reason));
    }
    facts.depends_on("typescript").then(|| {
        let reason =
            "package.json asks for typescript; tsc also needs a tsconfig.json, which is not there yet";
        LinterChoice::new(command, reason)
    })
}

fn rust(facts: &ProjectFacts<'_>) -> Option<LinterChoice> {
    let reason =
        "Cargo.toml says this is a Rust project; `cargo check` finds compile errors without building";
    facts.has("Cargo.toml").then(|| LinterChoice::new("cargo check --message-format=short", reason))
}

/// Every Python checker that is configured, joined so that a failing one stops the rest.
fn python(facts: &ProjectFacts<'_>) -> Option<LinterChoice> {
    let sign = facts.first_of(&["pyproject.toml", "setup.py", "setup.cfg", "requirements.txt"])?;
    let setup_cfg_has =
        |section: &str| facts.setup_cfg.is_some_and(|text| text.lines().any(|l| l.trim() == section));
    let mut commands = Vec::new();
    let mut signs = Vec::new();
    let mut consider =
        |command: &'static str, files: &[&'static str], table: &'static str, in_setup_cfg: bool| {
            let sign = match facts.first_of(files) {
                Some(file) => file.to_owned(),
                None if facts.pyproject_configures(table) => format!("[tool.{table}] in pyproject.toml"),
                None if in_setup_cfg => format!("[{table}] in setup.cfg"),
                None => return,
            };
            commands.push(command);
            signs.push(sign);
        };
    consider("ruff check .", &["ruff.toml", ".ruff.toml"], "ruff", false);
    consider("mypy .", &["mypy.ini", ".mypy.ini"], "mypy", setup_cfg_has("[mypy]"));
    consider("pyright", &["pyrightconfig.json"], "pyright", false);
    if commands.is_empty() {
        let reason = format!("{sign} says this is a Python project; ruff needs no configuration");
        return Some(LinterChoice::new("ruff check .", reason));
    }
    let reason = format!("this Python project configures it: {}", signs.join(", "));
    Some(LinterChoice::new(commands.join(" && "), reason))
}

fn go(facts: &ProjectFacts<'_>) -> Option<LinterChoice> {
    let reason = "go.mod says this is a Go module; `go vet` finds compile errors and suspicious code";
    facts.has("go.mod").then(|| LinterChoice::new("go vet ./...", reason))
}

#[cfg(test)]
mod tests {
    use super::{ProjectFacts, no_linter_reason, suggest_linter};

    /// Checks the command, and that the reason names what it rests on.
    fn check(facts: ProjectFacts<'_>, command: &str, reason: &str) {
        let choice = suggest_linter(&facts).unwrap();
        assert_eq!(choice.command, command);
        assert!(choice.reason.contains(reason), "{}", choice.reason);
    }

    fn files<'a>(files: &'a [&'a str]) -> ProjectFacts<'a> {
        ProjectFacts { files, ..ProjectFacts::default() }
    }

    #[test]
    fn typescript() {
        check(files(&["package.json", "tsconfig.json"]), "bun tsc --noEmit", "tsconfig.json");
        let package_json = Some(r#"{"devDependencies": {"typescript": "^5"}}"#);
        let facts = ProjectFacts { files: &["package.json"], package_json, ..ProjectFacts::default() };
        check(facts, "bun tsc --noEmit", "package.json");
    }

    #[test]
    fn rust() {
        check(files(&["Cargo.toml"]), "cargo check --message-format=short", "Cargo.toml");
    }

    #[test]
    fn go() {
        check(files(&["go.mod"]), "go vet ./...", "go.mod");
    }

    #[test]
    fn python_defaults_to_ruff() {
        for sign in ["pyproject.toml", "setup.py", "setup.cfg", "requirements.txt"] {
            check(files(&[sign]), "ruff check .", sign);
        }
        let broken = ProjectFacts {
            files: &["pyproject.toml"],
            pyproject_toml: Some("[tool.mypy"),
            ..ProjectFacts::default()
        };
        check(broken, "ruff check .", "pyproject.toml");
    }

    #[test]
    fn python_configuration_decides() {
        check(files(&["setup.py", "ruff.toml"]), "ruff check .", "ruff.toml");
        check(files(&["setup.py", "mypy.ini"]), "mypy .", "mypy.ini");
        check(files(&["setup.py", "pyrightconfig.json"]), "pyright", "pyrightconfig.json");
        let facts = ProjectFacts {
            files: &["pyproject.toml"],
            pyproject_toml: Some("[tool.mypy]\nstrict = true\n"),
            ..ProjectFacts::default()
        };
        check(facts, "mypy .", "[tool.mypy]");
        let facts = ProjectFacts {
            files: &["pyproject.toml"],
            pyproject_toml: Some("[tool.ruff.lint]\n[tool.mypy]\n[tool.pyright]\n"),
            ..ProjectFacts::default()
        };
        check(facts, "ruff check . && mypy . && pyright", "[tool.pyright]");
        let facts =
            ProjectFacts { files: &["setup.cfg"], setup_cfg: Some("[mypy]\n"), ..ProjectFacts::default() };
        check(facts, "mypy .", "[mypy] in setup.cfg");
    }

    #[test]
    fn the_first_language_wins() {
        check(
            files(&["go.mod", "requirements.txt", "Cargo.toml", "tsconfig.json"]),
            "bun tsc --noEmit",
            "TypeScript",
        );
        check(
            files(&["go.mod", "requirements.txt", "Cargo.toml"]),
            "cargo check --message-format=short",
            "Rust",
        );
        check(files(&["go.mod", "requirements.txt"]), "ruff check .", "Python");
    }

    #[test]
    fn otherwise_none_with_a_reason() {
        assert_eq!(suggest_linter(&files(&["README.md"])), None);
        assert!(no_linter_reason(&files(&["README.md"])).contains("tsconfig.json"));
        let package_json = Some(r#"{"dependencies": {"left-pad": "1"}}"#);
        let facts = ProjectFacts { files: &["package.json"], package_json, ..ProjectFacts::default() };
        assert_eq!(suggest_linter(&facts), None);
        assert!(no_linter_reason(&facts).contains("package.json does not mention typescript"));
        let broken = ProjectFacts { package_json: Some("{"), ..facts };
        assert_eq!(suggest_linter(&broken), None);
    }
}
