//! Programs that outlive Relay.

use std::path::Path;

use relay_exec::{DetachError, spawn_detached};

use crate::process::{is_alive, pid_in};

fn wait_for(file: &Path) {
    while !file.exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

#[test]
fn it_gets_all_of_its_input_and_keeps_running() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let script = r#"cat > "$1/input"; ps -o sid= -p $$ > "$1/session"; echo $$ > "$1/pid.new"; mv "$1/pid.new" "$1/pid"; exec sleep 300"#;
    let input = vec![b'x'; 1 << 20];
    spawn_detached("/bin/sh", &["-c", script, "sh", folder.path().to_str().unwrap()], &input).unwrap();
    wait_for(&at("pid"));
    let pid = pid_in(&at("pid"));
    let lives = is_alive(pid);
    rustix::process::kill_process(
        rustix::process::Pid::from_raw(pid.cast_signed()).unwrap(),
        rustix::process::Signal::KILL,
    )
    .unwrap();
    assert!(lives);
    assert_eq!(std::fs::read(at("input")).unwrap(), input);
    if relay_exec::find_program("setsid").is_some() {
        assert_eq!(pid_in(&at("session")), pid, "it leads a session of its own");
    }
    // The dead are waited for, so nothing of it is left.
    while Path::new(&format!("/proc/{pid}")).exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

#[test]
fn a_missing_program_is_an_error() {
    let error = spawn_detached("no-such-program-anywhere", &[], b"").unwrap_err();
    assert!(matches!(error, DetachError::NotStarted { .. }), "{error}");
}
