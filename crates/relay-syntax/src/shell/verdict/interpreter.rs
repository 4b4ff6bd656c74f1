//! Interpreters: their programs are code that nothing here reads.

use super::super::tree::Word;
use super::Cause;
use super::judge::Opinion;

const INTERPRETERS: [&str; 41] = [
    "R",
    "Rscript",
    "bpython",
    "clojure",
    "csh",
    "crystal",
    "dc",
    "ed",
    "elixir",
    "emacs",
    "erl",
    "ex",
    "expect",
    "fish",
    "gdb",
    "ghci",
    "groovy",
    "guile",
    "ipython",
    "irb",
    "java",
    "julia",
    "ksh",
    "lldb",
    "lua",
    "luajit",
    "nano",
    "node",
    "nodejs",
    "nvim",
    "ocaml",
    "osascript",
    "perl",
    "php",
    "pwsh",
    "racket",
    "ruby",
    "scala",
    "tclsh",
    "vim",
    "zsh",
];
/// Databases, in which one statement drops a table.
const DATABASES: [&str; 9] =
    ["cqlsh", "duckdb", "influx", "mongo", "mongosh", "mysql", "psql", "redis-cli", "sqlite3"];
/// Modules of Python that are tools.
const MODULES: [&str; 15] = [
    "pytest",
    "unittest",
    "mypy",
    "black",
    "ruff",
    "flake8",
    "pylint",
    "isort",
    "py_compile",
    "compileall",
    "venv",
    "tox",
    "nox",
    "coverage",
    "pyright",
];

pub(super) fn judge(name: &str, arguments: &[Word]) -> Option<Opinion> {
    if is_python(name) {
        return Some(python(arguments));
    }
    if matches!((name, arguments), ("node" | "nodejs" | "ruby" | "perl" | "php" | "lua", [word]) if matches!(word.literal(), Some("-v" | "-V")))
    {
        return Some(Opinion::reads("prints its version"));
    }
    if let ("node", [option, ..]) = (name, arguments)
        && matches!(option.literal(), Some("--test" | "--check"))
    {
        return Some(Opinion::changes("tests or checks the project"));
    }
    if DATABASES.contains(&name) {
        return Some(database(name, arguments));
    }
    INTERPRETERS
        .contains(&name)
        .then(|| Opinion::unknown(Cause::Code, format!("`{name}` runs code that was not looked at")))
}

fn is_python(name: &str) -> bool {
    let version = name.strip_prefix("python").or_else(|| name.strip_prefix("pypy"));
    version.is_some_and(|version| version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'))
}

fn python(arguments: &[Word]) -> Opinion {
    let words: Vec<Option<&str>> = arguments.iter().map(Word::literal).collect();
    match words.as_slice() {
        [Some("-V" | "-VV")] => Opinion::reads("prints its version"),
        [Some("-m"), Some(module), ..] if MODULES.contains(module) => {
            Opinion::changes("builds, tests or formats the project")
        }
        [Some("-m"), Some("json.tool")] => Opinion::reads("prints JSON"),
        [Some("-m"), Some("json.tool"), Some(file)] if !file.starts_with('-') => {
            Opinion::reads("prints JSON")
        }
        [Some("-m"), Some("pip"), Some("list" | "show" | "freeze" | "check"), ..] => {
            Opinion::reads("shows what is installed")
        }
        [Some("-m"), Some("pip" | "http.server" | "ensurepip" | "pipx" | "uv"), ..] => {
            Opinion::network("installs packages or listens for connections")
        }
        _ => Opinion::unknown(Cause::Code, "Python runs code that was not looked at"),
    }
}

fn database(name: &str, arguments: &[Word]) -> Opinion {
    let text = arguments.iter().map(|word| word.text.to_ascii_lowercase()).collect::<Vec<_>>().join(" ");
    let deletes = ["drop ", "delete from", "truncate ", "dropdatabase", "flushall", "flushdb", ".restore"];
    if deletes.iter().any(|word| text.contains(word)) {
        return Opinion::destroys("data in a database", format!("a statement given to `{name}` deletes it"));
    }
    Opinion::unknown(Cause::Code, format!("`{name}` changes a database, which Relay cannot undo"))
}
