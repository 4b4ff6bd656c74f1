//! What a shell line gets, how it ends, and what is kept of its output.

use std::path::Path;
use std::time::Duration;

use relay_diagnostics::Cancel;
use relay_exec::{End, Run, Shell};

const LONG: Duration = Duration::from_secs(120);

fn run_in(cwd: &Path, command: &str) -> Run {
    let shell = Shell { command, cwd, timeout: LONG, output_limit_bytes: 1 << 20, env: &[("EXTRA", "more")] };
    shell.run(&Cancel::new(), &mut |_| {})
}

#[track_caller]
fn check(command: &str, code: i32, output: &str) {
    let run = run_in(Path::new("/"), command);
    assert!(matches!(run.end, End::Exited(got) if got == code), "{run:?}");
    assert_eq!(run.output.text(), output);
    assert_eq!(run.success(), code == 0);
}

#[test]
fn output_and_errors_come_in_order_and_the_code_is_kept() {
    check("echo 1; echo 2 >&2; echo 3; echo 4 >&2; exit 5", 5, "1\n2\n3\n4\n");
    check("true", 0, "");
}

#[test]
fn there_is_no_input() {
    check("cat; echo end", 0, "end\n");
}

#[test]
fn the_environment_is_passed_on_with_a_sign_of_relay() {
    check("echo $RELAY $EXTRA; test -n \"$PATH\"; test -n \"$RELAY_RUN\"", 0, "1 more\n");
}

#[test]
fn it_runs_in_the_given_folder() {
    let folder = tempfile::tempdir().unwrap();
    let place = std::fs::canonicalize(folder.path()).unwrap();
    assert_eq!(run_in(&place, "pwd -P").output.text(), format!("{}\n", place.display()));
}

#[test]
fn output_is_streamed() {
    let shell = Shell {
        command: "echo one; echo two",
        cwd: Path::new("/"),
        timeout: LONG,
        output_limit_bytes: 2,
        env: &[],
    };
    let mut live = Vec::new();
    let run = shell.run(&Cancel::new(), &mut |bytes| live.extend_from_slice(bytes));
    assert_eq!(live, b"one\ntwo\n");
    assert_eq!((run.output.bytes.as_slice(), run.output.omitted_bytes), (&b"o\n"[..], 6));
}

#[test]
fn a_command_that_never_ran_is_distinguished() {
    let missing = run_in(Path::new("/"), "no-such-program-anywhere --x");
    assert!(missing.could_not_start() && matches!(missing.end, End::Exited(127)), "{missing:?}");
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("plain"), "").unwrap();
    let plain = run_in(folder.path(), "./plain");
    assert!(plain.could_not_start() && matches!(plain.end, End::Exited(126)), "{plain:?}");
    let nowhere = run_in(&folder.path().join("missing"), "true");
    assert!(nowhere.could_not_start() && matches!(nowhere.end, End::NotStarted(_)), "{nowhere:?}");
    assert!(!run_in(folder.path(), "exit 1").could_not_start());
}

#[test]
fn a_signal_from_elsewhere_is_reported() {
    assert!(matches!(run_in(Path::new("/"), "kill -9 $$").end, End::Signalled(9)));
}

#[test]
fn a_flood_is_kept_in_bounded_memory_and_ends_when_the_time_is_up() {
    let flood = |timeout| {
        let shell =
            Shell { command: "yes", cwd: Path::new("/"), timeout, output_limit_bytes: 1000, env: &[] };
        let mut seen = 0;
        let run = shell.run(&Cancel::new(), &mut |bytes| seen += bytes.len());
        assert!(matches!(run.end, End::TimedOut), "{run:?}");
        (run.output, seen)
    };
    // On a busy machine the time may be up before there is any output.
    let limits = [300, 3_000, 30_000].map(Duration::from_millis);
    let (output, seen) = limits.into_iter().map(flood).find(|(_, seen)| *seen > 1000).expect("a flood");
    assert_eq!(output.bytes.len(), 1000);
    assert_eq!(output.omitted_bytes, seen as u64 - 1000);
}
