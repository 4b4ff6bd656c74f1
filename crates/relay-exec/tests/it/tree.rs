//! Nothing that a command started outlives it.

use std::path::Path;
use std::time::Duration;

use relay_diagnostics::Cancel;
use relay_exec::{End, Run, Shell};

use crate::process::{is_alive, pid_in};

/// Writes the number of the process that goes on to sleep.
const SLEEPER: &str = "sh -c 'echo $$ > pid.new; mv pid.new pid; exec sleep 300'";

fn shell<'a>(cwd: &'a Path, command: &'a str) -> Shell<'a> {
    Shell { command, cwd, timeout: Duration::from_secs(120), output_limit_bytes: 1 << 20, env: &[] }
}

/// Runs a command and asks for its end as soon as it prints `ready`.
fn cancel_when_ready(cwd: &Path, command: &str) -> Run {
    let cancel = Cancel::new();
    shell(cwd, command).run(&cancel, &mut |bytes| {
        if String::from_utf8_lossy(bytes).contains("ready") {
            cancel.cancel();
        }
    })
}

/// Starts something that writes its number, asks for the end, and looks whether it has ended.
#[track_caller]
fn check_killed(start: &str) {
    let folder = tempfile::tempdir().unwrap();
    let command = format!("{start}\nwhile [ ! -s pid ]; do sleep 0.01; done; echo ready; sleep 300");
    let run = cancel_when_ready(folder.path(), &command);
    assert!(matches!(run.end, End::Cancelled), "{run:?}");
    let pid = pid_in(&folder.path().join("pid"));
    assert!(!is_alive(pid), "{start}: {pid} lives");
}

#[test]
fn the_time_limit_ends_it() {
    let folder = tempfile::tempdir().unwrap();
    let pid = folder.path().join("pid");
    // On a busy machine the time may be up before the command has begun to write its number.
    for limit_ms in [200, 2_000, 20_000] {
        let limited = Shell {
            timeout: Duration::from_millis(limit_ms),
            ..shell(folder.path(), "echo $$ > pid.new; mv pid.new pid; exec sleep 300")
        };
        let run = limited.run(&Cancel::new(), &mut |_| {});
        assert!(matches!(run.end, End::TimedOut) && !run.could_not_start(), "{run:?}");
        if pid.exists() {
            break;
        }
    }
    assert!(!is_alive(pid_in(&pid)));
}

#[test]
fn a_cancel_ends_children_and_their_children() {
    check_killed(&format!("{SLEEPER} &"));
    check_killed(&format!("( ( {SLEEPER} & ) & )"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_cancel_ends_those_that_left_the_group() {
    check_killed(&format!("setsid {SLEEPER} &"));
}

/// Its parents are gone and its session is another; only the mark in its environment shows where it came from.
#[cfg(target_os = "linux")]
#[test]
fn a_cancel_ends_those_that_left_the_group_and_lost_their_parents() {
    check_killed(&format!(
        "setsid sh -c \"{} & exit\" </dev/null >/dev/null 2>&1",
        SLEEPER.replace('$', "\\$")
    ));
}

#[test]
fn those_that_ignore_the_request_are_killed() {
    check_killed(
        "( trap '' TERM HUP INT; sh -c 'echo $$ > pid.new; mv pid.new pid; while :; do sleep 1; done' ) &",
    );
}

/// Without its environment it has no mark either; only its parent shows where it came from.
#[cfg(target_os = "linux")]
#[test]
fn a_cancel_ends_those_that_left_the_group_and_cleared_their_environment() {
    check_killed(&format!("setsid env -i PATH=\"$PATH\" {SLEEPER} &"));
}

/// When its parent obeys the first request and it does not, nothing shows any more where it came from; it has to be
/// remembered.
#[cfg(target_os = "linux")]
#[test]
fn one_that_was_found_once_is_not_forgotten() {
    let stubborn = "trap \"\" TERM; echo $$ > pid.new; mv pid.new pid; while :; do sleep 1; done";
    check_killed(&format!("setsid env -i PATH=\"$PATH\" sh -c '{stubborn}' &"));
}

/// A stopped process acts on the request to end only when it is continued.
#[cfg(target_os = "linux")]
#[test]
fn stopped_processes_are_ended_politely_too() {
    let folder = tempfile::tempdir().unwrap();
    // The outer shell stays until the inner one has gone, or the kernel itself would wake an orphaned group.
    let command = "trap : TERM
        sh -c 'trap \"echo woken; exit\" TERM; echo $$ > pid.new; mv pid.new pid; kill -STOP $$; sleep 300' &
        while [ ! -s pid ] || ! grep -q '^State:.T' /proc/$(cat pid)/status; do sleep 0.01; done
        echo ready; wait; wait";
    let run = cancel_when_ready(folder.path(), command);
    assert!(matches!(run.end, End::Cancelled), "{run:?}");
    assert!(run.output.text().contains("woken\n"), "{run:?}");
    assert!(!is_alive(pid_in(&folder.path().join("pid"))));
}

#[test]
fn a_process_that_ends_politely_may_print_its_last_output() {
    let folder = tempfile::tempdir().unwrap();
    let command = "trap 'echo cleaned; exit 0' TERM; echo ready; while :; do sleep 0.01; done";
    let output = cancel_when_ready(folder.path(), command).output.text();
    assert_eq!(output.matches("cleaned\n").count(), 1, "{output}");
}

#[test]
fn one_that_holds_the_output_open_does_not_keep_us_waiting() {
    let folder = tempfile::tempdir().unwrap();
    let command = format!("{SLEEPER} & while [ ! -s pid ]; do sleep 0.01; done; echo done; exit 3");
    let run = shell(folder.path(), &command).run(&Cancel::new(), &mut |_| {});
    assert!(matches!(run.end, End::Exited(3)), "{run:?}");
    assert_eq!(run.output.text(), "done\n");
    assert!(!is_alive(pid_in(&folder.path().join("pid"))), "a leftover of the group lives");
}

/// It holds nothing open either, so that only its death can be waited for; which takes a while, because its memory is
/// given back first.
#[test]
fn one_that_has_to_be_killed_is_gone_when_the_command_has_ended() {
    let folder = tempfile::tempdir().unwrap();
    let stubborn = "trap \"\" TERM; echo $$ > pid.new; x=$(head -c 50000000 /dev/zero | tr \"\\0\" x); mv pid.new pid; \
                    while :; do sleep 1; done";
    let command =
        format!("sh -c '{stubborn}' >/dev/null 2>&1 & while [ ! -s pid ]; do sleep 0.01; done; exit 3");
    let run = shell(folder.path(), &command).run(&Cancel::new(), &mut |_| {});
    assert!(matches!(run.end, End::Exited(3)), "{run:?}");
    assert!(!is_alive(pid_in(&folder.path().join("pid"))), "a leftover of the group lives");
}

#[test]
fn a_process_that_keeps_printing_does_not_keep_us_waiting() {
    let folder = tempfile::tempdir().unwrap();
    let command =
        "sh -c 'echo $$ > pid.new; mv pid.new pid; exec yes' & while [ ! -s pid ]; do sleep 0.01; done";
    let run =
        Shell { output_limit_bytes: 10, ..shell(folder.path(), command) }.run(&Cancel::new(), &mut |_| {});
    assert!(matches!(run.end, End::Exited(0)), "{run:?}");
    assert!(!is_alive(pid_in(&folder.path().join("pid"))));
}

/// It would go on to change files after the command's effect has been looked at.
#[cfg(target_os = "linux")]
#[test]
fn processes_that_left_the_session_are_ended_and_named_after_success() {
    let folder = tempfile::tempdir().unwrap();
    let command =
        format!("setsid {SLEEPER} </dev/null >/dev/null 2>&1 & while [ ! -s pid ]; do sleep 0.01; done");
    let run = shell(folder.path(), &command).run(&Cancel::new(), &mut |_| {});
    let pid = pid_in(&folder.path().join("pid"));
    assert!(run.success() && !is_alive(pid), "{run:?}");
    assert_eq!(run.ended, [format!("`sleep 300` (process {pid})")]);
}

#[test]
fn processes_that_end_within_a_moment_are_not_mentioned() {
    let folder = tempfile::tempdir().unwrap();
    let run = shell(folder.path(), "(sleep 0.05; echo tidied) & true").run(&Cancel::new(), &mut |_| {});
    assert!(run.success() && run.ended.is_empty() && run.output.text() == "tidied\n", "{run:?}");
}

#[test]
fn nothing_is_left_when_the_listener_panics() {
    let folder = tempfile::tempdir().unwrap();
    let command = "echo $$ > pid; echo ready; exec sleep 300";
    let caught = std::panic::catch_unwind(|| {
        shell(folder.path(), command)
            .run(&Cancel::new(), &mut |_| std::panic::resume_unwind(Box::new("stop")))
    });
    assert!(caught.is_err());
    assert!(!is_alive(pid_in(&folder.path().join("pid"))));
}

#[test]
fn an_earlier_cancel_leaves_nothing_running() {
    let folder = tempfile::tempdir().unwrap();
    let cancel = Cancel::new();
    cancel.clone().cancel();
    assert!(cancel.is_cancelled() && cancel.flag().load(std::sync::atomic::Ordering::SeqCst));
    let run = shell(folder.path(), "sleep 300").run(&cancel, &mut |_| {});
    assert!(matches!(run.end, End::Cancelled), "{run:?}");
}
