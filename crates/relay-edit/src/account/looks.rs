//! What code looks like by itself: a tree of files, output, a diagram, a session in a terminal.

/// Languages of what programs print.
const OUTPUT: &[&str] = &[
    "text", "txt", "output", "log", "logs", "plaintext", "plain", "stdout", "stderr", "none", "http", "pytb",
    "traceback", "python-traceback", "ansi",
];

/// Languages of diagrams and formulas.
const DIAGRAMS: &[&str] =
    &["mermaid", "dot", "graphviz", "plantuml", "puml", "latex", "tex", "math", "ascii"];

/// Languages of sessions with an interpreter.
const SESSIONS: &[&str] = &["pycon", "python-repl", "irb", "node-repl", "repl"];

/// Languages that people write and programs do not print.
const CODE: &[&str] = &[
    "c", "c++", "cpp", "cs", "csharp", "css", "dart", "elixir", "ex", "go", "golang", "h", "haskell", "hs",
    "java", "javascript", "js", "jsx", "kotlin", "kt", "lua", "ocaml", "perl", "php", "py", "python",
    "python3", "r", "rb", "rs", "ruby", "rust", "scala", "scss", "svelte", "swift", "ts", "tsx",
    "typescript", "vue", "zig",
];

/// Whether a fence holds code of a programming language. ` ```rust `.
pub(super) fn is_code_of(language: &str) -> bool {
    CODE.iter().any(|known| known.eq_ignore_ascii_case(language))
}

/// Languages of documents.
const DOCUMENTS: &[&str] = &["md", "markdown", "mdx", "rst", "adoc"];

/// Whether a fence holds words for people, or may. ` ```md `, ` ``` `.
pub(super) fn is_prose(language: &str) -> bool {
    is_document(language) || [""].iter().chain(OUTPUT).any(|known| known.eq_ignore_ascii_case(language))
}

/// Whether a fence holds part of a document, in which `> ` is a quotation. ` ```md `.
fn is_document(language: &str) -> bool {
    DOCUMENTS.iter().any(|known| known.eq_ignore_ascii_case(language))
}

/// What is drawn as folders and files are. Nothing else looks like it.
pub(super) const TREE: &str = "a tree of files";

/// What seems to be printed by a program. Text files look the same.
pub(super) const OUTPUT_OR_TEXT: &str = "output";

/// What code looks like, whatever its author says about it. `proposes` says that the prose asks for a change, which output
/// never is; `has_path` that it names a file, which a diagram in a reply never is. `├─ src`, ` ```mermaid `, `>>>
/// f(1)`, `Traceback (most recent call last)`.
pub(super) fn what(language: &str, text: &str, proposes: bool, has_path: bool) -> Option<&'static str> {
    let is = |known: &[&str]| known.iter().any(|known| known.eq_ignore_ascii_case(language));
    if is_tree(text) && !is_code_of(language) {
        return Some(TREE);
    }
    if is(DIAGRAMS) && !(proposes && has_path) {
        return Some("a diagram");
    }
    if is(SESSIONS) || is_session(text) && !is_document(language) {
        return Some("a session with an interpreter");
    }
    let is_trace = text.contains("Traceback (most recent call last)") || text.starts_with("error[E");
    let is_plain = (language.is_empty() || is(OUTPUT)) && !proposes;
    if is_trace || is_plain && (is(OUTPUT) || !text.lines().any(is_code)) {
        return Some(OUTPUT_OR_TEXT);
    }
    None
}

/// Whether a fence may hold any text, of a program or of a file. ` ```text `.
pub(super) fn may_be_any_text(language: &str) -> bool {
    ["", "text", "txt", "plaintext", "plain", "none"].iter().any(|known| known.eq_ignore_ascii_case(language))
}

/// Words of what programs print, in lower case.
const PRINTED: &[&str] = &[
    "error", "warning", "passed", "failed", "passing", "failing", "pass ", "fail ", "ok:", " ok", "✓", "✔",
    "✗", "✅", "running", "compiling", "finished", "exit code", "exited", "listening", "info", "debug",
    " -> ", " => ", "==", "http/", "http://", "seconds", "total", "found", "done", "success", "before:",
    "after:", "===", "---", "% ",
];

/// Whether a text looks printed by a program: words of it, a number with a unit, a value in brackets.
pub(super) fn is_printed(text: &str) -> bool {
    let lower = text.to_lowercase();
    let is_unit = |word: &str| ["ms", "s", "%", "mb", "kb", "x"].contains(&word);
    let number = |word: &'_ str| word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').len();
    let words: Vec<&str> = lower.split_whitespace().collect();
    let is_measured = words.iter().zip(words.iter().skip(1).chain([&""])).any(|(word, next)| {
        let (_, unit) = word.split_at_checked(word.len() - number(word)).unwrap_or_default();
        unit.len() < word.len() && (is_unit(unit) || unit.is_empty() && is_unit(next))
    });
    PRINTED.iter().any(|word| lower.contains(word))
        || is_measured
        || text.trim_start().starts_with(['[', '{', '>', '+', '|'])
}

/// Whether lines have the prompt of a shell before them. `$ npm test`.
pub(super) fn has_prompts(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.next().is_some_and(|line| line.starts_with("$ "))
}

/// Programs that people type at a prompt.
const PROGRAMS: &[&str] = &[
    "apt", "apt-get", "bash", "brew", "bun", "bundle", "cargo", "cd", "chmod", "cmake", "composer", "conda",
    "curl", "deno", "docker", "docker-compose", "dotnet", "export", "gcc", "gem", "gh", "git", "go",
    "gradle", "kubectl", "ls", "make", "mkdir", "mvn", "mypy", "node", "npm", "npx", "php", "pip", "pip3",
    "pnpm", "poetry", "pre-commit", "psql", "pytest", "python", "python3", "rake", "rails", "redis-cli",
    "ruby", "ruff", "rustup", "sh", "source", "ssh", "sudo", "tox", "tsc", "uv", "vitest", "wget", "yarn",
    "black", "eslint", "jest", "rm", "mv", "cp", "sed", "touch", "alembic", "ansible-playbook", "aws", "cat",
    "createdb", "createuser", "django-admin", "echo", "find", "flask", "gcloud", "grep", "helm", "heroku",
    "http", "java", "jq", "just", "ln", "mysql", "nvm", "open", "pipx", "podman", "prettier", "pwd", "rg",
    "rsync", "scp", "sqlite3", "systemctl", "tail", "terraform", "time", "uvicorn", "vercel", "watch",
    "which", "xargs", "awk", "bunx", "ed", "gofmt", "patch", "perl", "printf", "rustc", "tar", "tee",
    "truncate", "tsx", "unzip", "uvx",
];

/// Whether a fence says nothing about what it holds. ` ``` `.
pub(super) fn has_no_language(language: &str) -> bool {
    language.is_empty() || language.eq_ignore_ascii_case("text")
}

/// Whether a line is a command that people type. `npm test`, `PORT=1 node a.js`, `./run`.
fn is_command(line: &str) -> bool {
    let line = line.trim_start();
    let line = line.strip_prefix("$ ").unwrap_or(line);
    let is_setting = |word: &&str| word.split_once('=').is_some_and(|(name, _)| is_variable(name));
    let word = line.split_whitespace().find(|word| !is_setting(word)).unwrap_or_default();
    PROGRAMS.contains(&word) || word.starts_with("./")
}

/// Whether the first line is a command. `npm test`, then `3 passed`.
pub(super) fn begins_with_command(text: &str) -> bool {
    text.lines().find(|line| !line.trim().is_empty()).is_some_and(is_command)
}

/// Whether every line is a command that people type. `npm i`, then `# once`, then `npm test`.
pub(super) fn are_commands(text: &str) -> bool {
    let lines = text.lines().filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
    // A line that goes on in the next one is one command.
    let mut goes_on = false;
    let mut lines = lines.filter(|line| !std::mem::replace(&mut goes_on, line.ends_with('\\'))).peekable();
    lines.peek().is_some() && lines.all(is_command)
}

/// Whether a word is the name of a variable of the environment. `PORT`, not `port`.
fn is_variable(word: &str) -> bool {
    !word.is_empty()
        && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

/// Whether a line looks like code. `x = 1`, `run()`, `}`.
fn is_code(line: &str) -> bool {
    let line = line.trim();
    let words = [
        "def ", "class ", "fn ", "let ", "const ", "var ", "import ", "from ", "return ", "function ",
        "pub ", "use ", "if ", "for ",
    ];
    line.ends_with(['{', '}', ';', '(', ',', '['])
        || line.contains("()")
        || line.contains(" = ")
        || line.contains(":=")
        || line.starts_with(['@', '<', '#', '}'])
        || words.iter().any(|word| line.starts_with(word))
}

/// Whether it is drawn as folders and files are. `├─ src`, `└─ a.ts`.
fn is_tree(text: &str) -> bool {
    let is_branch = |line: &&str| {
        line.contains("├─")
            || line.contains("└─")
            || line.trim_start().starts_with("|-- ")
            || line.trim_start().starts_with("`-- ")
    };
    let lines = || text.lines().filter(|line| !line.trim().is_empty());
    let branches = lines().filter(is_branch).count();
    branches > 0 && branches * 2 >= lines().count()
}

/// Whether its first line is typed at the prompt of an interpreter. The documentation of a function may begin with it too:
/// `>>> subs(mapping)(expr)`, the result, `"""` and the code below.
fn is_session(text: &str) -> bool {
    let first = text.lines().find(|line| !line.trim().is_empty()).map(str::trim_start);
    let prompts = [">>> ", "In [1]", "irb(main)", "iex> ", "ghci> ", "> "];
    first.is_some_and(|line| prompts.iter().any(|prompt| line.starts_with(prompt)))
}
