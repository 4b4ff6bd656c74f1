//! Builtins of the shell. Several look harmless and are not: `export PATH=…` steers every later command.

use super::super::tree::Word;
use super::judge::{Judge, Opinion};
use super::{Cause, environment};

/// Builtins that only look or count.
const HARMLESS: [&str; 26] = [
    ":", "[", "bg", "break", "caller", "continue", "dirs", "disown", "echo", "exit", "false", "fg",
    "getopts", "help", "history", "jobs", "let", "logout", "printf", "pwd", "read", "return", "shift",
    "test", "times", "true",
];
/// Builtins that evaluate an index in the name of a variable.
const EVALUATING: [&str; 14] = [
    "[",
    "declare",
    "export",
    "getopts",
    "let",
    "local",
    "mapfile",
    "printf",
    "read",
    "readarray",
    "readonly",
    "test",
    "typeset",
    "unset",
];

/// What a builtin does; nothing if `name` is not one.
pub(super) fn judge(judge: &mut Judge<'_>, name: &str, arguments: &[Word]) -> Option<Opinion> {
    if EVALUATING.contains(&name)
        && judge.carries_code()
        && arguments.iter().any(|word| word.text.contains('[') || word.expands)
        && name != "["
        && name != "test"
        || name == "let" && judge.carries_code()
        || matches!(name, "[" | "test")
            && judge.carries_code()
            && arguments.iter().any(|word| {
                matches!(word.text.as_str(), "-v" | "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge")
            })
    {
        return Some(Opinion::unknown(
            Cause::Code,
            format!("`{name}` evaluates its arguments, and text in this command would be code there"),
        ));
    }
    match name {
        "cd" | "pushd" | "popd" => {
            let target =
                arguments.iter().find(|word| !matches!(word.text.as_str(), "-L" | "-P" | "-e" | "-n" | "--"));
            if name == "popd" {
                judge.folder.0 = None;
            } else {
                judge.folder.enter(target);
            }
            Some(Opinion::reads("changes the folder"))
        }
        "export" | "declare" | "typeset" | "readonly" | "local" => Some(declare(arguments)),
        "unset" => Some(unset(arguments)),
        "set" => Some(set(arguments)),
        "shopt" => Some(shopt(arguments)),
        "wait" | "getopts" => Some(names(arguments)),
        "history" if !arguments.is_empty() => {
            Some(Opinion::unknown(Cause::Options, "writes or reads a file of commands, or changes the list"))
        }
        "umask" | "ulimit" | "type" => Some(Opinion::reads("looks at or changes a setting of this shell")),
        "hash" if arguments.iter().all(|word| word.literal() == Some("-r")) => {
            Some(Opinion::reads("forgets where programs are"))
        }
        "alias" => Some(alias(arguments)),
        "unalias" => Some(Opinion::reads("removes an alias")),
        "mapfile" | "readarray"
            if !arguments.iter().any(|word| word.text.starts_with("-C") || word.expands) =>
        {
            Some(names(arguments))
        }
        "source" | "." => {
            Some(Opinion::unknown(Cause::Code, "runs a file in this shell, whose text was not looked at"))
        }
        "bind" | "complete" | "compgen" | "compopt" | "enable" | "fc" | "hash" | "mapfile" | "readarray"
        | "suspend" | "coproc" => {
            Some(Opinion::unknown(Cause::Options, format!("`{name}` can run or load other code")))
        }
        "kill" => Some(Opinion::unknown(Cause::Options, "ends other processes")),
        "printf" => Some(printf(arguments)),
        "read" => Some(read(arguments)),
        _ if HARMLESS.contains(&name) => Some(Opinion::reads("only reads, prints or compares")),
        _ => None,
    }
}

/// `printf -v PATH …` and `read PATH` set variables too.
fn printf(arguments: &[Word]) -> Opinion {
    match arguments {
        [option, name, ..] if option.text.starts_with("-v") => names(std::slice::from_ref(name)),
        _ => Opinion::reads("prints"),
    }
}

fn read(arguments: &[Word]) -> Opinion {
    names(arguments)
}

fn names(words: &[Word]) -> Opinion {
    let steering = words.iter().find_map(|word| environment::variable(&word.text, None));
    steering.unwrap_or_else(|| Opinion::reads("sets a variable of the shell"))
}

fn declare(arguments: &[Word]) -> Opinion {
    for word in arguments {
        let (name, value) =
            word.text.split_once('=').map_or((word.text.as_str(), None), |(name, value)| (name, Some(value)));
        let is_option = name.starts_with('-');
        if word.literal().is_none() && value.is_none() && !is_option {
            return Opinion::unknown(Cause::Dynamic, "the variable's name is only known when it runs");
        }
        // `declare -a 'a=($(command))'` expands what is quoted.
        if value.is_some_and(|value| value.starts_with('(') && value.contains(['$', '`'])) {
            return Opinion::unknown(
                Cause::Code,
                "a list in a declaration is expanded although it is quoted",
            );
        }
        if is_option && name.contains(['n', 'f', 'i']) {
            return Opinion::unknown(
                Cause::Options,
                "declares a reference, a function or an evaluated number",
            );
        }
        if let Some(opinion) =
            value.and_then(|value| environment::variable(name.trim_end_matches('+'), Some(value)))
        {
            return opinion;
        }
    }
    Opinion::reads("sets a variable of the shell")
}

fn unset(arguments: &[Word]) -> Opinion {
    names(arguments)
}

fn set(arguments: &[Word]) -> Opinion {
    let mut words = arguments.iter().filter_map(Word::literal);
    let is_known = arguments.iter().all(|word| word.literal().is_some())
        && words.all(|word| match word {
            "pipefail" | "errexit" | "nounset" | "xtrace" | "noglob" | "noclobber" | "verbose"
            | "errtrace" => true,
            _ => word
                .strip_prefix(['-', '+'])
                .is_some_and(|letters| letters.chars().all(|letter| "euxofvCEThn-".contains(letter))),
        });
    let positional = arguments.first().is_some_and(|word| word.literal() == Some("--"));
    if is_known || positional {
        Opinion::reads("changes a setting of this shell")
    } else {
        Opinion::unknown(Cause::Environment, "changes how the shell reads the commands after it")
    }
}

fn shopt(arguments: &[Word]) -> Opinion {
    let known = [
        "-s",
        "-u",
        "-q",
        "-p",
        "globstar",
        "nullglob",
        "dotglob",
        "failglob",
        "nocaseglob",
        "nocasematch",
        "lastpipe",
    ];
    if arguments.iter().all(|word| word.literal().is_some_and(|text| known.contains(&text))) {
        Opinion::reads("changes a setting of this shell")
    } else {
        Opinion::unknown(Cause::Environment, "changes how the shell reads the commands after it")
    }
}

fn alias(arguments: &[Word]) -> Opinion {
    if arguments.iter().all(|word| !word.text.contains('=') && word.literal().is_some()) {
        return Opinion::reads("lists aliases");
    }
    Opinion::unknown(Cause::Environment, "gives a command another meaning")
}
