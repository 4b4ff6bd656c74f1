//! Which linter fits a project? `relay init` writes the answer into the config and gives the reason.
//!
//! Pure: the caller looks at the project's root and for programs, and passes on what is there. Only a tool that the project
//! shows signs of and that is installed is suggested; a wrong guess would fail every transaction.

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
    /// Which of [`PROGRAMS`] are installed.
    pub programs: &'a [&'a str],
}

impl ProjectFacts<'_> {
    fn has(&self, name: &str) -> bool {
        self.files.contains(&name)
    }

    fn has_program(&self, name: &str) -> bool {
        self.programs.contains(&name)
    }

    /// A command that fits, with what it needs and lacks.
    fn fitting(&self, sign: String, command: String, needs: &[&'static str]) -> Fitting {
        let missing = needs.iter().copied().filter(|program| !self.has_program(program)).collect();
        Fitting { sign, command, missing }
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

/// The programs that a suggestion may need; the caller finds out which of them are installed.
pub const PROGRAMS: [&str; 8] = ["tsc", "bun", "npx", "cargo", "ruff", "mypy", "pyright", "go"];

/// A linter command and why it was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinterChoice {
    /// The command, as it goes into the config's `linter`.
    pub command: String,
    /// Why this one, in a sentence for a person.
    pub reason: String,
}

/// What fits one language: the command, or the programs that it lacks.
struct Fitting {
    sign: String,
    command: String,
    missing: Vec<&'static str>,
}

/// The linter that fits the project and is installed.
///
/// A project in several languages gets the linter of the first in this order: TypeScript, Rust, Python, Go.
///
/// ```
/// # use relay_engine::lint::{ProjectFacts, suggest_linter};
/// let facts = ProjectFacts { files: &["Cargo.toml", "src"], programs: &["cargo"], ..ProjectFacts::default() };
/// assert_eq!(suggest_linter(&facts).unwrap().command, "cargo check --message-format=short");
/// let nothing = ProjectFacts { programs: &[], ..facts };
/// assert!(suggest_linter(&nothing).unwrap_err().contains("cargo is not installed"));
/// ```
///
/// # Errors
/// There is no sign of one, or none is installed: why, in a sentence for a person.
pub fn suggest_linter(facts: &ProjectFacts<'_>) -> Result<LinterChoice, String> {
    let fitting: Vec<Fitting> =
        [typescript(facts), rust(facts), python(facts), go(facts)].into_iter().flatten().collect();
    if let Some(found) = fitting.iter().find(|fitting| fitting.missing.is_empty()) {
        return Ok(LinterChoice { command: found.command.clone(), reason: found.sign.clone() });
    }
    let way_out = "set \"linter\" to any command that fails on errors";
    match fitting.first() {
        Some(Fitting { sign, command, missing }) => {
            let verb = if missing.len() == 1 { "is" } else { "are" };
            let missing = missing.join(" and ");
            Err(format!(
                "{sign}, but {missing} {verb} not installed; install it and set \"linter\" to `{command}`"
            ))
        }
        None => {
            let looked_for =
                "no tsconfig.json, Cargo.toml, pyproject.toml, setup.py, requirements.txt or go.mod";
            let package = if facts.package_json.is_some() || facts.has("package.json") {
                "package.json does not mention typescript, and "
            } else {
                ""
            };
            Err(format!("{package}there is {looked_for} here; {way_out}"))
        }
    }
}

fn typescript(facts: &ProjectFacts<'_>) -> Option<Fitting> {
    let sign = match facts.has("tsconfig.json") {
        true => "tsconfig.json says this is a TypeScript project",
        false if facts.depends_on("typescript") => {
            "package.json asks for typescript; tsc also needs a tsconfig.json, which is not there yet"
        }
        false => return None,
    };
    let runner = ["bun", "npx"].into_iter().find(|runner| facts.has_program(runner));
    let command = match runner {
        // Without tsc the command is only named as what to install.
        None if !facts.has_program("tsc") => "bun tsc --noEmit".to_owned(),
        None => "tsc --noEmit".to_owned(),
        Some(runner) => format!("{runner} tsc --noEmit"),
    };
    Some(facts.fitting(sign.to_owned(), command, &["tsc"]))
}

fn rust(facts: &ProjectFacts<'_>) -> Option<Fitting> {
    let sign = "Cargo.toml says this is a Rust project";
    let command = "cargo check --message-format=short".to_owned();
    facts.has("Cargo.toml").then(|| facts.fitting(sign.to_owned(), command, &["cargo"]))
}

/// Every Python checker that is configured and installed, joined so that a failing one stops the rest.
fn python(facts: &ProjectFacts<'_>) -> Option<Fitting> {
    let sign = facts.first_of(&["pyproject.toml", "setup.py", "setup.cfg", "requirements.txt"])?;
    let setup_cfg_has =
        |section: &str| facts.setup_cfg.is_some_and(|text| text.lines().any(|l| l.trim() == section));
    let mut configured: Vec<(&'static str, &'static str, String)> = Vec::new();
    let mut consider =
        |command: &'static str, files: &[&'static str], table: &'static str, in_setup_cfg: bool| {
            let sign = match facts.first_of(files) {
                Some(file) => file.to_owned(),
                None if facts.pyproject_configures(table) => format!("[tool.{table}] in pyproject.toml"),
                None if in_setup_cfg => format!("[{table}] in setup.cfg"),
                None => return,
            };
            configured.push((table, command, sign));
        };
    consider("ruff check .", &["ruff.toml", ".ruff.toml"], "ruff", false);
    consider("mypy .", &["mypy.ini", ".mypy.ini"], "mypy", setup_cfg_has("[mypy]"));
    consider("pyright", &["pyrightconfig.json"], "pyright", false);
    if configured.is_empty() {
        let sign = format!("{sign} says this is a Python project, and ruff needs no configuration");
        return Some(facts.fitting(sign, "ruff check .".to_owned(), &["ruff"]));
    }
    let installed: Vec<_> =
        configured.iter().filter(|(program, ..)| facts.has_program(program)).cloned().collect();
    let chosen = if installed.is_empty() { configured } else { installed };
    let signs: Vec<&str> = chosen.iter().map(|(_, _, sign)| sign.as_str()).collect();
    let commands: Vec<&str> = chosen.iter().map(|(_, command, _)| *command).collect();
    let programs: Vec<&'static str> = chosen.iter().map(|(program, ..)| *program).collect();
    let sign = format!("this Python project configures it: {}", signs.join(", "));
    Some(facts.fitting(sign, commands.join(" && "), &programs))
}

fn go(facts: &ProjectFacts<'_>) -> Option<Fitting> {
    let sign = "go.mod says this is a Go module";
    facts.has("go.mod").then(|| facts.fitting(sign.to_owned(), "go vet ./...".to_owned(), &["go"]))
}

#[cfg(test)]
mod tests {
    use super::{PROGRAMS, ProjectFacts, suggest_linter};

    /// Checks the command, and that the reason names what it rests on.
    fn check(facts: ProjectFacts<'_>, command: &str, reason: &str) {
        let choice = suggest_linter(&ProjectFacts { programs: &PROGRAMS, ..facts }).unwrap();
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

    /// Checks what is chosen where only these programs are installed.
    fn check_installed(names: &[&str], programs: &[&str], expected: Result<&str, &str>) {
        let facts = ProjectFacts { programs, ..files(names) };
        match (suggest_linter(&facts), expected) {
            (Ok(choice), Ok(command)) => assert_eq!(choice.command, command),
            (Err(reason), Err(part)) => assert!(reason.contains(part), "{reason}"),
            (found, _) => panic!("{names:?} {programs:?}: {found:?}"),
        }
    }

    #[test]
    fn only_installed_linters_are_chosen() {
        let ts = &["tsconfig.json"];
        check_installed(ts, &["tsc", "bun", "npx"], Ok("bun tsc --noEmit"));
        check_installed(ts, &["tsc", "npx"], Ok("npx tsc --noEmit"));
        check_installed(ts, &["tsc"], Ok("tsc --noEmit"));
        check_installed(ts, &["bun", "npx"], Err("tsc is not installed"));
        check_installed(ts, &[], Err("set \"linter\" to `bun tsc --noEmit`"));
        check_installed(
            &["tsconfig.json", "Cargo.toml"],
            &["cargo"],
            Ok("cargo check --message-format=short"),
        );
        check_installed(&["go.mod"], &["cargo"], Err("go is not installed"));
        let python = &["setup.py", "ruff.toml", "mypy.ini"];
        check_installed(python, &["mypy"], Ok("mypy ."));
        check_installed(python, &[], Err("ruff and mypy are not installed"));
    }

    #[test]
    fn otherwise_none_with_a_reason() {
        check_installed(&["README.md"], &PROGRAMS, Err("tsconfig.json"));
        let package_json = Some(r#"{"dependencies": {"left-pad": "1"}}"#);
        let facts = ProjectFacts { files: &["package.json"], package_json, ..ProjectFacts::default() };
        let reason = suggest_linter(&facts).unwrap_err();
        assert!(reason.contains("package.json does not mention typescript"), "{reason}");
        let broken = ProjectFacts { package_json: Some("{"), ..facts };
        assert!(suggest_linter(&broken).is_err());
    }
}
