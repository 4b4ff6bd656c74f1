//! `awk`: a language with pipes, files and `system()`. Programs without any of them only print.

use super::super::tree::Word;
use super::Cause;
use super::judge::Opinion;
use super::options::Options;

pub(super) fn judge(arguments: &[Word]) -> Opinion {
    let options = Options::of(arguments, ("Fv", &["field-separator", "assign"]));
    if !options.only("FvW", &["field-separator", "assign", "csv", "posix", "re-interval"]) {
        return Opinion::unknown(
            Cause::Options,
            "an option of `awk` loads code, edits in place, or is only known when it runs",
        );
    }
    match options.operand(0) {
        Some(program) if only_prints(program) => Opinion::reads("prints selected text"),
        Some(_) => Opinion::unknown(
            Cause::Code,
            "the program of `awk` runs commands or writes files, or is not understood",
        ),
        None => Opinion::unknown(Cause::Dynamic, "the program of `awk` is only known when it runs"),
    }
}

/// Whether a program has no way to a file or a command: no `system`, no `getline`, no single `|`, no `>` after `print`.
fn only_prints(program: &str) -> bool {
    let code = without_strings(program);
    let has_pipe = code.replace("||", "").contains('|');
    if has_pipe
        || code.contains('@')
        || ["system", "getline", "close", "fflush"].iter().any(|word| code.contains(word))
    {
        return false;
    }
    let redirects = |statement: &str| {
        statement.find("print").is_some_and(|at| statement.get(at..).unwrap_or_default().contains('>'))
    };
    !code.split([';', '{', '}', '\n']).any(redirects)
}

/// The program without the content of its strings.
fn without_strings(program: &str) -> String {
    let mut code = String::new();
    let mut characters = program.chars();
    while let Some(next) = characters.next() {
        code.push(next);
        if next != '"' {
            continue;
        }
        while let Some(inner) = characters.next() {
            match inner {
                '\\' => {
                    characters.next();
                }
                '"' => break,
                _ => {}
            }
        }
    }
    code
}
