//! Asking whether a process lives.

use std::path::Path;

/// The process number that a command wrote into a file.
pub fn pid_in(file: &Path) -> u32 {
    std::fs::read_to_string(file).unwrap().trim().parse().unwrap()
}

/// Whether the process runs. Zombies do not count.
#[cfg(target_os = "linux")]
pub fn is_alive(pid: u32) -> bool {
    // Nothing is started to find out: it would give those that are just ending the time to do so.
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"));
    stat.is_ok_and(|stat| stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.starts_with(" Z")))
}

/// Whether the process runs. Zombies do not count.
#[cfg(not(target_os = "linux"))]
pub fn is_alive(pid: u32) -> bool {
    let stat =
        std::process::Command::new("ps").args(["-o", "stat=", "-p", &pid.to_string()]).output().unwrap();
    let state = String::from_utf8_lossy(&stat.stdout).trim().to_owned();
    !state.is_empty() && !state.starts_with('Z')
}
