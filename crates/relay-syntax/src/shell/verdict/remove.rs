//! Programs that remove files or what is in them.

use super::super::tree::Word;
use super::files::Present;
use super::judge::{Judge, Opinion};
use super::options::{Options, PLAIN};
use super::{Access, Cause};

/// Programs that wipe disks or their tables.
const DISKS: [&str; 13] = [
    "badblocks",
    "blkdiscard",
    "cfdisk",
    "cryptsetup",
    "fdisk",
    "hdparm",
    "mkswap",
    "parted",
    "sfdisk",
    "sgdisk",
    "wipefs",
    "wipe",
    "diskutil",
];

pub(super) fn judge(judge: &Judge<'_>, name: &str, arguments: &[Word]) -> Option<Opinion> {
    match name {
        "rm" | "unlink" | "trash" | "rmtrash" | "srm" => Some(rm(judge, name, arguments)),
        "rmdir" => Some(Opinion::changes("removes empty folders").touching(removed(judge, arguments))),
        "shred" => {
            Some(destroys(judge, arguments, "`shred` overwrites files so that they cannot be restored"))
        }
        "truncate" => Some(truncate(judge, arguments)),
        "dd" => Some(dd(judge, arguments)),
        _ if name.starts_with("mkfs") || name.starts_with("newfs") || DISKS.contains(&name) => {
            Some(Opinion::destroys("everything on a disk", format!("`{name}` writes to disks directly")))
        }
        _ => None,
    }
}

fn removed(judge: &Judge<'_>, arguments: &[Word]) -> Vec<super::Touched> {
    let options = Options::of(arguments, PLAIN);
    options.operands.iter().map(|word| judge.touched(word, Access::Remove)).collect()
}

fn named(words: &[&Word]) -> String {
    match words {
        [] => "files".to_owned(),
        [one] => format!("`{}`", one.text),
        [one, rest @ ..] => format!("`{}` and {} more", one.text, rest.len()),
    }
}

fn destroys(judge: &Judge<'_>, arguments: &[Word], why: &str) -> Opinion {
    let options = Options::of(arguments, ("ns", &["iterations", "size"]));
    Opinion::destroys(named(&options.operands), why).touching(removed(judge, arguments))
}

fn rm(judge: &Judge<'_>, name: &str, arguments: &[Word]) -> Opinion {
    let options = Options::of(arguments, PLAIN);
    let touched = removed(judge, arguments);
    let missing = |word: &&&Word| {
        judge.folder.path(word).is_some_and(|path| judge.files.present(&path) == Present::Missing)
    };
    let is_known = options.operands.iter().filter(missing).count() == options.operands.len();
    if is_known && !options.is_uncertain {
        return Opinion::changes("removes nothing that exists now").touching(touched);
    }
    let is_recursive = options.has_any("rR") || options.has_long("recursive");
    let why = if is_recursive {
        format!("`{name} -r` removes folders with everything in them")
    } else {
        format!("`{name}` removes files")
    };
    Opinion::destroys(named(&options.operands), why).touching(touched)
}

fn truncate(judge: &Judge<'_>, arguments: &[Word]) -> Opinion {
    let options = Options::of(arguments, ("sr", &["size", "reference"]));
    let size = options.value('s', "size").unwrap_or_default();
    if size.starts_with('+') {
        return Opinion::changes("makes files longer").touching(removed(judge, arguments));
    }
    let missing = |word: &&Word| {
        judge.folder.path(word).is_some_and(|path| judge.files.present(&path) == Present::Missing)
    };
    if !options.operands.is_empty() && options.operands.iter().all(missing) {
        return Opinion::changes("creates files").touching(removed(judge, arguments));
    }
    Opinion::destroys(format!("the content of {}", named(&options.operands)), "`truncate` cuts files off")
        .touching(removed(judge, arguments))
}

fn dd(judge: &Judge<'_>, arguments: &[Word]) -> Opinion {
    if arguments.iter().any(|word| word.literal().is_none() && !word.text.starts_with("if="))
        && !arguments.iter().any(|word| word.text.starts_with("of="))
    {
        return Opinion::unknown(Cause::Dynamic, "what `dd` writes to is only known when it runs");
    }
    let Some(target) = arguments.iter().rfind(|word| word.text.starts_with("of=")) else {
        return Opinion::reads("copies to its output");
    };
    let mut path = target.clone();
    path.text = path.text.trim_start_matches("of=").to_owned();
    path.known = path.known.saturating_sub(3);
    judge.write_to(&path, true)
}
