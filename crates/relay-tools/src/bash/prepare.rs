//! Preparing a shell command: one preparation for `bash` and for whatever else runs commands of a model.
//!
//! The order is part of it: names of variables, the trailing `head`, the leading `cd`, restricted roles, interception,
//! internal addresses, the folder, the time. Everything is decided from the parse tree; a command that cannot be parsed is
//! left as it is, and policy has asked about it already.

use std::path::{Path, PathBuf};
use std::time::Duration;

use relay_agent::tool::ToolError;
use relay_syntax::shell::{self, Command, Joint, RedirectKind, Script, Simple};
use serde_json::{Map, Value};

use super::{intercept, urls};

/// The time limit of a command, in seconds: the usual one, the shortest and the longest.
pub const TIMEOUT: (f64, f64, f64) = (300.0, 1.0, 3_600.0);
/// A label is not longer than this.
const LABEL_CHARS: usize = 120;

/// A command that can run.
#[derive(Clone, Debug, PartialEq)]
pub struct Prepared {
    /// The command.
    pub command: String,
    /// Variables for this command alone.
    pub env: Vec<(String, String)>,
    /// Where it runs; `None` is where the shell is.
    pub cwd: Option<PathBuf>,
    /// Whether the shell stays in that folder afterwards, as it does after `cd`.
    pub stays: bool,
    /// How long it may take, in seconds; `None` is as long as the session.
    pub seconds: Option<f64>,
    /// What the model should know about how its command was changed.
    pub notices: Vec<String>,
}

impl Prepared {
    /// How long it may take.
    pub fn limit(&self) -> Option<Duration> {
        self.seconds.map(Duration::from_secs_f64)
    }
}

/// What a preparation depends on.
pub struct Around<'a> {
    /// The workspace's root.
    pub root: &'a Path,
    /// Where the shell is.
    pub folder: &'a Path,
    /// Drop a trailing `head` or `tail`.
    pub strip: bool,
    /// Without a time limit of its own there is none.
    pub is_unlimited: bool,
    /// The tools there are, where interception is on, and the user's own rules for it.
    pub tools: Option<(&'a [String], Option<&'a [intercept::Pattern]>)>,
    /// The only commands that a restricted role may begin with.
    pub prefixes: &'a [String],
    /// Where artifacts are.
    pub urls: &'a dyn urls::Resolve,
}

/// Prepares a call's command.
///
/// # Errors
/// Why it does not run, for the model.
pub fn prepare(arguments: &Map<String, Value>, around: &Around<'_>) -> Result<Prepared, ToolError> {
    let original = arguments.get("command").and_then(Value::as_str).unwrap_or_default();
    let env = variables(arguments)?;
    let mut command = original.to_owned();
    if around.strip
        && let Some(shorter) = without_head(&command)
    {
        command = shorter;
    }
    let mut cwd = arguments.get("cwd").and_then(Value::as_str).map(str::to_owned);
    let mut stays = false;
    if cwd.is_none()
        && let Some((folder, rest)) = leading_cd(&command)
    {
        (cwd, command, stays) = (Some(folder), rest, true);
    }
    if !around.prefixes.is_empty() {
        restricted(&[original, &command], &env, around.prefixes)?;
    }
    if let Some((tools, own)) = around.tools {
        for form in [original, &command] {
            intercept::check(form, tools, own)?;
        }
    }
    command = urls::expand(&command, around.urls)?;
    let env = env
        .into_iter()
        .map(|(name, value)| Ok((name, urls::expand_value(&value, around.urls)?)))
        .collect::<Result<Vec<_>, ToolError>>()?;
    let cwd = cwd.map(|cwd| urls::expand_value(&cwd, around.urls)).transpose()?;
    let cwd = cwd.map(|cwd| folder(&cwd, stays, around)).transpose()?;
    let asked = arguments.get("timeout").and_then(Value::as_f64);
    let (seconds, notice) = match asked {
        None if around.is_unlimited => (None, None),
        asked => {
            let (seconds, notice) = time_limit(asked);
            (Some(seconds), notice)
        }
    };
    Ok(Prepared { command, env, cwd, stays, seconds, notices: notice.into_iter().collect() })
}

/// What a job that runs this command is called.
#[must_use]
pub fn label(command: &str) -> String {
    if command.chars().count() <= LABEL_CHARS {
        return command.to_owned();
    }
    let cut: String = command.chars().take(LABEL_CHARS - 3).collect();
    format!("{cut}...")
}

fn variables(arguments: &Map<String, Value>) -> Result<Vec<(String, String)>, ToolError> {
    let given = arguments.get("env").and_then(Value::as_object);
    given
        .into_iter()
        .flatten()
        .map(|(name, value)| {
            let mut characters = name.chars();
            let is_name = characters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
                && characters.all(|c| c.is_ascii_alphanumeric() || c == '_');
            if !is_name {
                return Err(ToolError::Failed(format!("Invalid bash env name: {name}")));
            }
            Ok((name.clone(), value.as_str().unwrap_or_default().to_owned()))
        })
        .collect()
}

fn restricted(forms: &[&str], env: &[(String, String)], prefixes: &[String]) -> Result<(), ToolError> {
    if !env.is_empty() {
        let message = "Restricted role-agent bash does not allow per-command env overrides.";
        return Err(ToolError::Denied(message.to_owned()));
    }
    let prefixes: Vec<&str> = prefixes.iter().map(String::as_str).collect();
    for form in forms {
        shell::restricted(form, &prefixes).map_err(ToolError::Denied)?;
    }
    Ok(())
}

/// The folder a call names. After a `cd` it means what it means in the shell, or else in the workspace: models often
/// write `cd sub && …` again although they are in `sub` already.
fn folder(named: &str, is_cd: bool, around: &Around<'_>) -> Result<PathBuf, ToolError> {
    let in_shell = around.folder.join(named);
    let in_root = around.root.join(named);
    let place = if is_cd && in_shell.is_dir() { in_shell } else { in_root };
    match place.metadata() {
        Ok(about) if about.is_dir() => Ok(place),
        Ok(_) => Err(ToolError::Failed(format!("Working directory is not a directory: {named}"))),
        Err(_) => Err(ToolError::Failed(format!("Working directory does not exist: {named}"))),
    }
}

/// The time limit within its bounds, and what to say if it was outside.
pub fn time_limit(asked: Option<f64>) -> (f64, Option<String>) {
    let (usual, least, most) = TIMEOUT;
    let asked = asked.filter(|seconds| seconds.is_finite()).unwrap_or(usual);
    let seconds = asked.clamp(least, most);
    let notice = (asked < least || asked > most)
        .then(|| format!("[timeout clamped to {seconds} seconds ({least}-{most})]"));
    (seconds, notice)
}

/// The command without a trailing `| head` or `| tail`, and without a `2>&1` that only fed it.
fn without_head(command: &str) -> Option<String> {
    if command.contains('\n') {
        return None;
    }
    let script = shell::parse(command).ok()?;
    let [item] = script.items.as_slice() else { return None };
    let (_, last) = item.list.pipelines.last()?;
    let [.., before, end] = last.stages.as_slice() else { return None };
    let (Command::Simple(before), Command::Simple(end)) = (before, end) else { return None };
    let is_cutter =
        end.words.first().and_then(|word| word.literal()).is_some_and(|name| matches!(name, "head" | "tail"));
    // With a file it reads that file; with a redirection its output is wanted.
    let is_plain = end.assignments.is_empty()
        && end.redirects.is_empty()
        && end.words.iter().skip(1).all(|word| is_count(word.literal()));
    let follows = end.words.iter().any(|word| matches!(word.literal(), Some("-f" | "-F" | "--follow")));
    let is_endless =
        last.stages.iter().any(|stage| matches!(stage, Command::Simple(simple) if is_endless(simple)));
    if !is_cutter || !is_plain || follows || is_endless || item.background {
        return None;
    }
    let mut kept = command.get(..before.span.end)?.trim_end().to_owned();
    if is_error_to_output(before) {
        kept = kept.strip_suffix("2>&1").map_or(kept.clone(), |kept| kept.trim_end().to_owned());
    }
    // What was cut off must be the cutter and nothing else.
    let rest = command.get(before.span.end..)?.trim_start();
    let rest = rest.strip_prefix("2>&1").unwrap_or(rest).trim_start();
    (rest.starts_with('|') && shell::parse(&kept).is_ok()).then_some(kept)
}

/// `-n`, `20`, `-20`, `-n20`, `+5`, `--lines=20`. A number of bytes is another matter: who wants that wants no more.
fn is_count(word: Option<&str>) -> bool {
    let Some(word) = word else { return false };
    let word = word.strip_prefix("--lines=").unwrap_or(word).trim_start_matches(['-', '+']);
    let word = word.strip_prefix(['n', 'q']).unwrap_or(word);
    word.trim_start_matches(['-', '+']).chars().all(|c| c.is_ascii_digit())
}

/// Whether a command may print for ever, so that only what cuts it ends it.
fn is_endless(simple: &Simple) -> bool {
    const ENDLESS: [&str; 6] = ["yes", "ping", "watch", "top", "vmstat", "journalctl"];
    let is_named = simple.words.first().is_some_and(|word| ENDLESS.contains(&word.text.as_str()));
    let reads_device = simple.words.iter().any(|word| word.text.contains("/dev/"))
        || simple.redirects.iter().any(|redirect| redirect.target.text.starts_with("/dev/"));
    is_named
        || reads_device
        || simple.words.iter().any(|word| matches!(word.text.as_str(), "-f" | "-F" | "--follow"))
}

fn is_error_to_output(simple: &Simple) -> bool {
    simple.redirects.last().is_some_and(|redirect| {
        redirect.descriptor == Some(2)
            && redirect.kind == RedirectKind::Duplicate
            && redirect.target.literal() == Some("1")
    })
}

/// `cd FOLDER && REST` at the beginning, as the two.
fn leading_cd(command: &str) -> Option<(String, String)> {
    let script: Script = shell::parse(command).ok()?;
    let first = script.items.first()?;
    let [(_, pipeline), (Some(Joint::And), _), ..] = first.list.pipelines.as_slice() else { return None };
    let [Command::Simple(cd)] = pipeline.stages.as_slice() else { return None };
    let [name, folder] = cd.words.as_slice() else { return None };
    let is_plain =
        !pipeline.negated && !pipeline.timed && cd.assignments.is_empty() && cd.redirects.is_empty();
    let folder = folder.literal().filter(|folder| !folder.starts_with('-') && !folder.is_empty())?;
    if name.literal() != Some("cd") || !is_plain || command.get(..cd.span.end)?.contains('\n') {
        return None;
    }
    let rest = command.get(cd.span.end..)?.trim_start().strip_prefix("&&")?.trim_start();
    (!rest.is_empty()).then(|| (folder.to_owned(), rest.to_owned()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    struct NoUrls;

    impl urls::Resolve for NoUrls {
        fn resolve(&self, _: &str) -> Option<Result<PathBuf, String>> {
            None
        }
    }

    fn prepared(arguments: Value, prefixes: &[String]) -> Result<Prepared, ToolError> {
        let root = std::env::temp_dir();
        let around = Around {
            root: &root,
            folder: &root,
            strip: true,
            is_unlimited: false,
            tools: None,
            prefixes,
            urls: &NoUrls,
        };
        prepare(arguments.as_object().unwrap(), &around)
    }

    #[track_caller]
    fn check(command: &str, expected: &str) {
        assert_eq!(prepared(json!({ "command": command }), &[]).unwrap().command, expected);
    }

    #[test]
    fn a_trailing_head_or_tail_is_dropped() {
        check("cargo test 2>&1 | tail -20", "cargo test");
        check("make | head", "make");
        check("make |head -n 5", "make");
        check("a && b 2>&1 | tail -n +3", "a && b");
        check("ls | head --lines=3", "ls");
    }

    #[test]
    fn what_is_not_only_a_cut_stays() {
        for command in [
            "make | head -5 > log",
            "tail -f log",
            "make | tail -f",
            "head -3 file",
            "make | tail -n $N",
            "make | tail file",
            "make | head\necho done",
            "echo '| head'",
            "make | head &",
            "make | (head)",
            "ls | head -c 100",
            "yes | head -3",
            "cat /dev/urandom | base64 | head -1",
            "tail -f log | head -5",
        ] {
            check(command, command);
        }
    }

    #[test]
    fn a_leading_cd_becomes_the_folder() {
        let folder = std::env::temp_dir();
        let shown = folder.display().to_string();
        let found = prepared(json!({ "command": format!("cd {shown} && make all && ls") }), &[]).unwrap();
        assert_eq!((found.command.as_str(), found.stays), ("make all && ls", true));
        assert_eq!(found.cwd.unwrap(), folder);
        for command in
            ["cd $X && make", "cd a; make", "cd && make", "cd a || make", "(cd a && make)", "cd - && ls"]
        {
            let found = prepared(json!({ "command": command }), &[]).unwrap();
            assert_eq!((found.command.as_str(), found.cwd), (command, None));
        }
    }

    #[test]
    fn names_folders_and_times_are_checked() {
        let fails = |arguments: Value| prepared(arguments, &[]).unwrap_err().to_string();
        assert_eq!(fails(json!({ "command": "x", "env": { "1A": "" } })), "Invalid bash env name: 1A");
        let missing = fails(json!({ "command": "x", "cwd": "no-such-folder-here" }));
        assert_eq!(missing, "Working directory does not exist: no-such-folder-here");
        let found = prepared(json!({ "command": "x", "timeout": 9000 }), &[]).unwrap();
        assert_eq!(found.seconds, Some(3600.0));
        assert_eq!(found.notices, ["[timeout clamped to 3600 seconds (1-3600)]"]);
    }

    #[test]
    fn a_restricted_role_gets_its_prefixes_and_no_variables() {
        let prefixes = ["git log".to_owned()];
        assert!(prepared(json!({ "command": "git log -3" }), &prefixes).is_ok());
        let env = prepared(json!({ "command": "git log", "env": { "A": "b" } }), &prefixes).unwrap_err();
        assert_eq!(env.to_string(), "Restricted role-agent bash does not allow per-command env overrides.");
        let other = prepared(json!({ "command": "git push" }), &prefixes).unwrap_err().to_string();
        assert!(other.contains("only allows commands starting with: git log"), "{other}");
        assert!(prepared(json!({ "command": "cd / && git log" }), &prefixes).is_err());
    }

    #[test]
    fn labels_are_short() {
        assert_eq!(label("make"), "make");
        let long = label(&"x".repeat(200));
        assert!(long.chars().count() == 120 && long.ends_with("x..."));
    }
}
