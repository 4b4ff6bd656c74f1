//! Archives: listing one reads, unpacking one writes under names that only the archive knows.

use super::super::tree::Word;
use super::Cause;
use super::files::Present;
use super::judge::{Judge, Opinion};
use super::options::Options;

/// Long options of `tar` that take a value.
const LONG: [&str; 9] = [
    "file",
    "directory",
    "exclude",
    "strip-components",
    "transform",
    "owner",
    "group",
    "mtime",
    "files-from",
];

pub(super) fn judge(judge: &Judge<'_>, name: &str, arguments: &[Word]) -> Option<Opinion> {
    match name {
        "tar" | "bsdtar" | "gtar" => Some(tar(judge, arguments)),
        "unzip" => Some(unzip(judge, arguments)),
        "zipinfo" | "zcat" | "bzcat" | "xzcat" | "zstdcat" | "zgrep" | "zless" | "zmore" | "lz4cat" => {
            Some(Opinion::reads("reads compressed files"))
        }
        "gzip" | "gunzip" | "bzip2" | "bunzip2" | "xz" | "unxz" | "zstd" | "unzstd" | "lz4" | "compress" => {
            Some(packer(arguments))
        }
        "zip" => Some(zip(judge, arguments)),
        _ => None,
    }
}

fn tar(judge: &Judge<'_>, arguments: &[Word]) -> Opinion {
    // `tar xf a` is `tar -xf a`.
    let mut words = arguments.to_vec();
    if let Some(first) = words.first_mut()
        && first.literal().is_some_and(|text| !text.starts_with('-'))
    {
        first.text.insert(0, '-');
    }
    let options = Options::of(&words, ("fCTXbLgK", &LONG));
    let runs = [
        "to-command",
        "checkpoint-action",
        "use-compress-program",
        "rsh-command",
        "info-script",
        "new-volume-script",
        "rmt-command",
    ];
    if options.has_any("IF") || options.has_any_long(&runs) {
        return Opinion::unknown(Cause::Options, "an option of `tar` runs another program");
    }
    if options.has_any_long(&["remove-files", "recursive-unlink", "unlink-first", "delete"])
        || options.has('U')
    {
        return Opinion::destroys("the files it packs or replaces", "an option of `tar` removes files");
    }
    if options.is_uncertain
        && options.operands.iter().any(|word| word.literal().is_none() && !word.globs && !word.quoted)
    {
        return Opinion::unknown(Cause::Dynamic, "an option of `tar` is only known when it runs");
    }
    if options.has_either('t', "list") {
        return Opinion::reads("lists an archive");
    }
    if options.has_either('x', "extract") || options.has_long("get") {
        if options.has('O') || options.has_long("to-stdout") {
            return Opinion::reads("prints files of an archive");
        }
        let keeps = options.has('k') || options.has_any_long(&["keep-old-files", "skip-old-files"]);
        return extracted(judge, options.value('C', "directory"), keeps, "tar");
    }
    let target = options.value('f', "file").unwrap_or("-");
    if target == "-" {
        return Opinion::reads("packs files to its output");
    }
    judge.write_to(&Word { text: target.to_owned(), known: target.len(), ..Word::default() }, true)
}

/// Files of an archive in `folder`.
fn extracted(judge: &Judge<'_>, folder: Option<&str>, keeps: bool, name: &str) -> Opinion {
    let path =
        folder.and_then(|folder| judge.folder.path(&Word { text: folder.to_owned(), ..Word::default() }));
    if let Some(path) = &path {
        if !judge.files.is_inside(path) {
            return Opinion::unknown(
                Cause::Outside,
                format!("unpacks an archive in `{path}`, outside the workspace"),
            );
        }
        if judge.files.present(path) == Present::Missing {
            return Opinion::changes("unpacks an archive into a new folder");
        }
    }
    if keeps {
        return Opinion::changes("unpacks an archive and keeps files that exist");
    }
    Opinion::destroys("files of the same name", format!("`{name}` overwrites them with those of the archive"))
}

fn unzip(judge: &Judge<'_>, arguments: &[Word]) -> Opinion {
    let options = Options::of(arguments, ("dxP", &[]));
    if options.has_any("lvtZzpc") {
        return Opinion::reads("lists or prints an archive");
    }
    extracted(judge, options.value('d', "directory"), options.has('n'), "unzip")
}

fn packer(arguments: &[Word]) -> Opinion {
    let options = Options::of(arguments, ("So", &["suffix", "output"]));
    if options.is_uncertain
        && options.operands.iter().any(|word| !word.globs && !word.quoted && word.literal().is_none())
    {
        return Opinion::unknown(Cause::Dynamic, "an option is only known when it runs");
    }
    if options.has_any("clt")
        || options.has_any_long(&["stdout", "list", "test"])
        || options.operands.is_empty()
    {
        return Opinion::reads("packs or unpacks to its output");
    }
    if options.has_either('f', "force") || options.has_either('o', "output") {
        return Opinion::destroys("a file of the same name", "packing with `-f` or `-o` overwrites it");
    }
    Opinion::changes("packs or unpacks files in place")
}

fn zip(judge: &Judge<'_>, arguments: &[Word]) -> Opinion {
    let options = Options::of(arguments, ("ixbntTP", &["unzip-command"]));
    if options.has_either('m', "move") || options.has_either('d', "delete") {
        return Opinion::destroys(
            "the files it packs or the entries it deletes",
            "an option of `zip` removes them",
        );
    }
    if options.has('T') || options.has_long("unzip-command") || options.is_uncertain {
        return Opinion::unknown(
            Cause::Options,
            "an option of `zip` runs another program or is only known when it runs",
        );
    }
    match options.operands.first() {
        Some(target) => judge.write_to(target, false),
        None => Opinion::reads("packs nothing"),
    }
}
