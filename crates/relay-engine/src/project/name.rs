//! Reads a project's name from its own files.

use relay_workspace::Workspace;
use serde_json::Value;

/// A project's name and where it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectName {
    /// The name.
    pub name: String,
    /// The file it is in, or `the folder's name`.
    pub source: &'static str,
}

/// Takes a project's name out of the text of a file.
type Finder = fn(&str) -> Option<String>;

/// The name in `package.json`, else `Cargo.toml`, `pyproject.toml`, `go.mod`, else the folder's name.
#[must_use]
pub fn project_name(workspace: &Workspace) -> ProjectName {
    let finders: [(&'static str, Finder); 4] = [
        ("package.json", package_json),
        ("Cargo.toml", |text| toml_string(text, &[&["package", "name"]])),
        ("pyproject.toml", |text| toml_string(text, &[&["project", "name"], &["tool", "poetry", "name"]])),
        ("go.mod", go_mod),
    ];
    for (source, find) in finders {
        let name = text(workspace, source).and_then(|text| find(&text)).map(|name| name.trim().to_owned());
        if let Some(name) = name.filter(|name| !name.is_empty()) {
            return ProjectName { name, source };
        }
    }
    let folder = workspace.root().file_name().map(|name| name.to_string_lossy().into_owned());
    ProjectName { name: folder.unwrap_or_else(|| "project".to_owned()), source: "the folder's name" }
}

/// The text of a file at the root; `None` when there is none that can be read.
pub(crate) fn text(workspace: &Workspace, name: &str) -> Option<String> {
    let path = workspace.path(name).ok()?;
    let file = workspace.read(&path).ok()??;
    String::from_utf8(file.bytes).ok()
}

fn package_json(text: &str) -> Option<String> {
    let value: Value = serde_json::from_str(text).ok()?;
    value.get("name")?.as_str().map(str::to_owned)
}

fn toml_string(text: &str, keys: &[&[&str]]) -> Option<String> {
    let table: toml::Table = text.parse().ok()?;
    keys.iter().find_map(|path| {
        let (last, parents) = path.split_last()?;
        let mut table = &table;
        for parent in parents {
            table = table.get(*parent)?.as_table()?;
        }
        table.get(*last)?.as_str().map(str::to_owned)
    })
}

/// The last element of the module path that is a name and not a version.
fn go_mod(text: &str) -> Option<String> {
    let module = text.lines().find_map(|line| line.trim().strip_prefix("module "))?.trim().trim_matches('"');
    let is_version =
        |part: &str| part.strip_prefix('v').is_some_and(|n| n.chars().all(|c| c.is_ascii_digit()));
    module.rsplit('/').find(|part| !part.is_empty() && !is_version(part)).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(files: &[(&str, &str)], name: &str, source: &str) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("the-folder");
        std::fs::create_dir(&root).unwrap();
        for (file, text) in files {
            std::fs::write(root.join(file), text).unwrap();
        }
        let found = project_name(&Workspace::open(&root).unwrap());
        assert_eq!((found.name.as_str(), found.source), (name, source));
    }

    #[test]
    fn each_source_is_read_in_its_order() {
        let package = ("package.json", r#"{"name": "@me/app"}"#);
        let cargo = ("Cargo.toml", "[package]\nname = \"crab\"\n");
        let python = ("pyproject.toml", "[project]\nname = \"snake\"\n");
        let go = ("go.mod", "module example.com/team/gopher/v2\n\ngo 1.22\n");
        check(&[package, cargo, python, go], "@me/app", "package.json");
        check(&[cargo, python, go], "crab", "Cargo.toml");
        check(&[python, go], "snake", "pyproject.toml");
        check(&[go], "gopher", "go.mod");
        check(&[], "the-folder", "the folder's name");
    }

    #[test]
    fn a_file_without_a_name_is_passed_over() {
        check(&[("package.json", "{}"), ("Cargo.toml", "[workspace]\n")], "the-folder", "the folder's name");
        check(
            &[("package.json", "not json"), ("pyproject.toml", "[tool.poetry]\nname = \"poem\"")],
            "poem",
            "pyproject.toml",
        );
    }
}
