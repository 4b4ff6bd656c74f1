//! Runners in small projects, and cargo's own word for its targets.

use super::*;
use crate::testing::Lab;

fn lab(files: &[(&str, &str)]) -> Lab {
    let lab = Lab::new();
    files.iter().for_each(|(path, text)| lab.write(path, text));
    lab
}

fn found(lab: &Lab, installed: &[&str]) -> Vec<Runner> {
    detect(lab.services.engine.workspace(), &|program| installed.contains(&program))
}

fn names(runner: &Runner) -> Vec<&str> {
    runner.tasks.iter().map(|task| task.name.as_str()).collect()
}

#[test]
fn just_lists_public_recipes_with_their_parameters() {
    let lab = lab(&[(
        "Justfile",
        "set shell := [\"bash\", \"-c\"]\nversion := \"1: 2\"\nalias b := build\n\n# Build it: all\nbuild target=\"a:b\" +flags: dep\n    echo {{target}}\n\n\
         @test *args:\n    cargo test\n\n[private]\nhidden:\n    true\n\n_dep:\n    true\n[group('x')]\nlint: _dep\n",
    )]);
    let runners = found(&lab, &["just"]);
    assert_eq!(names(&runners[0]), ["build", "test", "lint"]);
    let build = &runners[0].tasks[0];
    assert_eq!(
        (build.doc.as_deref(), build.parameters.join(" ")),
        (Some("Build it: all"), "target flags".to_owned())
    );
    assert!(found(&lab, &[]).is_empty(), "not installed");
}

#[test]
fn make_lists_phony_targets_and_documented_files() {
    let text = "CC := gcc\nX ?= y\n.PHONY: all test \\\n  clean\nall: main.o ## Build everything\n\ttrue\n# Run the tests\ntest: all\n\
                clean:\n\trm -f x: y\nmain.o: main.c\nbin/app: main.o ## The program\n%.o: %.c\n$(OUT): x\n";
    let lab = lab(&[("Makefile", text)]);
    let runners = found(&lab, &["make"]);
    assert_eq!(names(&runners[0]), ["all", "test", "clean", "bin/app"]);
    let docs: Vec<Option<&str>> = runners[0].tasks.iter().map(|task| task.doc.as_deref()).collect();
    assert_eq!(
        docs,
        [Some("Build everything"), Some("Run the tests"), None, Some("The program (file target)")]
    );
    let plain = self::lab(&[("Makefile", "a: b\nb:\n\ttrue\n")]);
    assert_eq!(names(&found(&plain, &["make"])[0]), ["a", "b"]);
}

#[test]
fn package_scripts_of_the_root_and_of_workspaces() {
    let lab = lab(&[
        (
            "package.json",
            r#"{"workspaces": ["packages/*", "!packages/z"], "scripts": {"test": "x", "it's": "y"}}"#,
        ),
        ("packages/b/package.json", r#"{"name": "@org/b", "scripts": {"build": "tsc"}}"#),
        ("packages/a/package.json", r#"{"scripts": {"test": "x"}}"#),
        ("packages/node_modules/package.json", r#"{"name": "no", "scripts": {"no": "x"}}"#),
        ("yarn.lock", ""),
    ]);
    let runners = found(&lab, &[]);
    assert_eq!(names(&runners[0]), ["test", "it's", "packages/a/test", "@org/b/build"]);
    assert_eq!(runners[0].prefix, "yarn run");
    assert_eq!(runners[0].tasks[1].command, "'it'\\''s'");
    assert_eq!(runners[0].tasks[3].cwd.as_deref(), Some("packages/b"));
}

#[test]
fn the_package_manager_follows_the_lock_file() {
    for (lock, prefix) in [
        ("bun.lock", "bun run"),
        ("bun.lockb", "bun run"),
        ("pnpm-lock.yaml", "pnpm run"),
        ("yarn.lock", "yarn run"),
        ("package-lock.json", "npm run"),
        ("npm-shrinkwrap.json", "npm run"),
        ("other", "npm run"),
    ] {
        let lab = lab(&[("package.json", r#"{"scripts": {"a": "b"}}"#), (lock, "")]);
        assert_eq!(found(&lab, &[])[0].prefix, prefix, "{lock}");
    }
    let lab = lab(&[("package.json", r#"{"scripts": {"a": "b"}}"#)]);
    assert_eq!(found(&lab, &["bun"])[0].prefix, "bun run");
}

#[test]
fn taskfiles() {
    let text = "version: '3'\ntasks:\n  build:\n    desc: Build it\n    cmds: [make]\n  docs:\n    summary: Write docs\n  helper:\n    internal: true\n  lint: eslint .\n";
    let lab = lab(&[("Taskfile.yml", text)]);
    let runners = found(&lab, &["task"]);
    assert_eq!(names(&runners[0]), ["build", "docs", "lint"]);
    assert_eq!(runners[0].tasks[1].doc.as_deref(), Some("Write docs"));
}

#[test]
fn included_taskfiles_have_their_namespace() {
    let lab = lab(&[
        (
            "Taskfile.yml",
            "includes:\n  docs: ./docs\n  flat: {taskfile: more.yml, flatten: true}\n  gone: ./gone\n  own: {taskfile: x.yml, internal: true}\n\
             tasks:\n  build: make\n",
        ),
        ("docs/Taskfile.yaml", "includes:\n  api: api.yml\ntasks:\n  serve: {desc: Serve it}\n"),
        ("docs/api.yml", "tasks: {make: make}\n"),
        ("more.yml", "tasks: {more: x, build: y}\n"),
        ("x.yml", "tasks: {hidden: x}\n"),
    ]);
    let runners = found(&lab, &["task"]);
    assert_eq!(names(&runners[0]), ["build", "docs:serve", "docs:api:make", "more"]);
    assert_eq!(runners[0].tasks[1].doc.as_deref(), Some("Serve it"));
}

#[test]
fn just_follows_imports_and_modules() {
    let lab = lab(&[
        (
            "justfile",
            "import 'ci/main.just'\nimport? 'gone.just'\nmod deploy\nmod? docs './documents'\n\nbuild:\n    make\n",
        ),
        ("ci/main.just", "import \"more.just\"\n\nbuild:\n    other\n\n# Check all\ncheck:\n    x\n"),
        ("ci/more.just", "lint:\n    x\nimport 'main.just'\n"),
        ("deploy.just", "live target:\n    x\n_private:\n    x\n"),
        ("documents/mod.just", "serve:\n    x\n"),
    ]);
    let runners = found(&lab, &["just"]);
    assert_eq!(names(&runners[0]), ["build", "check", "lint", "deploy::live", "docs::serve"]);
    assert_eq!(runners[0].tasks[3].command, "deploy::live");
}

#[test]
fn broken_manifests_are_no_runners() {
    let lab = lab(&[
        ("package.json", "{"),
        ("Cargo.toml", "= ["),
        ("Taskfile.yml", "tasks: ["),
        ("Makefile", "\u{0}"),
        ("justfile", "x := 1"),
    ]);
    assert_eq!(found(&lab, &["just", "cargo", "make", "task"]), []);
}

#[test]
fn cargo_targets_are_those_that_cargo_lists() {
    let single = lab(&[
        (
            "Cargo.toml",
            "[package]\nname = \"one\"\nedition = \"2024\"\n[[bin]]\nname = \"special\"\npath = \"src/bin/odd.rs\"\n",
        ),
        ("src/main.rs", "fn main() {}"),
        ("src/bin/odd.rs", "fn main() {}"),
        ("src/bin/tool/main.rs", "fn main() {}"),
        ("examples/show.rs", "fn main() {}"),
        ("tests/it/main.rs", ""),
        ("tests/unit.rs", ""),
        ("tests/data/x.txt", ""),
    ]);
    let runner = &found(&single, &["cargo"])[0];
    assert_eq!(names(runner), ["bin/one", "bin/special", "bin/tool", "example/show", "test/it", "test/unit"]);
    assert_eq!(runner.tasks[1].prefix.as_deref(), Some("cargo run --bin"));
    let workspace = lab(&[
        ("Cargo.toml", "[workspace]\nmembers = [\"crates/*\"]\nexclude = [\"crates/out\"]\n"),
        (
            "crates/a/Cargo.toml",
            "[package]\nname = \"a\"\nedition = \"2024\"\n[dependencies]\nlib = { path = \"../../lib\" }\n",
        ),
        ("crates/a/src/main.rs", "fn main() {}"),
        ("crates/b/Cargo.toml", "[package]\nname = \"b\"\nedition = \"2024\"\nautotests = false\n"),
        ("crates/b/src/lib.rs", ""),
        ("crates/b/tests/no.rs", ""),
        ("crates/b/examples/e.rs", "fn main() {}"),
        ("crates/out/Cargo.toml", "[package]\nname = \"out\"\n[workspace]\n"),
        ("crates/out/src/main.rs", "fn main() {}"),
        ("lib/Cargo.toml", "[package]\nname = \"lib\"\nedition = \"2024\"\n"),
        ("lib/src/lib.rs", ""),
        ("lib/tests/t.rs", ""),
    ]);
    let runner = &found(&workspace, &["cargo"])[0];
    assert_eq!(names(runner), ["a/bin/a", "b/example/e", "lib/test/t"]);
    assert_eq!(runner.tasks[2].prefix.as_deref(), Some("cargo test --package 'lib' --test"));
    for lab in [&single, &workspace] {
        let mut ours: Vec<String> =
            found(lab, &["cargo"])[0].tasks.iter().map(|task| task.name.clone()).collect();
        ours.sort();
        assert_eq!(ours, by_cargo(lab), "cargo itself");
    }
}

/// What `cargo metadata` says, as the documents of the tool form names from it.
fn by_cargo(lab: &Lab) -> Vec<String> {
    let root = lab.root();
    let program = relay_exec::Program {
        program: "cargo",
        args: &["metadata", "--no-deps", "--format-version=1", "--offline"],
        cwd: &root,
        timeout: std::time::Duration::from_secs(60),
        output_limit_bytes: 1 << 20,
        env: &[],
        stdin: None,
    };
    let output = program.run(&relay_diagnostics::Cancel::new());
    let metadata: serde_json::Value = serde_json::from_str(&output.stdout.text()).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let mut names = Vec::new();
    for package in packages {
        for target in package["targets"].as_array().unwrap() {
            let kind = target["kind"][0].as_str().unwrap();
            if matches!(kind, "bin" | "example" | "test") {
                let name = format!("{kind}/{}", target["name"].as_str().unwrap());
                let package = package["name"].as_str().unwrap();
                names.push(if packages.len() > 1 { format!("{package}/{name}") } else { name });
            }
        }
    }
    names.sort();
    names
}
