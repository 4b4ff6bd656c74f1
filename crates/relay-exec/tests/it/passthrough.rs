//! Programs with the user's terminal.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::time::{Duration, Instant};

use relay_diagnostics::Cancel;
use relay_exec::{End, Passed, Passthrough};

fn run(program: &str, args: &[&str], cwd: &Path, cancel: &Cancel) -> Passed {
    let args: Vec<OsString> = args.iter().map(OsString::from).collect();
    Passthrough { program: OsStr::new(program), args: &args, cwd, output_to_errors: true }.run(cancel)
}

#[test]
fn exit_codes_and_signals_come_back() {
    let here = Path::new("/");
    let never = Cancel::new();
    assert!(matches!(run("sh", &["-c", "exit 7"], here, &never).end, End::Exited(7)));
    assert!(matches!(run("sh", &["-c", "kill -TERM $$"], here, &never).end, End::Signalled(15)));
    for program in ["no-such-program-anywhere", "./no/such", ""] {
        assert!(matches!(run(program, &[], here, &never).end, End::NotStarted(_)), "{program}");
    }
}

#[test]
fn a_path_is_meant_from_where_the_program_runs() {
    let folder = tempfile::tempdir().unwrap();
    // A link, because a file that was just written may still be open in what another test is starting, and is then busy.
    std::os::unix::fs::symlink("/bin/sh", folder.path().join("program")).unwrap();
    let passed = run("./program", &["-c", "exit 9"], folder.path(), &Cancel::new());
    assert!(matches!(passed.end, End::Exited(9)), "{passed:?}");
}

#[test]
fn leftover_processes_are_reported_and_a_cancel_ends_them() {
    let folder = tempfile::tempdir().unwrap();
    let passed = run("sh", &["-c", "sleep 300 & echo $! > pid"], folder.path(), &Cancel::new());
    assert!(
        passed.left_running[0].starts_with("`sleep 300` (process ") && matches!(passed.end, End::Exited(0)),
        "{passed:?}"
    );
    let pid = std::fs::read_to_string(folder.path().join("pid")).unwrap().trim().parse().unwrap();
    rustix::process::kill_process(
        rustix::process::Pid::from_raw(pid).unwrap(),
        rustix::process::Signal::KILL,
    )
    .unwrap();

    let cancel = Cancel::new();
    let asker = cancel.clone();
    let started = folder.path().join("started");
    let waiting = started.clone();
    let thread = std::thread::spawn(move || {
        let until = Instant::now() + Duration::from_secs(120);
        while !waiting.exists() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(5));
        }
        asker.cancel();
    });
    let line = "(trap '' TERM; touch started; sleep 300; touch survived) & wait; sleep 300";
    let passed = run("sh", &["-c", line], folder.path(), &cancel);
    thread.join().unwrap();
    assert!(matches!(passed.end, End::Cancelled) && passed.left_running.is_empty(), "{passed:?}");
    assert!(started.exists() && !folder.path().join("survived").exists());
}
