//! Asking whether a process lives.

use std::path::Path;

/// The process number that a command wrote into a file.
pub fn pid_in(file: &Path) -> u32 {
    std::fs::read_to_string(file).unwrap().trim().parse().unwrap()
}

/// Whether the process runs. The dead that nobody has waited for yet do not count.
pub fn is_alive(pid: u32) -> bool {
    let stat =
        std::process::Command::new("ps").args(["-o", "stat=", "-p", &pid.to_string()]).output().unwrap();
    let state = String::from_utf8_lossy(&stat.stdout).trim().to_owned();
    !state.is_empty() && !state.starts_with('Z')
}
