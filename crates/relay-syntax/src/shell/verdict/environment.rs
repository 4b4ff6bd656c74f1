//! Variables that change what later commands do, text that becomes code, and commands that change the folder.

use super::super::tree::{Assignment, Block, Command, Compound, Script, Word};
use super::Cause;
use super::judge::Opinion;

/// Variables with which a harmless command can be made to run something else.
const STEERING: [&str; 44] = [
    "BASHOPTS",
    "BASH_ENV",
    "BROWSER",
    "CC",
    "CDPATH",
    "CXX",
    "EDITOR",
    "ENV",
    "FPATH",
    "GCC_EXEC_PREFIX",
    "GLOBIGNORE",
    "HISTFILE",
    "HOME",
    "IFS",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "LESS",
    "LESSCLOSE",
    "LESSOPEN",
    "LD_AUDIT",
    "LOCPATH",
    "MAKEFLAGS",
    "MANPAGER",
    "NODE_OPTIONS",
    "NODE_PATH",
    "OPENSSL_CONF",
    "PAGER",
    "PATH",
    "POSIXLY_CORRECT",
    "PROMPT_COMMAND",
    "PS0",
    "PS1",
    "PS2",
    "PS4",
    "RUSTC",
    "RUSTC_WRAPPER",
    "RUSTDOC",
    "SHELL",
    "SHELLOPTS",
    "TMPDIR",
    "VISUAL",
    "ZDOTDIR",
    "_JAVA_OPTIONS",
    "GEM_PATH",
];
/// The same, by how the name begins.
const STEERING_PREFIXES: [&str; 13] = [
    "BASH_FUNC_",
    "CARGO_",
    "DYLD_",
    "GIT_",
    "LD_",
    "NPM_CONFIG_",
    "PERL",
    "PIP_",
    "PYTHON",
    "RUBY",
    "SSH_",
    "SUDO_",
    "npm_config_",
];
/// Exceptions that only change what is shown.
const HARMLESS: [&str; 17] = [
    "CARGO_TERM_COLOR",
    "CARGO_INCREMENTAL",
    "CARGO_NET_OFFLINE",
    "CARGO_TARGET_DIR",
    "GIT_TERMINAL_PROMPT",
    "GIT_OPTIONAL_LOCKS",
    "GIT_AUTHOR_NAME",
    "GIT_AUTHOR_EMAIL",
    "GIT_AUTHOR_DATE",
    "GIT_COMMITTER_NAME",
    "GIT_COMMITTER_EMAIL",
    "GIT_COMMITTER_DATE",
    "PYTHONUNBUFFERED",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONHASHSEED",
    "PYTHONIOENCODING",
    "PYTHONUTF8",
];

/// Why an assignment matters beyond the variable itself.
pub(super) fn assignment(assignment: &Assignment) -> Option<Opinion> {
    let value = match assignment.values.as_slice() {
        [value] => value.literal(),
        _ => None,
    };
    variable(&assignment.name, value)
}

/// Why setting this variable matters.
pub(super) fn variable(name: &str, value: Option<&str>) -> Option<Opinion> {
    let is_steering =
        STEERING.contains(&name) || STEERING_PREFIXES.iter().any(|prefix| name.starts_with(prefix));
    if !is_steering || HARMLESS.contains(&name) {
        return None;
    }
    let shows = matches!(name, "PAGER" | "GIT_PAGER" | "MANPAGER" | "GIT_EDITOR" | "EDITOR" | "VISUAL");
    if shows && value.is_some_and(|value| matches!(value, "" | "cat" | "true" | ":")) {
        return None;
    }
    if matches!(name, "IFS" | "LESS")
        && value.is_some_and(|value| {
            value.len() <= 3 && !value.contains(|next: char| next.is_ascii_alphanumeric())
        })
    {
        return None;
    }
    Some(Opinion::unknown(
        Cause::Environment,
        format!("sets `{name}`, which decides what other programs run"),
    ))
}

/// Whether some text of the script would run a command if it were evaluated: `'a[$(rm x)]'`.
pub(super) fn carries_code(script: &Script) -> bool {
    any_word(script, &mut |word| word.dormant)
}

/// Whether a command of the script may change the folder.
pub(super) fn changes_folder(script: &Script) -> bool {
    any_word(script, &mut |word| matches!(word.text.as_str(), "cd" | "pushd" | "popd" | "eval"))
}

/// Looks at every word, those of substitutions included.
fn any_word(script: &Script, found: &mut dyn FnMut(&Word) -> bool) -> bool {
    let mut waiting: Vec<&Script> = vec![script];
    let mut blocks: Vec<&Compound> = Vec::new();
    let mut words: Vec<&Word> = Vec::new();
    loop {
        if let Some(word) = words.pop() {
            if found(word) {
                return true;
            }
            waiting.extend(&word.scripts);
        } else if let Some(block) = blocks.pop() {
            parts(block, &mut waiting, &mut words);
        } else if let Some(script) = waiting.pop() {
            let pipelines = script.items.iter().flat_map(|item| &item.list.pipelines);
            for command in pipelines.flat_map(|(_, pipeline)| &pipeline.stages) {
                match command {
                    Command::Simple(simple) => {
                        words.extend(&simple.words);
                        words.extend(simple.redirects.iter().map(|redirect| &redirect.target));
                        words.extend(
                            simple.assignments.iter().flat_map(|one| one.values.iter().chain(&one.index)),
                        );
                    }
                    Command::Compound(compound) => blocks.push(compound),
                    Command::Function(function) => blocks.push(&function.body),
                }
            }
        } else {
            return false;
        }
    }
}

fn parts<'a>(compound: &'a Compound, scripts: &mut Vec<&'a Script>, words: &mut Vec<&'a Word>) {
    words.extend(compound.redirects.iter().map(|redirect| &redirect.target));
    match &compound.block {
        Block::Subshell(script) | Block::Group(script) => scripts.push(script),
        Block::If { branches, otherwise } => {
            scripts.extend(branches.iter().flat_map(|(condition, body)| [condition, body]).chain(otherwise));
        }
        Block::Loop { condition, body } => scripts.extend([condition, body]),
        Block::For { words: given, body, .. } => {
            words.extend(given);
            scripts.push(body);
        }
        Block::Count { header, body } => {
            words.push(header);
            scripts.push(body);
        }
        Block::Case { word, arms } => {
            words.push(word);
            words.extend(arms.iter().flat_map(|arm| &arm.patterns));
            scripts.extend(arms.iter().map(|arm| &arm.body));
        }
        Block::Condition(given) => words.extend(given),
        Block::Arithmetic(word) => words.push(word),
    }
}
