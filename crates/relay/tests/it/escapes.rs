//! Escapes from the sandbox, tried for real: `tests/escapes/` prepares the scene and makes the attempts.
//!
//! Every attempt is made five times: without a sandbox, where it must succeed or it proves nothing; confined without bubblewrap and with
//! it; and both again without network. The attempts that may succeed are listed here and, by the same names, in `docs/security.md`.
//! `./test --long` also makes the attempts as a user without rights, and lets the races run for longer.

#![allow(clippy::print_stdout, reason = "says which attempts prove nothing on this machine")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::{env, json};

/// Neither reading nor the internet is restricted in any sandbox.
const ALLOWED: [&str; 6] = [
    "read_secret",
    "internet_names",
    "internet_of_this_machine",
    "internet_of_this_machine_6",
    "internet_datagram",
    "internet_datagram_6",
];

/// What is not restricted even without network.
const ALLOWED_OFFLINE: [&str; 1] = ["read_secret"];

/// What only bubblewrap prevents.
const NEEDS_BUBBLEWRAP: [&str; 16] = [
    "attributes_mode",
    "attributes_mode_by_descriptor",
    "attributes_owner",
    "attributes_times",
    "priority_of_victim",
    "protected_config_appended",
    "protected_config_replaced",
    "protected_config_truncated",
    "protected_hook_changed",
    "protected_hook_made",
    "protected_hook_removed",
    "protected_hooks_moved",
    "protected_project_config_linked",
    "protected_state_written",
    "terminal_read",
    "victims_environment_read",
];

/// How many attempts must succeed without a sandbox, as root on a typical machine; other users can do less.
const REAL_ATTEMPTS: usize = 60;

/// The kinds of attempts that there must be at least one of, by the beginnings of their names.
const KINDS: [&str; 22] = [
    "write_",
    "race_symlink",
    "race_rename",
    "write_through_proc_",
    "memory_through_proc",
    "ptrace_",
    "internet_of_this_machine",
    "internet_of_this_machine_6",
    "unix_stream",
    "unix_abstract_",
    "internet_names",
    "io_uring_",
    "daemon_",
    "mount_",
    "namespace_of_users",
    "signal_relays_parent",
    "terminal_typed_into",
    "inherited_",
    "program_with_preloaded_library",
    "protected_hook_",
    "protected_config_",
    "tmux_",
];

/// The result of every attempt: a word, and the reason.
type Results = BTreeMap<String, (String, String)>;

/// Who makes the attempts.
#[derive(Clone, Copy)]
enum Who {
    Us,
    /// A user without any rights; only root can switch to it.
    Nobody,
}

#[test]
fn nothing_gets_out_of_the_sandbox() {
    check(Who::Us);
}

#[test]
fn nothing_gets_out_of_the_sandbox_of_a_user_without_rights() {
    if is_long() && is_root() {
        check(Who::Nobody);
    }
}

#[test]
fn uncovered_attempts_are_documented() {
    let docs = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/security.md"));
    let docs = docs.unwrap();
    for name in ALLOWED.iter().chain(&NEEDS_BUBBLEWRAP) {
        assert!(docs.contains(&format!("`{name}`")), "docs/security.md does not list {name}");
    }
}

fn check(who: Who) {
    let Some(python) = python() else { return not_tested("there is no python3") };
    let free = play(&python, "free", who);
    let real: Vec<&str> = names(&free, "escaped");
    println!("{} of {} attempts get out without a sandbox", real.len(), free.len());
    for (name, (word, why)) in free.iter().filter(|(_, (word, _))| word != "escaped") {
        println!("NOT TESTED: {name} is {word} without a sandbox as well ({why})");
    }
    assert!(real.len() >= REAL_ATTEMPTS, "{free:#?}");
    for kind in KINDS {
        assert!(free.keys().any(|name| name.starts_with(kind)), "no attempt is of the kind {kind}");
    }
    let (signals, bubblewrap) = enforced();
    let without_scopes = |name: &str| !signals && name.starts_with("signal_");
    let plain = play(&python, "plain", who);
    let may_escape =
        |name: &str| ALLOWED.contains(&name) || NEEDS_BUBBLEWRAP.contains(&name) || without_scopes(name);
    held(&free, &plain, may_escape);
    let let_out = names(&plain, "escaped");
    println!("not prevented without bubblewrap: {}", let_out.join(", "));
    let offline = |name: &str| {
        ALLOWED_OFFLINE.contains(&name) || NEEDS_BUBBLEWRAP.contains(&name) || without_scopes(name)
    };
    held(&free, &play(&python, "offline-plain", who), offline);
    if bubblewrap {
        held(&free, &play(&python, "mounts", who), |name| ALLOWED.contains(&name));
        held(&free, &play(&python, "offline-mounts", who), |name| ALLOWED_OFFLINE.contains(&name));
    } else {
        not_tested("bubblewrap is not installed or does not work here");
    }
}

/// All attempts but the listed ones were blocked.
#[track_caller]
fn held(free: &Results, confined: &Results, may_escape: impl Fn(&str) -> bool) {
    assert_eq!(free.keys().collect::<Vec<_>>(), confined.keys().collect::<Vec<_>>());
    for (name, (word, why)) in confined {
        let is_held = word == "blocked" || word == "absent";
        assert!(is_held || may_escape(name), "{name} is {word}: {why}");
    }
}

/// Prepares the scene in its own folder and makes all attempts there.
fn play(python: &Path, mode: &str, who: Who) -> Results {
    let env = env();
    let base = env.root().canonicalize().unwrap().join("stage");
    let escapes = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/escapes");
    let mut command = match who {
        Who::Us => Command::new(python),
        Who::Nobody => {
            open_to_everybody(&env.root());
            let mut command = Command::new("setpriv");
            command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "--"]).arg(python);
            command
        }
    };
    let seconds = if is_long() { "5" } else { "0.3" };
    let output = command
        .args(["-B".as_ref(), escapes.join("stage.py").as_os_str(), mode.as_ref()])
        .args([env!("CARGO_BIN_EXE_relay").as_ref(), base.as_os_str()])
        .env("STAGE_RACE_SECONDS", seconds)
        .current_dir("/")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{mode}: {stderr}\n{stdout}");
    stdout
        .lines()
        .map(|line| {
            let mut parts = line.splitn(3, ' ').map(str::to_owned);
            let mut next = || parts.next().unwrap_or_default();
            (next(), (next(), next()))
        })
        .collect()
}

fn names<'a>(results: &'a Results, wanted: &str) -> Vec<&'a str> {
    results.iter().filter(|(_, (word, _))| word == wanted).map(|(name, _)| name.as_str()).collect()
}

/// Whether Landlock blocks signals, and whether bubblewrap works, according to `relay doctor`.
fn enforced() -> (bool, bool) {
    let env = env();
    let document = json(&env.relay(&["doctor", "--json"]).run());
    let says =
        |text: &str| {
            document["findings"].as_array().unwrap().iter().any(|finding| {
                finding["name"] == "sandbox" && finding["what"].as_str().unwrap().contains(text)
            })
        };
    (says("no signals to your other programs"), says("bubblewrap: works"))
}

/// The system's python, which other users can run too.
fn python() -> Option<PathBuf> {
    let usual = PathBuf::from("/usr/bin/python3");
    let found = || Command::new("python3").arg("--version").output().is_ok().then(|| "python3".into());
    usual.exists().then_some(usual).or_else(found)
}

/// Reports what is missing, which is a failure where everything must be installed.
fn not_tested(reason: &str) {
    assert!(std::env::var_os("CI").is_none(), "{reason}");
    println!("NOT TESTED: {reason}");
}

fn is_long() -> bool {
    std::env::var("RELAY_LONG_TESTS").is_ok_and(|value| value == "yes")
}

fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|about| std::os::unix::fs::MetadataExt::uid(&about) == 0)
}

fn open_to_everybody(folder: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    let open = |path: &Path| std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o777));
    open(folder).unwrap();
    for parent in folder.ancestors().skip(1).take_while(|parent| parent.starts_with(std::env::temp_dir())) {
        if parent != std::env::temp_dir() {
            open(parent).unwrap();
        }
    }
}
