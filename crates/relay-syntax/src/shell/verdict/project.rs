//! Tools of a project: builds, tests, formatters, package managers.
//!
//! They run the project's own code, which is why they run in a sandbox; what they do to files is captured. Those that
//! fetch or publish are network.

use super::super::tree::Word;
use super::Cause;
use super::judge::Opinion;
use super::options::{Options, PLAIN};

/// Builds, tests, linters and formatters.
const TOOLS: [&str; 74] = [
    "ant",
    "ar",
    "as",
    "autoconf",
    "automake",
    "autopep8",
    "autoreconf",
    "bazel",
    "biome",
    "black",
    "buck2",
    "bundle-audit",
    "cc",
    "clang",
    "clang++",
    "clang-format",
    "clang-tidy",
    "cmake",
    "cppcheck",
    "ctest",
    "dart",
    "dune",
    "elixirc",
    "eslint",
    "flake8",
    "g++",
    "gcc",
    "ghc",
    "gofmt",
    "goimports",
    "golangci-lint",
    "gradle",
    "gradlew",
    "isort",
    "javac",
    "jest",
    "just",
    "kotlinc",
    "ld",
    "make",
    "gmake",
    "meson",
    "mix",
    "mocha",
    "mvn",
    "mypy",
    "ninja",
    "nox",
    "phpunit",
    "prettier",
    "protoc",
    "pylint",
    "pyright",
    "pytest",
    "py.test",
    "rake",
    "rspec",
    "rubocop",
    "ruff",
    "rustc",
    "rustfmt",
    "sbt",
    "scalac",
    "shellcheck",
    "shfmt",
    "stylua",
    "swiftc",
    "tox",
    "tsc",
    "vitest",
    "webpack",
    "xcodebuild",
    "zig",
    "esbuild",
];

pub(super) fn judge(name: &str, arguments: &[Word]) -> Option<Opinion> {
    let options = Options::of(arguments, PLAIN);
    let command = options.operand(0).unwrap_or_default();
    match name {
        "cargo" => Some(cargo(&options)),
        "npm" | "pnpm" | "yarn" | "bun" => Some(npm(name, command, &options)),
        "pip" | "pip3" | "uv" | "poetry" | "pipenv" | "conda" | "gem" | "bundle" | "composer" => {
            Some(packages(name, command))
        }
        "go" => Some(go(command, arguments)),
        "dotnet" | "swift" | "deno" | "flutter" | "mvnw" | "stack" | "cabal" | "rebar3" => {
            Some(generic(name, command))
        }
        "rustup" | "npx" | "pnpx" | "bunx" | "uvx" | "pipx" | "nvm" | "pyenv" | "rbenv" | "asdf" | "mise" => {
            if matches!(command, "show" | "list" | "ls" | "current" | "versions" | "which" | "version") {
                return Some(Opinion::reads("shows what is installed"));
            }
            Some(Opinion::network(format!("`{name}` may fetch and run a package")))
        }
        "make" | "gmake" | "just" | "rake" | "ninja" if cleans(arguments) => Some(Opinion::unknown(
            Cause::Code,
            "a target that cleans removes files, and only its recipe knows which",
        )),
        "ruff" if command == "clean" => Some(Opinion::changes("removes a cache")),
        "relay" => Some(relay(command)),
        _ if TOOLS.contains(&name) => Some(Opinion::changes("builds, tests or formats the project")),
        _ => None,
    }
}

fn cleans(arguments: &[Word]) -> bool {
    arguments.iter().any(|word| {
        let text = word.text.to_ascii_lowercase();
        word.literal().is_none() && word.may_be_option()
            || [
                "clean", "clobber", "purge", "wipe", "destroy", "deploy", "publish", "release", "install",
                "reset",
            ]
            .iter()
            .any(|part| text.contains(part))
    })
}

fn cargo(options: &Options<'_>) -> Opinion {
    let first = options.operand(0).unwrap_or_default();
    let command = if first.starts_with('+') { options.operand(1).unwrap_or_default() } else { first };
    if options.has_long("config") {
        return Opinion::unknown(Cause::Options, "`cargo --config` can replace the programs that cargo runs");
    }
    match command {
        "build" | "b" | "check" | "c" | "test" | "t" | "run" | "r" | "bench" | "doc" | "d" | "clippy"
        | "fmt" | "fix" | "expand" | "nextest" | "miri" | "insta" | "llvm-cov" | "mutants" | "rustc" => {
            Opinion::changes("builds, tests or formats the project")
        }
        "tree" | "metadata" | "pkgid" | "locate-project" | "version" | "help" | "verify-project"
        | "read-manifest" => Opinion::reads("reads the project"),
        "clean" => Opinion::changes("removes what cargo has built"),
        "new" | "init" | "generate-lockfile" | "remove" | "rm" => Opinion::changes("changes the project"),
        "add" | "update" | "fetch" | "install" | "publish" | "search" | "login" | "logout" | "owner"
        | "yank" | "vendor" | "audit" | "deny" | "outdated" => Opinion::network("cargo talks to a registry"),
        "" => Opinion::reads("prints cargo's help or version"),
        _ => {
            Opinion::unknown(Cause::Program, format!("`cargo {command}` is not a command that is known here"))
        }
    }
}

fn npm(name: &str, command: &str, options: &Options<'_>) -> Opinion {
    match command {
        "test" | "t" | "tst" | "run" | "run-script" | "start" | "build" | "lint" | "version" => {
            Opinion::changes("runs a script of the project")
        }
        "ls" | "list" | "root" | "prefix" | "bin" | "help" | "why" | "explain" | "pkg" | "query" | "la"
        | "ll" => Opinion::reads("reads the project"),
        "config" if matches!(options.operand(1), Some("get" | "list" | "ls")) => {
            Opinion::reads("reads settings")
        }
        "cache" if matches!(options.operand(1), Some("clean" | "rm")) => Opinion::changes("removes a cache"),
        "unpublish" | "deprecate" => {
            Opinion::destroys("a published package", format!("`{name} {command}` withdraws it"))
        }
        "exec" | "x" | "dlx" | "install" | "i" | "ci" | "add" | "update" | "upgrade" | "up" | "publish"
        | "audit" | "outdated" | "view" | "info" | "search" | "login" | "create" | "init" | "remove"
        | "uninstall" | "rm" | "link" | "dedupe" | "fetch" | "import" => {
            Opinion::network(format!("`{name} {command}` talks to a registry"))
        }
        "" if name == "yarn" || name == "bun" => Opinion::network("installs packages"),
        "" => Opinion::reads("prints its help or version"),
        _ => Opinion::unknown(
            Cause::Program,
            format!("`{name} {command}` is not a command that is known here"),
        ),
    }
}

fn packages(name: &str, command: &str) -> Opinion {
    match command {
        "list" | "show" | "freeze" | "check" | "help" | "version" | "env" | "tree" | "inspect" | "info"
        | "" => Opinion::reads("shows what is installed"),
        "run" | "exec" => Opinion::unknown(Cause::Code, format!("`{name} {command}` runs another program")),
        _ => Opinion::network(format!("`{name} {command}` installs, removes or fetches packages")),
    }
}

fn go(command: &str, arguments: &[Word]) -> Opinion {
    let runs = arguments.iter().any(|word| {
        ["-exec", "-toolexec", "-vettool", "--exec", "--toolexec"]
            .iter()
            .any(|option| word.text.starts_with(option))
    });
    if runs {
        return Opinion::unknown(Cause::Options, "an option of `go` runs another program");
    }
    match command {
        "build" | "test" | "vet" | "fmt" | "run" | "generate" | "fix" | "tool" => {
            Opinion::changes("builds, tests or formats the project")
        }
        "list" | "version" | "doc" | "help" | "" => Opinion::reads("reads the project"),
        "env" if !arguments.iter().any(|word| matches!(word.text.as_str(), "-w" | "-u")) => {
            Opinion::reads("reads settings")
        }
        "mod"
            if arguments.iter().any(|word| {
                matches!(word.text.as_str(), "graph" | "why" | "verify" | "edit" | "init" | "vendor")
            }) =>
        {
            Opinion::changes("changes the project")
        }
        "mod" | "get" | "install" | "work" => Opinion::network("go fetches modules"),
        "clean" => Opinion::changes("removes what go has built"),
        _ => Opinion::unknown(Cause::Program, format!("`go {command}` is not a command that is known here")),
    }
}

fn generic(name: &str, command: &str) -> Opinion {
    match command {
        "build" | "test" | "check" | "fmt" | "format" | "lint" | "compile" | "analyze" | "clean"
        | "eunit" | "task" => Opinion::changes("builds, tests or formats the project"),
        "--version" | "version" | "info" | "help" | "" => Opinion::reads("prints its version or help"),
        _ => Opinion::unknown(
            Cause::Program,
            format!("`{name} {command}` may fetch packages or run other code"),
        ),
    }
}

fn relay(command: &str) -> Opinion {
    match command {
        "log" | "show" | "status" | "diff" | "blame" | "doctor" | "read" | "search" | "find" | "help"
        | "prompt" | "jobs" => Opinion::reads("reads Relay's own records or the workspace"),
        "apply" | "undo" | "redo" | "check" => {
            Opinion::changes("lands or undoes a change; Relay keeps a record of it")
        }
        _ => Opinion::unknown(Cause::Program, format!("`relay {command}` may ask other programs or models")),
    }
}
