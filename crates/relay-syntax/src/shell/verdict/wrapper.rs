//! Commands that run other commands: seen through, so that `sudo env A=1 timeout 5 rm -rf x` is judged as `rm -rf x`.
//!
//! A wrapper whose options are not known is not seen through: what would be read as the inner command could be the value of
//! an option, and the other way round.

use super::super::tree::{Script, Word};
use super::judge::Opinion;
use super::{Cause, environment, reads, remote, shells};

/// What is inside a wrapper.
pub(super) enum Inner {
    /// Words of a command.
    Words(Vec<Word>),
    /// A script that runs in a shell of its own.
    Script(Script),
    /// A script that runs on another machine.
    Elsewhere(Script),
    /// A script that runs in this shell.
    Here(Script),
    /// Words of a command that runs in another folder.
    In(Word, Vec<Word>),
}

/// The result of unwrapping a command.
pub(super) enum Seen {
    /// It does not run others.
    Command,
    /// It does; the notes are about the wrapper itself.
    Wrapped {
        /// What it runs.
        inner: Vec<Inner>,
        /// About the wrapper itself.
        notes: Vec<(String, Opinion)>,
    },
}

impl Seen {
    pub(super) fn note(shown: &str, opinion: Opinion) -> Self {
        Self::Wrapped { inner: Vec::new(), notes: vec![(shown.to_owned(), opinion)] }
    }

    pub(super) fn script(script: Script) -> Self {
        Self::Wrapped { inner: vec![Inner::Script(script)], notes: Vec::new() }
    }

    fn words(words: &[Word]) -> Self {
        Self::Wrapped { inner: vec![Inner::Words(words.to_vec())], notes: Vec::new() }
    }
}

/// A wrapper: its name, options without and with a value, and how many words come before the command.
struct Wrapper {
    name: &'static str,
    flags: &'static str,
    valued: &'static str,
    long: &'static [&'static str],
    before: usize,
}

const fn wrapper(
    name: &'static str,
    flags: &'static str,
    valued: &'static str,
    long: &'static [&'static str],
    before: usize,
) -> Wrapper {
    Wrapper { name, flags, valued, long, before }
}

const WRAPPERS: [Wrapper; 22] = [
    wrapper("busybox", "", "", &[], 0),
    wrapper("caffeinate", "dimsu", "t", &[], 0),
    wrapper("chronic", "ve", "", &[], 0),
    wrapper("chroot", "", "", &["userspec=", "groups=", "skip-chdir"], 1),
    wrapper("chrt", "abfimorR", "", &[], 1),
    wrapper("doas", "ns", "uC", &[], 0),
    wrapper("env", "iv0", "uC", &["ignore-environment", "unset=", "chdir=", "null", "debug"], 0),
    wrapper("exec", "cl", "a", &[], 0),
    wrapper("flock", "sxeunoF", "wE", &["shared", "exclusive", "nonblock", "timeout="], 1),
    wrapper("ionice", "t", "cn", &["class=", "classdata=", "ignore"], 0),
    wrapper("nice", "", "n", &["adjustment="], 0),
    wrapper("nohup", "", "", &[], 0),
    wrapper("setsid", "cfw", "", &["ctty", "fork", "wait"], 0),
    wrapper("stdbuf", "", "ioe", &["input=", "output=", "error="], 0),
    wrapper("strace", "fqvttTyC", "esP", &[], 0),
    wrapper(
        "sudo",
        "AbEHnPSkB",
        "ugpChTrtUDR",
        &["user=", "group=", "non-interactive", "preserve-env", "set-home", "stdin", "background", "chdir="],
        0,
    ),
    wrapper("taskset", "ac", "", &["cpu-list"], 1),
    wrapper("time", "pvaq", "f", &["portability", "verbose", "format="], 0),
    wrapper("toybox", "", "", &[], 0),
    wrapper(
        "timeout",
        "fpv",
        "sk",
        &["signal=", "kill-after=", "foreground", "preserve-status", "verbose"],
        1,
    ),
    wrapper("unbuffer", "p", "", &[], 0),
    wrapper("unshare", "muinpUCfrc", "RwSG", &["map-root-user", "fork", "user", "net", "mount", "pid"], 0),
];

/// Looks for a command inside `words`.
pub(super) fn see_through(words: &[Word], input: Option<&Word>, reads_data: bool) -> Seen {
    let Some((first, arguments)) = words.split_first() else { return Seen::Command };
    let Some(name) = first.literal().map(super::program::base_name) else { return Seen::Command };
    match name {
        "sh" | "bash" | "dash" => shells::shell(name, arguments, input, reads_data),
        "eval" => shells::eval(arguments),
        "trap" => shells::trap(arguments),
        "watch" => shells::watch(arguments),
        "command" => command(words, arguments),
        "builtin" => Seen::words(arguments),
        "xargs" => xargs(arguments),
        "find" => exec_of("find", arguments, &["-exec", "-execdir", "-ok", "-okdir"], reads::find(arguments)),
        "fd" | "fdfind" => {
            exec_of("fd", arguments, &["-x", "-X", "--exec", "--exec-batch"], reads::fd(arguments))
        }
        "git" => git(words, arguments),
        "ssh" => remote::ssh(arguments),
        "parallel" => remote::parallel(arguments),
        "script" => remote::script(arguments),
        _ => match WRAPPERS.iter().find(|wrapper| wrapper.name == name) {
            Some(wrapper) => plain(wrapper, arguments),
            None => Seen::Command,
        },
    }
}

/// The words after a wrapper's options, or nothing if an option is not known.
pub(super) fn after_options<'a>(
    words: &'a [Word],
    flags: &str,
    valued: &str,
    long: &[&str],
) -> Option<&'a [Word]> {
    let mut rest = words;
    while let Some((word, after)) = rest.split_first() {
        let Some(text) = word.literal() else { return (!word.may_be_option()).then_some(rest) };
        if text == "--" {
            return Some(after);
        }
        rest = if let Some(name) = text.strip_prefix("--") {
            let (bare, has_value) = name.split_once('=').map_or((name, false), |(bare, _)| (bare, true));
            let known = long.iter().find(|known| known.trim_end_matches('=') == bare)?;
            if known.ends_with('=') && !has_value { after.get(1..)? } else { after }
        } else if let Some(letters) = text.strip_prefix('-').filter(|letters| !letters.is_empty()) {
            let takes_next = cluster(letters, flags, valued)?;
            if takes_next { after.get(1..)? } else { after }
        } else {
            return Some(rest);
        };
    }
    Some(rest)
}

/// Whether a cluster of letters takes the next word as its value; nothing if a letter is not known.
fn cluster(letters: &str, flags: &str, valued: &str) -> Option<bool> {
    // `nice -10`
    if letters.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(false);
    }
    let mut rest = letters.chars();
    while let Some(letter) = rest.next() {
        if valued.contains(letter) {
            return Some(rest.as_str().is_empty());
        }
        if !flags.contains(letter) {
            return None;
        }
    }
    Some(false)
}

fn plain(wrapper: &Wrapper, arguments: &[Word]) -> Seen {
    let name = wrapper.name;
    let mut notes = Vec::new();
    let rights = match name {
        "sudo" | "doas" => Some(format!("`{name}` runs the command as another user")),
        "chroot" | "unshare" => Some(format!("`{name}` runs the command in surroundings of its own")),
        _ => None,
    };
    notes.extend(rights.map(|why| (name.to_owned(), Opinion::unknown(Cause::Privilege, why))));
    if name == "env"
        && let Some(text) = split_string(arguments)
    {
        return shells::text_of(text.as_ref(), name);
    }
    let unknown = || {
        Seen::note(
            name,
            Opinion::unknown(
                Cause::Options,
                format!("`{name}` has options that are not known here, so what it runs cannot be said"),
            ),
        )
    };
    let Some(mut rest) = after_options(arguments, wrapper.flags, wrapper.valued, wrapper.long) else {
        return unknown();
    };
    if matches!(name, "env" | "sudo" | "doas") {
        while let Some((word, after)) = rest.split_first() {
            let Some((variable, value)) =
                word.text.split_once('=').filter(|(variable, _)| super::super::cursor::is_name(variable))
            else {
                break;
            };
            let value = word.literal().is_some().then_some(value);
            notes.extend(environment::variable(variable, value).map(|opinion| (word.text.clone(), opinion)));
            rest = after;
        }
    }
    let Some(inner) = rest.get(wrapper.before..) else { return unknown() };
    if rest.iter().take(wrapper.before).any(Word::may_be_option) {
        return unknown();
    }
    if inner.is_empty() {
        if name == "env" || name == "exec" {
            notes.push((name.to_owned(), Opinion::reads("runs nothing")));
        } else if notes.is_empty() {
            return unknown();
        }
        return Seen::Wrapped { inner: Vec::new(), notes };
    }
    if name == "env"
        && arguments
            .iter()
            .take(arguments.len() - inner.len())
            .any(|word| word.text.starts_with("-C") || word.text.starts_with("--chdir"))
    {
        return unknown();
    }
    if name == "flock" && inner.first().is_some_and(|word| word.text == "-c" || word.text == "--command") {
        return shells::text_of(inner.get(1), name);
    }
    Seen::Wrapped { inner: vec![Inner::Words(inner.to_vec())], notes }
}

/// The text of `env -S`, if that is the first option: a command line as a shell would read it.
fn split_string(arguments: &[Word]) -> Option<Option<Word>> {
    let (first, rest) = arguments.split_first()?;
    let text = match first.text.as_str() {
        "-S" | "--split-string" => return Some(rest.first().cloned()),
        text => text.strip_prefix("-S").or_else(|| text.strip_prefix("--split-string="))?,
    };
    let is_literal = first.literal().is_some();
    Some(is_literal.then(|| Word { text: text.to_owned(), ..Word::default() }))
}

/// `command -v name` only looks it up.
fn command(words: &[Word], arguments: &[Word]) -> Seen {
    match arguments.first().and_then(Word::literal) {
        Some("-v" | "-V" | "-pv" | "-pV") => Seen::note("command", Opinion::reads("looks up a command")),
        Some("-p") => Seen::words(words.get(2..).unwrap_or_default()),
        Some(option) if option.starts_with('-') && option != "--" => Seen::note(
            "command",
            Opinion::unknown(Cause::Options, "`command` has an option that is not known here"),
        ),
        Some("--") => Seen::words(words.get(2..).unwrap_or_default()),
        _ => Seen::words(arguments),
    }
}

/// A word for what is only known when the command runs.
fn unknown_word(written: &str) -> Word {
    Word { text: written.to_owned(), expands: true, ..Word::default() }
}

fn xargs(arguments: &[Word]) -> Seen {
    let long = [
        "null",
        "no-run-if-empty",
        "verbose",
        "max-args=",
        "max-procs=",
        "delimiter=",
        "arg-file=",
        "max-lines=",
        "replace=",
        "max-chars=",
        "exit",
    ];
    let Some(inner) = after_options(arguments, "0rtpxio", "InLPsdEaJR", &long) else {
        return Seen::note(
            "xargs",
            Opinion::unknown(Cause::Options, "`xargs` has options that are not known here"),
        );
    };
    if inner.is_empty() {
        return Seen::note("xargs", Opinion::reads("prints what it reads"));
    }
    let options = arguments.len() - inner.len();
    let mut mark = None;
    let mut given = arguments.iter().take(options).peekable();
    while let Some(word) = given.next() {
        match word.text.as_str() {
            "-I" | "-J" => mark = given.peek().map(|word| word.text.clone()),
            "-i" | "--replace" => mark = Some("{}".to_owned()),
            text => {
                mark = text
                    .strip_prefix("-I")
                    .or_else(|| text.strip_prefix("--replace="))
                    .map(str::to_owned)
                    .or(mark);
            }
        }
    }
    let mut words: Vec<Word> = inner.to_vec();
    match mark {
        Some(mark) => replace(&mut words, &mark),
        None => words.push(unknown_word("…")),
    }
    Seen::Wrapped { inner: vec![Inner::Words(words)], notes: Vec::new() }
}

/// Makes every word that contains `mark` one that is only known when it runs.
fn replace(words: &mut [Word], mark: &str) {
    for word in words.iter_mut().filter(|word| !mark.is_empty() && word.text.contains(mark)) {
        word.known = word.known.min(word.text.find(mark).unwrap_or(0));
        word.expands = true;
    }
}

/// What `find -exec` and `fd -x` run; `own` is the opinion on the rest of the command.
fn exec_of(name: &str, arguments: &[Word], options: &[&str], own: Opinion) -> Seen {
    let mut inner = Vec::new();
    let mut rest = arguments;
    while let Some((word, after)) = rest.split_first() {
        rest = after;
        if !word.literal().is_some_and(|text| options.contains(&text)) {
            continue;
        }
        let length =
            after.iter().position(|word| matches!(word.literal(), Some(";" | "+"))).unwrap_or(after.len());
        let mut words = after.get(..length).unwrap_or_default().to_vec();
        if words.iter().any(|word| word.text.contains("{}")) {
            replace(&mut words, "{}");
            for placeholder in ["{.}", "{/}", "{//}", "{/.}"] {
                replace(&mut words, placeholder);
            }
        } else {
            words.push(unknown_word("…"));
        }
        inner.push(Inner::Words(words));
        rest = after.get(length..).unwrap_or_default();
    }
    Seen::Wrapped { inner, notes: vec![(name.to_owned(), own)] }
}

/// `git -C folder …`, `git bisect run …` and `git submodule foreach …`.
fn git(words: &[Word], arguments: &[Word]) -> Seen {
    let texts: Vec<Option<&str>> = arguments.iter().map(Word::literal).collect();
    match texts.as_slice() {
        [Some("-C"), _, ..] => {
            let (Some(folder), Some(git)) = (arguments.get(1), words.first()) else { return Seen::Command };
            let rest = arguments.get(2..).unwrap_or_default();
            Seen::Wrapped {
                inner: vec![Inner::In(folder.clone(), std::iter::once(git).chain(rest).cloned().collect())],
                notes: Vec::new(),
            }
        }
        [Some("bisect"), Some("run"), ..] => {
            let changes =
                Opinion::changes("checks out other commits, and comes back with `git bisect reset`");
            Seen::Wrapped {
                inner: vec![Inner::Words(arguments.get(2..).unwrap_or_default().to_vec())],
                notes: vec![("git bisect run".to_owned(), changes)],
            }
        }
        [Some("submodule"), Some("foreach"), ..] => {
            let rest = arguments.get(2..).unwrap_or_default();
            let skipped = rest
                .iter()
                .take_while(|word| matches!(word.literal(), Some("--recursive" | "--quiet" | "-q")))
                .count();
            match rest.get(skipped..) {
                Some([text]) => shells::text_of(Some(text), "git submodule foreach"),
                Some(words) => Seen::words(words),
                None => Seen::Command,
            }
        }
        _ => Seen::Command,
    }
}
