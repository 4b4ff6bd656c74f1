//! Shells that stay, and terminals, as real programs.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use relay_diagnostics::Cancel;
use relay_exec::sandbox::Rules;
use relay_exec::{Alive, Boot, End, Pty, PtyError, PtySize, Ran, Session, Start, Turn};

fn start<'a>(cwd: &'a Path, args: &'a [&'a str]) -> Start<'a> {
    Start { relay: None, rules: Rules::default(), program: "bash", args, cwd, env: &[], without: &[] }
}

fn shell() -> Session {
    let folder = std::env::temp_dir();
    Session::start(&start(&folder, &[]), Boot::default(), &Cancel::new()).unwrap()
}

fn run_for(session: &mut Session, command: &str, timeout: Duration, cancel: &Cancel) -> (Ran, String) {
    let mut output = Vec::new();
    let ran = session.run(Turn {
        before: "",
        command,
        after: "",
        timeout: Some(timeout),
        cancel,
        on_output: &mut |bytes| output.extend_from_slice(bytes),
    });
    (ran, String::from_utf8_lossy(&output).into_owned())
}

fn run(session: &mut Session, command: &str) -> (Ran, String) {
    run_for(session, command, Duration::from_secs(30), &Cancel::new())
}

#[test]
fn state_is_kept_and_codes_come_back() {
    let mut session = shell();
    let (ran, output) = run(&mut session, "cd /; x=1; f() { echo f$1; }; alias g=f; false");
    assert!(matches!(ran.end, End::Exited(1)) && ran.is_kept && output.is_empty(), "{ran:?} {output}");
    let (ran, output) = run(&mut session, "f $x; g 2; pwd");
    assert!(matches!(ran.end, End::Exited(0)), "{ran:?}");
    assert_eq!(output, "f1\nf2\n/\n");
    assert_eq!(session.folder(), Path::new("/"));
}

#[test]
fn only_normal_control_flow_keeps_the_shell() {
    for (command, code) in [("exit 4", 4), ("break; false", 0), ("set -e; false", 1), ("kill -9 $$", -9)] {
        let mut session = shell();
        let (ran, _) = run(&mut session, command);
        assert!(!ran.is_kept, "{command}: {ran:?}");
        match ran.end {
            End::Exited(found) => assert_eq!(found, code, "{command}"),
            End::Signalled(found) => assert_eq!(-found, code, "{command}"),
            other => panic!("{command}: {other:?}"),
        }
        assert!(!session.is_alive());
    }
    let mut session = shell();
    for command in ["exec true", "suspend", "if", "echo 'unfinished", "return 3", "(exit 2)", "cat <<X\nopen"]
    {
        assert!(run(&mut session, command).0.is_kept, "{command}");
    }
    assert_eq!(run(&mut session, "echo fine").1, "fine\n");
}

#[test]
fn the_time_limit_and_the_cancel_end_everything() {
    let mut session = shell();
    let began = Instant::now();
    let limit = Duration::from_millis(300);
    let (ran, output) =
        run_for(&mut session, "trap '' TERM; echo begun; sleep 600 & sleep 600", limit, &Cancel::new());
    assert!(matches!(ran.end, End::TimedOut) && !ran.is_kept, "{ran:?}");
    assert_eq!(output, "begun\n");
    assert!(began.elapsed() < Duration::from_secs(10));
    let cancel = Cancel::new();
    let other = cancel.clone();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        other.cancel();
    });
    let mut session = shell();
    let (ran, _) = run_for(&mut session, "sleep 600", Duration::from_secs(60), &cancel);
    assert!(matches!(ran.end, End::Cancelled) && ran.duration < Duration::from_secs(5), "{ran:?}");
}

#[test]
fn nothing_happens_between_two_commands() {
    let mut session = shell();
    let mark = std::env::temp_dir().join(format!("relay-between-{}", std::process::id()));
    let line = format!(
        "trap 'echo x >> {}' DEBUG; (sleep 0.3; echo y >> {}) & true",
        mark.display(),
        mark.display()
    );
    let (ran, _) = run(&mut session, &line);
    assert!(!ran.ended.is_empty(), "{ran:?}");
    let size = |path: &PathBuf| std::fs::metadata(path).map_or(0, |about| about.len());
    let before = size(&mark);
    std::thread::sleep(Duration::from_millis(600));
    assert_eq!(size(&mark), before);
    std::fs::remove_file(&mark).ok();
}

#[test]
fn a_flood_is_read_completely() {
    let mut session = shell();
    let mut bytes = 0_u64;
    let ran = session.run(Turn {
        before: "",
        command: "head -c 50000000 /dev/zero",
        after: "",
        timeout: Some(Duration::from_secs(60)),
        cancel: &Cancel::new(),
        on_output: &mut |piece| bytes += piece.len() as u64,
    });
    assert!(matches!(ran.end, End::Exited(0)), "{ran:?}");
    assert_eq!(bytes, 50_000_000);
}

#[test]
fn before_and_after_do_not_touch_the_code() {
    let mut session = shell();
    let mut output = Vec::new();
    let ran = session.run(Turn {
        before: "export ONCE=1",
        command: "echo $ONCE; false",
        after: "unset ONCE; true",
        timeout: None,
        cancel: &Cancel::new(),
        on_output: &mut |bytes| output.extend_from_slice(bytes),
    });
    assert!(matches!(ran.end, End::Exited(1)), "{ran:?}");
    assert_eq!(output, b"1\n");
    assert_eq!(run(&mut session, "echo ${ONCE-gone}").1, "gone\n");
}

#[test]
fn definitions_of_the_user_come_first_unless_they_end_the_shell() {
    let folder = std::env::temp_dir();
    let start = start(&folder, &[]);
    let boot = |snapshot| Boot { snapshot: Some(snapshot), login: false };
    let mut session = Session::start(&start, boot("alias hi='echo alias'; cd /"), &Cancel::new()).unwrap();
    assert_eq!(run(&mut session, "hi").1, "alias\n");
    let mut session = Session::start(&start, boot("exit 1"), &Cancel::new()).unwrap();
    assert_eq!(run(&mut session, "echo fine").1, "fine\n");
}

#[test]
fn a_program_that_is_not_a_shell_says_why() {
    let folder = std::env::temp_dir();
    let other = Start { program: "false", ..start(&folder, &[]) };
    let error = Session::start(&other, Boot::default(), &Cancel::new()).unwrap_err();
    assert!(error.to_string().contains("ended at once"), "{error}");
    let other = Start { program: "no-such-shell", ..start(&folder, &[]) };
    let error = Session::start(&other, Boot::default(), &Cancel::new()).unwrap_err();
    assert!(error.to_string().contains("no-such-shell"), "{error}");
}

#[test]
fn a_terminal_has_its_size_and_takes_what_is_typed() {
    let folder = std::env::temp_dir();
    let pty = Pty::new();
    assert!(matches!(pty.write(b"x"), Err(PtyError::NotRunning)));
    assert_eq!(pty.kill().unwrap_err().to_string(), "PTY session is not running");
    let reserved = pty.reserve().unwrap();
    assert_eq!(pty.reserve().unwrap_err().to_string(), "PTY session already running");
    pty.write(b"hello\n").unwrap();
    let args = ["-c", "stty size; [ -t 0 ] && [ -t 1 ] && echo terminal; read line; echo got $line"];
    let mut output = Vec::new();
    let limits = (Some(Duration::from_secs(30)), &Cancel::new());
    let size = PtySize { columns: 1000, rows: 1 };
    let ran =
        reserved.run(&start(&folder, &args), size, limits, &mut |bytes| output.extend_from_slice(bytes));
    let text = String::from_utf8_lossy(&output).replace('\r', "");
    assert!(matches!(ran.unwrap().end, End::Exited(0)), "{text}");
    assert!(
        text.contains("5 400\n") && text.contains("terminal\n") && text.contains("got hello\n"),
        "{text}"
    );
    assert!(matches!(pty.resize(PtySize::default()), Err(PtyError::NotRunning)));
}

#[test]
fn a_terminal_can_be_resized_and_killed_while_it_runs() {
    let folder = std::env::temp_dir();
    let pty = Pty::new();
    let reserved = pty.reserve().unwrap();
    let other = pty.clone();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(500));
        other.resize(PtySize { columns: 77, rows: 33 }).unwrap();
        std::thread::sleep(Duration::from_millis(500));
        other.kill().unwrap();
    });
    let args = ["-c", "while :; do stty size; sleep 0.1; done"];
    let mut output = Vec::new();
    let limits = (Some(Duration::from_secs(30)), &Cancel::new());
    let ran = reserved
        .run(&start(&folder, &args), PtySize::default(), limits, &mut |bytes| output.extend_from_slice(bytes))
        .unwrap();
    let text = String::from_utf8_lossy(&output).into_owned();
    assert!(matches!(ran.end, End::Cancelled), "{ran:?}");
    assert!(text.contains("40 120") && text.contains("33 77"), "{text}");
}
