//! git commands that can overwrite files that were never committed: `checkout`, `restore`, `reset`, `clean`, `stash`, `switch`.

use super::super::tree::Word;
use super::files::Present;
use super::judge::{Judge, Opinion};
use super::options::{Options, PLAIN};
use super::{Access, Cause};

const WORK: &str = "changes that are not committed";

pub(super) fn judge(judge: &Judge<'_>, command: &str, rest: &[Word]) -> Option<Opinion> {
    let opinion = match command {
        "checkout" => checkout(judge, rest),
        "restore" => restore(judge, rest),
        "switch" => switch(rest),
        "reset" => reset(rest),
        "clean" => clean(rest),
        "stash" => stash(rest),
        "rm" => remove(judge, rest),
        "mv" => rename(judge, rest),
        "checkout-index" => Opinion::destroys(WORK, "`git checkout-index` overwrites files"),
        "read-tree" => Opinion::destroys(WORK, "`git read-tree` replaces the index, and with `-u` the files"),
        _ => return None,
    };
    Some(opinion)
}

fn uncertain(command: &str) -> Opinion {
    Opinion::destroys(WORK, format!("an option of `git {command}` is only known when it runs"))
}

fn checkout(judge: &Judge<'_>, rest: &[Word]) -> Opinion {
    let options = Options::of(rest, ("bB", &["orphan", "conflict", "pathspec-from-file"]));
    if options.has_either('f', "force")
        || options.has_either('p', "patch")
        || options.has_any_long(&["ours", "theirs", "merge", "conflict", "pathspec-from-file"])
        || options.has('m')
    {
        return Opinion::destroys(WORK, "`git checkout` discards them with this option");
    }
    if options.has('B') {
        return Opinion::destroys("what the branch pointed to", "`git checkout -B` moves an existing branch");
    }
    let paths = options.operands.get(options.dashes_at.unwrap_or(usize::MAX)..).unwrap_or_default();
    if options.dashes_at.is_some() && !paths.is_empty() {
        let touched = paths.iter().map(|word| judge.touched(word, Access::Write)).collect();
        return Opinion::destroys(format!("{WORK} in the named files"), "`git checkout --` overwrites files")
            .touching(touched);
    }
    if options.is_uncertain {
        return uncertain("checkout");
    }
    let creates = options.has('b') || options.has_long("orphan");
    match options.operands.as_slice() {
        [] => Opinion::changes("shows or creates a branch; git refuses to lose changes"),
        [_] if creates => Opinion::changes("creates a branch; git refuses to lose changes"),
        [one] => match one.literal().map(|text| (text, judge.folder.path(one))) {
            Some(("-" | "HEAD", _)) => Opinion::changes("changes the branch; git refuses to lose changes"),
            Some((text, Some(path))) if !is_path(text) && judge.files.present(&path) == Present::Missing => {
                Opinion::changes("changes the branch; git refuses to lose changes")
            }
            _ => Opinion::destroys(
                format!("{WORK} in `{}`", one.text),
                "`git checkout` overwrites a file or folder of this name",
            ),
        },
        _ => Opinion::destroys(
            format!("{WORK} in the named files"),
            "`git checkout` with paths overwrites files",
        ),
    }
}

/// Words that can only be paths.
fn is_path(text: &str) -> bool {
    matches!(text, "." | "..")
        || text.starts_with("./")
        || text.starts_with("../")
        || text.starts_with([':', '*'])
        || text.ends_with('/')
}

fn restore(judge: &Judge<'_>, rest: &[Word]) -> Opinion {
    let options = Options::of(rest, ("sU", &["source", "conflict", "pathspec-from-file"]));
    if options.has_either('S', "staged") && !options.has_either('W', "worktree") && !options.is_uncertain {
        return Opinion::changes("takes files out of the index; the files stay as they are");
    }
    let touched = options.operands.iter().map(|word| judge.touched(word, Access::Write)).collect();
    Opinion::destroys(format!("{WORK} in the named files"), "`git restore` overwrites files")
        .touching(touched)
}

fn switch(rest: &[Word]) -> Opinion {
    let options = Options::of(rest, ("cC", &["create", "force-create", "orphan"]));
    if options.has('f') || options.has_any_long(&["force", "discard-changes", "merge"]) || options.has('m') {
        return Opinion::destroys(WORK, "`git switch` discards them with this option");
    }
    if options.has('C') || options.has_long("force-create") {
        return Opinion::destroys("what the branch pointed to", "`git switch -C` moves an existing branch");
    }
    if options.is_uncertain {
        uncertain("switch")
    } else {
        Opinion::changes("changes the branch; git refuses to lose changes")
    }
}

fn reset(rest: &[Word]) -> Opinion {
    let options = Options::of(rest, PLAIN);
    if options.has_any_long(&["hard", "merge"]) {
        return Opinion::destroys(WORK, "`git reset --hard` discards them");
    }
    if options.is_uncertain && rest.iter().any(|word| word.literal().is_none() && !word.quoted) {
        return uncertain("reset");
    }
    Opinion::changes("moves the branch or the index; the files stay as they are")
}

fn clean(rest: &[Word]) -> Opinion {
    let options = Options::of(rest, ("e", &["exclude"]));
    if options.has_either('n', "dry-run") && !options.is_uncertain {
        return Opinion::reads("shows which files would be removed");
    }
    let what = if options.has_any("xX") {
        "files that git does not know, ignored ones too"
    } else {
        "files that git does not know"
    };
    Opinion::destroys(what, "`git clean` removes them")
}

fn stash(rest: &[Word]) -> Opinion {
    let options = Options::of(rest, ("m", &["message"]));
    match options.operand(0) {
        None if options.operands.is_empty() => {
            Opinion::changes("puts changes aside; `git stash pop` brings them back")
        }
        Some("list" | "show") => Opinion::reads("reads the stash"),
        Some("push" | "save" | "pop" | "apply" | "branch" | "create" | "store") => {
            Opinion::changes("moves changes to or from the stash")
        }
        Some("drop" | "clear") => {
            Opinion::destroys("stashed changes", "`git stash drop` and `clear` delete them")
        }
        _ => Opinion::destroys("stashed changes", "this form of `git stash` is not known here"),
    }
}

fn remove(judge: &Judge<'_>, rest: &[Word]) -> Opinion {
    let options = Options::of(rest, ("", &["pathspec-from-file"]));
    if options.has_either('n', "dry-run") && !options.is_uncertain {
        return Opinion::reads("shows which files would be removed");
    }
    let touched = options.operands.iter().map(|word| judge.touched(word, Access::Remove)).collect();
    if options.has_either('f', "force") || options.is_uncertain {
        return Opinion::destroys(
            format!("{WORK} in the removed files"),
            "`git rm -f` skips git's own check",
        )
        .touching(touched);
    }
    if options.has_long("cached") {
        return Opinion::changes("takes files out of the index; the files stay").touching(touched);
    }
    Opinion::changes("removes files that are committed as they are; git refuses others").touching(touched)
}

fn rename(judge: &Judge<'_>, rest: &[Word]) -> Opinion {
    let options = Options::of(rest, PLAIN);
    let touched = options.operands.iter().map(|word| judge.touched(word, Access::Write)).collect();
    if options.has_either('f', "force") {
        return Opinion::destroys("the file at the new name", "`git mv -f` overwrites it").touching(touched);
    }
    if options.is_uncertain && rest.iter().any(|word| word.literal().is_none() && !word.quoted && !word.globs)
    {
        return Opinion::unknown(Cause::Dynamic, "an option of `git mv` is only known when it runs");
    }
    Opinion::changes("renames files; git refuses to overwrite others").touching(touched)
}
