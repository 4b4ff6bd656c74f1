//! Programs that only read, and those that do so unless an option says otherwise.

use super::super::tree::Word;
use super::judge::{Judge, Opinion};
use super::options::{Options, PLAIN};
use super::{Cause, awk, sed};

/// Programs that only read and print, whatever their options are.
const READERS: [&str; 74] = [
    "arch",
    "b2sum",
    "base32",
    "base64",
    "basename",
    "bc",
    "cal",
    "cat",
    "cksum",
    "cmp",
    "column",
    "comm",
    "cut",
    "df",
    "diff",
    "diff3",
    "dirname",
    "du",
    "egrep",
    "expand",
    "expr",
    "factor",
    "fgrep",
    "fmt",
    "fold",
    "free",
    "getconf",
    "grep",
    "groups",
    "head",
    "hexdump",
    "id",
    "iconv",
    "join",
    "jq",
    "locale",
    "ls",
    "lsblk",
    "lscpu",
    "md5sum",
    "nl",
    "nm",
    "nproc",
    "numfmt",
    "objdump",
    "od",
    "paste",
    "pgrep",
    "pr",
    "printenv",
    "ps",
    "readelf",
    "readlink",
    "realpath",
    "rev",
    "seq",
    "sha1sum",
    "sha224sum",
    "sha256sum",
    "sha384sum",
    "sha512sum",
    "size",
    "sleep",
    "stat",
    "strings",
    "sum",
    "tac",
    "tail",
    "tr",
    "tsort",
    "tty",
    "uname",
    "wc",
    "whoami",
];
/// The same for programs that have a short list of options that do more.
const MORE_READERS: [&str; 10] =
    ["cloc", "dpkg-query", "lsof", "pstree", "tokei", "unexpand", "uptime", "vmstat", "whereis", "which"];

/// What a reader would do; nothing if `name` is not one.
pub(super) fn judge(judge: &Judge<'_>, name: &str, arguments: &[Word]) -> Option<Opinion> {
    if name == "iconv" {
        return Some(unless(arguments, "o", &["output"], "only reads and prints"));
    }
    if READERS.contains(&name) || MORE_READERS.contains(&name) {
        return Some(Opinion::reads("only reads and prints"));
    }
    match name {
        "rg" | "ripgrep" => Some(unless(arguments, "", &["pre", "hostname-bin"], "searches files")),
        "ag" | "ack" => Some(unless(arguments, "", &["pager"], "searches files")),
        "sort" => Some(sort(judge, arguments)),
        "uniq" => Some(second_operand(judge, arguments, "fsw")),
        "xxd" => Some(second_operand(judge, arguments, "cglos")),
        "less" | "more" => Some(pager(arguments)),
        "ldd" => Some(Opinion::unknown(Cause::Code, "`ldd` may run the program it looks at")),
        "xmllint" => {
            Some(unless(arguments, "o", &["output", "shell", "xpath-file"], "only reads and prints"))
        }
        "file" if arguments.iter().any(|word| word.text.starts_with("-C") || word.text == "--compile") => {
            Some(Opinion::unknown(Cause::Options, "writes a file of compiled rules"))
        }
        "file" => Some(Opinion::reads("only reads and prints")),
        "man" => Some(unless(arguments, "PHCK", &["pager", "html"], "shows a manual page")),
        "tree" => Some(unless(arguments, "o", &["output"], "lists files")),
        "date" => Some(unless(arguments, "s", &["set"], "prints the time")),
        "hostname" if arguments.is_empty() => Some(Opinion::reads("prints the name of this machine")),
        "yq" => Some(unless(arguments, "i", &["inplace", "in-place"], "only reads and prints")),
        "split" | "csplit" => {
            Some(Opinion::unknown(Cause::Options, "writes files whose names depend on its input"))
        }
        "sed" | "gsed" => Some(sed::judge(judge, arguments)),
        "awk" | "gawk" | "mawk" | "nawk" => Some(awk::judge(arguments)),
        "bat" | "batcat" => Some(unless(arguments, "", &["pager"], "shows a file")),
        _ => None,
    }
}

/// A reader that does something else with one of these options.
fn unless(arguments: &[Word], letters: &str, names: &[&str], reason: &str) -> Opinion {
    let options = Options::of(arguments, PLAIN);
    if options.has_any(letters) || options.has_any_long(names) {
        return Opinion::unknown(Cause::Options, "one of its options writes a file or runs another program");
    }
    if options.is_uncertain {
        return Opinion::unknown(Cause::Dynamic, "an option is only known when it runs");
    }
    Opinion::reads(reason)
}

fn sort(judge: &Judge<'_>, arguments: &[Word]) -> Opinion {
    let options = Options::of(
        arguments,
        ("ktST", &["key", "field-separator", "buffer-size", "temporary-directory", "output"]),
    );
    if options.has_long("compress-program") || options.is_uncertain {
        return Opinion::unknown(
            Cause::Options,
            "one of its options may run another program or write a file",
        );
    }
    if options.has('o') || options.has_long("output") {
        let mut target =
            arguments.iter().skip_while(|word| !word.text.starts_with("-o") && !word.text.starts_with("--o"));
        let named = target.clone().next().map(|word| word.text.clone()).unwrap_or_default();
        let path = named
            .strip_prefix("-o")
            .or_else(|| named.split_once('=').map(|(_, path)| path))
            .filter(|path| !path.is_empty() && !path.starts_with('-'));
        let word = match path {
            Some(path) => Word { text: path.to_owned(), known: path.len(), ..Word::default() },
            None => target.nth(1).cloned().unwrap_or_default(),
        };
        return judge.write_to(&word, true);
    }
    Opinion::reads("sorts and prints")
}

/// `uniq in out` and `xxd in out` write their second operand.
fn second_operand(judge: &Judge<'_>, arguments: &[Word], valued: &'static str) -> Opinion {
    let options = Options::of(arguments, (valued, &[]));
    match options.operands.as_slice() {
        [_, target, ..] => judge.write_to(target, true),
        _ if options.is_uncertain => {
            Opinion::unknown(Cause::Dynamic, "an option or a file is only known when it runs")
        }
        _ => Opinion::reads("only reads and prints"),
    }
}

/// `find`, without what `-exec` runs.
pub(super) fn find(arguments: &[Word]) -> Opinion {
    let texts = || arguments.iter().map(|word| word.text.as_str());
    if arguments.iter().any(|word| word.literal() == Some("-delete")) {
        return Opinion::destroys("every file it finds", "`find -delete` removes files");
    }
    if texts().any(|text| matches!(text, "-fprint" | "-fprint0" | "-fprintf" | "-fls")) {
        return Opinion::unknown(Cause::Options, "writes its list to a file");
    }
    // A glob is a path, and a variable in quotes is most often one; both may also be `-delete`.
    let is_uncertain = |word: &&Word| word.literal().is_none() && !word.globs && word.may_be_option();
    if arguments.iter().find(is_uncertain).is_some_and(|word| word.text != "{}") {
        return Opinion::unknown(Cause::Dynamic, "a path or test of `find` is only known when it runs");
    }
    Opinion::reads("looks for files")
}

/// `fd`, without what `-x` runs.
pub(super) fn fd(arguments: &[Word]) -> Opinion {
    let uncertain =
        arguments.iter().any(|word| word.literal().is_none() && !word.globs && word.may_be_option());
    let clustered = arguments.iter().filter_map(Word::literal).any(|text| {
        text.starts_with('-') && !text.starts_with("--") && text.len() > 2 && text.contains(['x', 'X'])
            || text.starts_with("--exec=")
            || text.starts_with("--exec-batch=")
    });
    if uncertain || clustered {
        return Opinion::unknown(Cause::Dynamic, "an option of `fd` is only known when it runs");
    }
    Opinion::reads("looks for files")
}

/// `less` and `more`: `+!command` runs a command, and a file of keys can bind one.
fn pager(arguments: &[Word]) -> Opinion {
    if arguments.iter().any(|word| word.text.starts_with('+') && word.text.contains(['!', '|', '#', 'v'])) {
        return Opinion::unknown(Cause::Options, "its first command inside the pager may run a program");
    }
    let long = ["log-file", "LOG-FILE", "lesskey-file", "lesskey-src", "lesskey-content", "cmd"];
    unless(arguments, "oOk", &long, "shows a file")
}
