//! Programs that write files under names they are given: `cp`, `mv`, `tee`, `touch`, `chmod` and the like.
//!
//! A new file is a change that can be undone. A name that is taken is lost with what was in it.

use super::super::tree::Word;
use super::files::Present;
use super::judge::{Judge, Opinion};
use super::options::{Options, PLAIN, Valued};
use super::{Access, Cause, Touched};

/// Options of `cp`, `mv`, `ln` and `install` that take a value.
const VALUED: Valued = ("tSgmo", &["target-directory", "suffix", "group", "mode", "owner", "strip-program"]);

pub(super) fn judge(judge: &Judge<'_>, name: &str, arguments: &[Word]) -> Option<Opinion> {
    match name {
        "cp" | "mv" | "install" | "gcp" | "gmv" => Some(copy(judge, name, arguments)),
        "ln" => Some(link(judge, arguments)),
        "tee" => Some(tee(judge, arguments)),
        "touch" | "mkdir" | "mkfifo" | "mktemp" => {
            Some(written(judge, name, arguments, "creates files or folders"))
        }
        "chmod" | "chown" | "chgrp" | "setfacl" | "xattr" => Some(mode(judge, arguments)),
        "patch" => Some(Opinion::changes("applies a patch to files")),
        "rsync" => Some(rsync(judge, arguments)),
        _ => None,
    }
}

fn touched(judge: &Judge<'_>, words: &[&Word], access: Access) -> Vec<Touched> {
    words.iter().map(|word| judge.touched(word, access)).collect()
}

/// Files that are created, unless one of them is outside.
fn written(judge: &Judge<'_>, name: &str, arguments: &[Word], reason: &str) -> Opinion {
    // `-p` is a folder for `mktemp`, and a flag for `mkdir`.
    let letters = if name == "mktemp" { "p" } else { "mdtrZ" };
    let options = Options::of(arguments, (letters, &["mode", "date", "reference", "tmpdir", "suffix"]));
    within(judge, touched(judge, &options.operands, Access::Write), Opinion::changes(reason))
}

/// The opinion, unless a path is outside the workspace.
fn within(judge: &Judge<'_>, touched: Vec<Touched>, opinion: Opinion) -> Opinion {
    match touched.iter().find(|touched| touched.is_exact && !judge.files.is_inside(&touched.path)) {
        Some(outside) => {
            Opinion::unknown(Cause::Outside, format!("writes to `{}`, outside the workspace", outside.path))
                .touching(touched)
        }
        None => opinion.touching(touched),
    }
}

fn mode(judge: &Judge<'_>, arguments: &[Word]) -> Opinion {
    let options = Options::of(arguments, PLAIN);
    let files = options.operands.get(1..).unwrap_or_default();
    within(judge, touched(judge, files, Access::Write), Opinion::changes("changes who may use files"))
}

fn copy(judge: &Judge<'_>, name: &str, arguments: &[Word]) -> Opinion {
    let options = Options::of(arguments, VALUED);
    let keeps = options.has_any("nb") || options.has_any_long(&["no-clobber", "backup", "update=none"]);
    let mut operands = options.operands.clone();
    let folder = options.value('t', "target-directory").map(|path| Word {
        text: path.to_owned(),
        known: path.len(),
        ..Word::default()
    });
    let target = match (&folder, operands.len()) {
        (Some(folder), _) => folder,
        (None, 0 | 1) => {
            return Opinion::unknown(
                Cause::Dynamic,
                format!("what `{name}` writes to is only known when it runs"),
            );
        }
        (None, _) => match operands.pop() {
            Some(target) => target,
            None => return Opinion::reads("copies nothing"),
        },
    };
    let mut paths =
        touched(judge, &operands, if name.ends_with("mv") { Access::Remove } else { Access::Read });
    paths.push(judge.touched(target, Access::Write));
    let writes: Vec<Touched> =
        paths.iter().filter(|path| name.ends_with("mv") || path.access != Access::Read).cloned().collect();
    if options.is_uncertain
        && operands.iter().any(|word| word.literal().is_none() && !word.globs && !word.quoted)
    {
        return Opinion::destroys(
            "files that are in the way",
            format!("an option of `{name}` is only known when it runs"),
        )
        .touching(paths);
    }
    if !keeps && let Some(lost) = overwritten(judge, &operands, target, folder.is_some()) {
        return Opinion::destroys(lost, format!("`{name}` overwrites files")).touching(paths);
    }
    let verb = if name.ends_with("mv") { "moves files" } else { "copies files" };
    let opinion = within(judge, writes, Opinion::changes(verb));
    Opinion { touched: paths, ..opinion }
}

/// What is lost under the names that `sources` get at `target`.
fn overwritten(judge: &Judge<'_>, sources: &[&Word], target: &Word, is_folder: bool) -> Option<String> {
    let Some(path) = judge.folder.path(target) else { return Some(format!("what is at `{}`", target.text)) };
    let present = judge.files.present(&path);
    let into = is_folder
        || target.text.ends_with('/')
        || sources.len() > 1
        || present == Present::Folder
        || matches!(path.as_str(), "" | "..");
    match present {
        Present::Missing => return None,
        Present::File | Present::Unknown if !into => return Some(format!("what is at `{path}`")),
        _ => {}
    }
    for source in sources {
        let name = source.literal().and_then(|text| text.trim_end_matches('/').rsplit('/').next());
        let Some(name) = name.filter(|name| !matches!(*name, "" | "." | "..")) else {
            return Some(format!("files of the same name in `{}`", target.text));
        };
        let inner = super::files::normalise(&format!("{path}/{name}"));
        let inner = if path.is_empty() { inner.trim_start_matches('/').to_owned() } else { inner };
        if judge.files.present(&inner) != Present::Missing {
            return Some(format!("what is at `{inner}`"));
        }
    }
    None
}

fn link(judge: &Judge<'_>, arguments: &[Word]) -> Opinion {
    let options = Options::of(arguments, VALUED);
    let targets: Vec<&Word> = options.operands.iter().skip(1).copied().collect();
    let paths = touched(judge, &targets, Access::Write);
    if options.has_either('f', "force") && !options.has_either('b', "backup") {
        let taken = |word: &&Word| {
            judge.folder.path(word).is_none_or(|path| judge.files.present(&path) != Present::Missing)
        };
        if targets.is_empty() || targets.iter().any(taken) {
            return Opinion::destroys("what is at the link's name", "`ln -f` replaces files").touching(paths);
        }
    }
    within(judge, paths, Opinion::changes("creates a link"))
}

fn tee(judge: &Judge<'_>, arguments: &[Word]) -> Opinion {
    let options = Options::of(arguments, PLAIN);
    let appends = options.has_either('a', "append");
    let opinions: Vec<Opinion> = options.operands.iter().map(|word| judge.write_to(word, !appends)).collect();
    let worst = opinions.into_iter().max_by_key(|opinion| opinion.class.decision());
    worst.unwrap_or_else(|| Opinion::reads("prints what it reads"))
}

fn rsync(judge: &Judge<'_>, arguments: &[Word]) -> Opinion {
    let options = Options::of(
        arguments,
        ("efTBM", &["exclude", "include", "filter", "files-from", "rsh", "temp-dir", "max-size"]),
    );
    if arguments.iter().any(|word| word.text.starts_with("--del") || word.text.starts_with("--remove-source"))
    {
        return Opinion::destroys("files that the source does not have", "`rsync` deletes them");
    }
    if options.operands.iter().any(|word| word.text.contains(':')) {
        return Opinion::network("copies files to or from another machine");
    }
    if options.has_either('e', "rsh") || options.is_uncertain {
        return Opinion::unknown(
            Cause::Options,
            "an option of `rsync` runs another program or is only known when it runs",
        );
    }
    if options.has_either('n', "dry-run") {
        return Opinion::reads("shows what it would copy");
    }
    match options.operands.last().and_then(|word| judge.folder.path(word)) {
        Some(path) if judge.files.present(&path) == Present::Missing && judge.files.is_inside(&path) => {
            Opinion::changes("copies files into a new folder")
        }
        _ => Opinion::destroys("files of the same name at the target", "`rsync` overwrites them"),
    }
}
