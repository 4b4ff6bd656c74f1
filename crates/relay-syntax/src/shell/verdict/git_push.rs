//! git commands about branches, tags, other repositories and the record of what references were.

use super::super::tree::Word;
use super::Cause;
use super::judge::Opinion;
use super::options::{Options, PLAIN};

pub(super) fn judge(command: &str, rest: &[Word]) -> Option<Opinion> {
    let opinion = match command {
        "push" => push(rest),
        "fetch" | "pull" | "clone" | "ls-remote" | "fetch-pack" | "send-pack" => transfer(command, rest),
        "submodule" => submodule(rest),
        "branch" => branch(rest),
        "tag" => tag(rest),
        "reflog" => reflog(rest),
        "lfs" => Opinion::network("git-lfs fetches and sends files"),
        _ => return None,
    };
    Some(opinion)
}

/// Options that name a program to run, and addresses that do.
fn runs_program(rest: &[Word]) -> bool {
    let options = Options::of(rest, ("cuo", &["config", "upload-pack", "receive-pack", "exec"]));
    let by_option = options.has_any_long(&["upload-pack", "receive-pack", "exec", "config", "template"])
        || options.has('c');
    by_option
        || rest.iter().any(|word| {
            word.text.starts_with("ext::")
                || word.text.contains("--upload-pack")
                || word.text.contains("--receive-pack")
        })
}

fn push(rest: &[Word]) -> Opinion {
    if runs_program(rest) {
        return Opinion::unknown(Cause::Options, "an option or address of `git push` runs another program");
    }
    let options = Options::of(rest, ("o", &["push-option", "repo"]));
    let forced = options.has('f')
        || options.has('d')
        || options.has_any_long(&[
            "force",
            "force-with-lease",
            "force-if-includes",
            "mirror",
            "delete",
            "prune",
        ]);
    let by_refspec = options.operands.iter().skip(1).any(|word| word.text.starts_with(['+', ':']));
    if forced || by_refspec {
        return Opinion::destroys(
            "commits in the remote repository",
            "a forced or deleting push removes them",
        );
    }
    if options.is_uncertain {
        return Opinion::destroys(
            "commits in the remote repository",
            "an option of `git push` is only known when it runs",
        );
    }
    Opinion::network("sends commits to another repository")
}

fn transfer(command: &str, rest: &[Word]) -> Opinion {
    if runs_program(rest) {
        return Opinion::unknown(
            Cause::Options,
            format!("an option or address of `git {command}` runs another program"),
        );
    }
    let options = Options::of(rest, PLAIN);
    if command == "pull" && options.has_either('f', "force") || command == "fetch" && options.has('f') {
        return Opinion::destroys("what local branches pointed to", "a forced fetch moves them");
    }
    Opinion::network("talks to another repository")
}

fn submodule(rest: &[Word]) -> Opinion {
    let options = Options::of(rest, PLAIN);
    match options.operand(0) {
        None if options.operands.is_empty() => Opinion::reads("lists submodules"),
        Some("status" | "summary") => Opinion::reads("lists submodules"),
        Some("deinit") if options.has_either('f', "force") => {
            Opinion::destroys("changes in submodules", "`git submodule deinit -f` removes them")
        }
        Some("update") if options.has_either('f', "force") => {
            Opinion::destroys("changes in submodules", "`git submodule update -f` discards them")
        }
        Some("add" | "update") => Opinion::network("fetches submodules"),
        Some("init" | "deinit" | "sync" | "absorbgitdirs" | "set-branch" | "set-url") => {
            Opinion::changes("changes which submodules are used")
        }
        _ => Opinion::unknown(Cause::Options, "this form of `git submodule` is not known here"),
    }
}

fn branch(rest: &[Word]) -> Opinion {
    let options = Options::of(rest, ("u", &["set-upstream-to", "sort", "format", "points-at"]));
    if options.has_any("DMC") || options.has_either('f', "force") {
        return Opinion::destroys(
            "commits that only this branch has",
            "`git branch` deletes or moves it although it is not merged",
        );
    }
    if options.is_uncertain && rest.iter().any(|word| word.literal().is_none() && !word.quoted) {
        return Opinion::destroys(
            "commits that only this branch has",
            "an option of `git branch` is only known when it runs",
        );
    }
    let lists = options.has_any("arvl")
        || options.has_any_long(&[
            "list",
            "show-current",
            "contains",
            "merged",
            "no-merged",
            "all",
            "remotes",
            "points-at",
            "no-contains",
        ]);
    if lists || options.operands.is_empty() && !options.has_any("dmcu") {
        return Opinion::reads("lists branches");
    }
    Opinion::changes("creates, renames or deletes a merged branch")
}

fn tag(rest: &[Word]) -> Opinion {
    let options =
        Options::of(rest, ("mFun", &["message", "file", "local-user", "sort", "format", "contains"]));
    if options.has_either('d', "delete") || options.has_either('f', "force") {
        return Opinion::destroys("what the tag pointed to", "`git tag` deletes or moves it");
    }
    if options.operands.is_empty()
        || options.has_either('l', "list")
        || options.has_any_long(&["contains", "merged", "points-at"])
    {
        return Opinion::reads("lists tags");
    }
    if options.is_uncertain && rest.iter().any(|word| word.literal().is_none() && !word.quoted) {
        return Opinion::destroys(
            "what the tag pointed to",
            "an option of `git tag` is only known when it runs",
        );
    }
    Opinion::changes("creates a tag")
}

fn reflog(rest: &[Word]) -> Opinion {
    let options = Options::of(rest, PLAIN);
    match options.operand(0) {
        Some("expire" | "delete" | "drop") => {
            Opinion::destroys("the record of where branches were", "`git reflog` deletes it")
        }
        _ if options.is_uncertain => {
            Opinion::unknown(Cause::Dynamic, "the command of `git reflog` is only known when it runs")
        }
        _ => Opinion::reads("reads the repository"),
    }
}
