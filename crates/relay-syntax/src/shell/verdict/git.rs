//! git: which commands read, which can be undone, and which lose work. Aliases are not followed: an unknown command is
//! unknown.

use super::super::tree::Word;
use super::judge::{Judge, Opinion};
use super::options::{Options, PLAIN};
use super::{Cause, git_push, git_tree};

/// Commands that only read, whatever their options are beside those of [`RUNS`].
const READS: [&str; 41] = [
    "annotate",
    "blame",
    "cat-file",
    "check-attr",
    "check-ignore",
    "check-mailmap",
    "check-ref-format",
    "cherry",
    "count-objects",
    "describe",
    "diff",
    "diff-files",
    "diff-index",
    "diff-tree",
    "for-each-ref",
    "for-each-repo",
    "fsck",
    "grep",
    "help",
    "log",
    "ls-files",
    "ls-tree",
    "merge-base",
    "merge-tree",
    "name-rev",
    "patch-id",
    "range-diff",
    "rev-list",
    "rev-parse",
    "shortlog",
    "show",
    "show-branch",
    "show-index",
    "show-ref",
    "status",
    "stripspace",
    "var",
    "verify-commit",
    "verify-pack",
    "verify-tag",
    "version",
];
/// Options of readers that write a file or run a program.
const RUNS: [&str; 6] = ["output", "ext-diff", "open-files-in-pager", "upload-pack", "exec", "textconv"];
/// Settings that `-c` may give without running anything.
const SETTINGS: [&str; 12] = [
    "advice.",
    "color.",
    "column.",
    "commit.gpgsign",
    "core.quotepath",
    "core.abbrev",
    "diff.renames",
    "init.defaultbranch",
    "log.",
    "protocol.version",
    "user.",
    "status.",
];

pub(super) fn judge(judge: &Judge<'_>, name: &str, arguments: &[Word]) -> Option<Opinion> {
    if name != "git" {
        return None;
    }
    let (command, rest) = match command(arguments) {
        Ok(Some(found)) => found,
        Ok(None) => return Some(Opinion::reads("prints git's version or help")),
        Err(opinion) => return Some(opinion),
    };
    Some(subcommand(judge, command, rest))
}

/// The command after git's own options.
fn command(arguments: &[Word]) -> Result<Option<(&str, &[Word])>, Opinion> {
    let mut rest = arguments;
    while let Some((word, after)) = rest.split_first() {
        let Some(text) = word.literal() else {
            return Err(Opinion::unknown(Cause::Dynamic, "the git command is only known when it runs"));
        };
        rest = match text {
            "--no-pager"
            | "-P"
            | "--no-optional-locks"
            | "--literal-pathspecs"
            | "--bare"
            | "--no-replace-objects"
            | "--glob-pathspecs"
            | "--icase-pathspecs" => after,
            "--version" | "--help" | "-v" | "-h" | "--html-path" | "--man-path" | "--info-path"
            | "--exec-path" => return Ok(None),
            "-c" => match after.split_first() {
                Some((setting, after)) => {
                    harmless_setting(setting)?;
                    after
                }
                None => return Ok(None),
            },
            "-C" | "--git-dir" | "--work-tree" | "--namespace" => after.get(1..).unwrap_or_default(),
            _ if text.starts_with("--git-dir=") || text.starts_with("--work-tree=") => after,
            _ if text.starts_with('-') => {
                return Err(Opinion::unknown(
                    Cause::Options,
                    format!("git has the option `{text}`, which may run another program"),
                ));
            }
            _ => return Ok(Some((text, after))),
        };
    }
    Ok(None)
}

fn harmless_setting(setting: &Word) -> Result<(), Opinion> {
    let text = setting.literal().unwrap_or_default().to_ascii_lowercase();
    let name = text.split('=').next().unwrap_or_default();
    let is_pager =
        matches!(text.as_str(), "core.pager=cat" | "core.pager=" | "core.editor=true" | "core.editor=:");
    if is_pager
        || SETTINGS.iter().any(|known| name == *known || known.ends_with('.') && name.starts_with(known))
    {
        return Ok(());
    }
    Err(Opinion::unknown(
        Cause::Options,
        format!("`git -c {}` sets something that may run another program", setting.text),
    ))
}

fn subcommand(judge: &Judge<'_>, command: &str, rest: &[Word]) -> Opinion {
    let options = Options::of(rest, PLAIN);
    if READS.contains(&command) {
        if options.has_any_long(&RUNS) || command == "grep" && options.has('O') {
            return Opinion::unknown(
                Cause::Options,
                format!("an option of `git {command}` writes a file or runs another program"),
            );
        }
        if options.is_uncertain
            && !rest.iter().all(|word| word.literal().is_some() || word.quoted || word.globs)
        {
            return Opinion::unknown(
                Cause::Dynamic,
                format!("an option of `git {command}` is only known when it runs"),
            );
        }
        return Opinion::reads("reads the repository");
    }
    if let Some(opinion) = git_tree::judge(judge, command, rest).or_else(|| git_push::judge(command, rest)) {
        return opinion;
    }
    match command {
        "add" | "commit" | "stage" | "init" | "merge" | "cherry-pick" | "revert" | "am" | "notes"
        | "bundle" | "format-patch" | "maintenance" | "pack-refs" | "rerere" | "sparse-checkout"
        | "update-index" | "write-tree" | "commit-tree" | "hash-object" | "mktag" | "mktree" | "repack" => {
            changes(command, rest, &options)
        }
        "apply" if options.has_any_long(&["check", "stat", "numstat", "summary"]) => {
            Opinion::reads("checks a patch")
        }
        "apply" => changes(command, rest, &options),
        "gc" if options.has_long("prune") => {
            Opinion::destroys("commits that no branch has", "`git gc --prune` deletes them")
        }
        "gc" => Opinion::changes("packs the repository"),
        "archive" if options.has_long("remote") || options.has_long("exec") => {
            Opinion::network("asks another machine for an archive")
        }
        "archive" if options.has_either('o', "output") => {
            Opinion::unknown(Cause::Options, "writes an archive to a file")
        }
        "archive" => Opinion::reads("prints an archive"),
        "config" => config(rest),
        "rebase" => rebase(rest, &options),
        "remote" => remote(&options),
        "worktree" => worktree(&options),
        "bisect" => bisect(&options),
        "symbolic-ref" if options.operands.len() < 2 && !options.has_either('d', "delete") => {
            Opinion::reads("reads the repository")
        }
        "prune" | "filter-branch" | "filter-repo" | "update-ref" | "symbolic-ref" | "replace"
        | "fast-import" => {
            Opinion::destroys("commits or references", format!("`git {command}` rewrites or deletes them"))
        }
        _ => Opinion::unknown(Cause::Program, format!("`git {command}` is not a command that is known here")),
    }
}

/// A command whose effect can be undone, if none of its options runs a program.
fn changes(command: &str, rest: &[Word], options: &Options<'_>) -> Opinion {
    if options.is_uncertain && !rest.iter().all(|word| word.literal().is_some() || word.quoted || word.globs)
    {
        return Opinion::unknown(
            Cause::Dynamic,
            format!("an option of `git {command}` is only known when it runs"),
        );
    }
    if command == "merge" && options.has_either('s', "strategy") {
        return Opinion::unknown(Cause::Options, "a merge strategy is a program");
    }
    if command == "apply" && options.has_long("unsafe-paths") {
        return Opinion::unknown(Cause::Outside, "may write outside the workspace");
    }
    if command == "bundle" && options.operand(0) == Some("create") {
        return Opinion::unknown(Cause::Options, "writes a bundle to a file");
    }
    Opinion::changes(format!("`git {command}` changes the repository or its files; git can undo it"))
}

fn config(rest: &[Word]) -> Opinion {
    let options = Options::of(rest, ("ft", &["file", "type", "default"]));
    let reads = ["get", "get-all", "get-regexp", "get-urlmatch", "list", "get-color", "get-colorbool"];
    let is_read = options.has_any_long(&reads)
        || options.has('l')
        || matches!(options.operand(0), Some("get" | "list"))
        || options.operands.len() == 1;
    let writes = ["add", "unset", "unset-all", "replace-all", "rename-section", "remove-section", "edit"];
    let is_write = writes.iter().any(|name| rest.iter().any(|word| word.text == format!("--{name}")))
        || options.has('e');
    if is_read && !is_write && !options.is_uncertain {
        return Opinion::reads("reads git's settings");
    }
    let name = options
        .operand(usize::from(options.operand(0) == Some("set")))
        .unwrap_or_default()
        .to_ascii_lowercase();
    if !is_write
        && !options.has_long("global")
        && !options.has_long("system")
        && matches!(name.as_str(), "user.name" | "user.email" | "commit.gpgsign" | "init.defaultbranch")
    {
        return Opinion::changes("sets who commits in this repository");
    }
    Opinion::unknown(Cause::Environment, "changes git's settings, which can make git run other programs")
}

fn rebase(rest: &[Word], options: &Options<'_>) -> Opinion {
    if options.has_either('x', "exec") || options.has_either('s', "strategy") {
        return Opinion::unknown(Cause::Options, "an option of `git rebase` runs another program");
    }
    changes("rebase", rest, options)
}

fn remote(options: &Options<'_>) -> Opinion {
    match options.operand(0) {
        None if options.operands.is_empty() => Opinion::reads("lists remotes"),
        Some("get-url" | "-v") => Opinion::reads("lists remotes"),
        Some("show" | "update" | "prune") => Opinion::network("asks the remote repository"),
        Some("add") if options.has_either('f', "fetch") => Opinion::network("fetches from another machine"),
        Some("add" | "rename" | "set-url" | "set-head" | "set-branches") => {
            Opinion::changes("changes a remote's address")
        }
        Some("remove" | "rm") => {
            Opinion::destroys("the branches fetched from the remote", "`git remote remove` deletes them")
        }
        _ => Opinion::unknown(Cause::Options, "this form of `git remote` is not known here"),
    }
}

fn worktree(options: &Options<'_>) -> Opinion {
    match options.operand(0) {
        Some("list") => Opinion::reads("lists worktrees"),
        Some("remove" | "move" | "add") if options.has_either('f', "force") || options.has('B') => {
            Opinion::destroys(
                "uncommitted work in a worktree, or a branch",
                "`--force` skips git's own check",
            )
        }
        Some("add")
            if options.operands.get(1).is_some_and(|word| {
                word.text.starts_with(['/', '~', '$']) || word.text.starts_with("..")
            }) =>
        {
            Opinion::unknown(Cause::Outside, "makes a folder outside the workspace")
        }
        Some("add" | "remove" | "move" | "lock" | "unlock" | "prune" | "repair") => {
            Opinion::changes("adds or removes a clean worktree")
        }
        _ => Opinion::unknown(Cause::Options, "this form of `git worktree` is not known here"),
    }
}

fn bisect(options: &Options<'_>) -> Opinion {
    match options.operand(0) {
        Some("log" | "terms" | "help") => Opinion::reads("reads the repository"),
        Some("start" | "good" | "bad" | "new" | "old" | "skip" | "reset" | "next") => {
            Opinion::changes("checks out other commits")
        }
        _ => Opinion::unknown(Cause::Options, "this form of `git bisect` is not known here"),
    }
}
