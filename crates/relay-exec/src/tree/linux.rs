//! The process tree as `/proc` shows it.
//!
//! A process belongs to a command if it is in its process group, descends from it, carries its mark in the environment,
//! or is an orphan that can have come from no other command. Orphans are Relay's own children (see [`crate::children`]),
//! so that only Relay's descendants have to be looked at. Once found, a process is remembered by number and start time,
//! so that neither an orphan is forgotten nor a stranger with a reused number hit.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read as _;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};

use crate::leftover::{is_of, own_runs};
use crate::{RUN_VARIABLE, children};

/// More than a process can have been given as its environment.
const ENVIRONMENT_LIMIT_BYTES: u64 = 8 << 20;

/// How much of a process's command line is shown.
const LINE_LIMIT_BYTES: u64 = 100;

/// How long a process that is just becoming another program is waited for at most, so that no process can hold Relay up.
const BECOMING_LIMIT: Duration = Duration::from_millis(200);

/// A process, for good: numbers are reused, start times are not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Identity {
    pid: i32,
    started: u64,
}

/// What `/proc/PID/stat` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Process {
    identity: Identity,
    parent: i32,
    group: i32,
    is_dead: bool,
    /// It has left its old program, and has not got the environment of the new one yet.
    is_becoming: bool,
}

/// A command and everything it started.
pub(crate) struct Tree {
    leader: i32,
    /// The command's mark, as it is in the environment of its descendants, or what all marks of several begin with.
    mark: String,
    /// Whether this process itself started it, so that all of it is below this process.
    is_of_own: bool,
    known: BTreeSet<Identity>,
}

impl Tree {
    pub(crate) fn new(leader: Pid, mark: String) -> Self {
        let leader = leader.as_raw_nonzero().get();
        Self { leader, mark, is_of_own: true, known: BTreeSet::new() }
    }

    /// Everything that carries a mark of these runs, whoever led them.
    pub(crate) fn of_runs(runs: String) -> Self {
        // No process gets this number: the system's own limit is far below.
        Self { leader: i32::MAX, mark: runs, is_of_own: false, known: BTreeSet::new() }
    }

    /// Sends a signal to every living process of the tree; whether there was any.
    pub(crate) fn signal_all(&mut self, signal: Signal) -> bool {
        let found = self.members();
        self.signal(&found, signal)
    }

    pub(crate) fn is_alive(&mut self) -> bool {
        !self.members().is_empty()
    }

    /// Every living process, as a person would recognise it.
    pub(crate) fn names(&mut self) -> Vec<String> {
        self.members().iter().map(|process| name(process.identity.pid)).collect()
    }

    /// The living members. All that are found are remembered, the dead ones too: their children are still to be found.
    fn members(&mut self) -> Vec<Process> {
        let mut all = processes();
        if self.is_of_own {
            let ours = with_descendants(&all, BTreeSet::from([own_pid()]));
            all.retain(|process| ours.contains(&process.identity.pid));
            reap_orphans(&all);
        }
        let patience = Instant::now() + BECOMING_LIMIT;
        let owned = all.iter().filter(|process| self.owns(process, patience));
        let mut members = with_descendants(&all, owned.map(|process| process.identity.pid).collect());
        members.remove(&own_pid());
        let mut found: Vec<Process> =
            all.into_iter().filter(|process| members.contains(&process.identity.pid)).collect();
        self.known.extend(found.iter().map(|process| process.identity));
        found.retain(|process| !process.is_dead);
        found
    }

    /// Whether a process belongs here by what it shows itself, its parents apart.
    fn owns(&self, process: &Process, patience: Instant) -> bool {
        process.group == self.leader
            || process.identity.pid == self.leader
            || self.known.contains(&process.identity)
            || (!process.is_dead && self.comes_from_here(process, patience))
    }

    /// Whether a process carries the mark, or is an orphan that carries none and can have come from nowhere else. One whose
    /// environment may not be read carries none.
    fn comes_from_here(&self, process: &Process, patience: Instant) -> bool {
        let environment = settled_environment(process.identity.pid, patience).unwrap_or_default();
        let marks = marks(&environment);
        if marks.iter().any(|mark| is_of(mark, &self.mark)) {
            return true;
        }
        self.is_of_own
            && is_orphan(process)
            && !marks.iter().any(|mark| is_of(mark, own_runs()))
            && children::is_last_for(self.leader, process.identity.started)
    }

    /// Every process gets the signal once, the group in one call, so that its members cannot fork in between.
    /// Processes that have ended since do not matter, so failures are ignored.
    fn signal(&self, found: &[Process], signal: Signal) -> bool {
        let outside = || {
            let others = found.iter().filter(|process| process.group != self.leader);
            others.filter_map(|process| Pid::from_raw(process.identity.pid))
        };
        let group = Pid::from_raw(self.leader).filter(|_| outside().count() < found.len());
        // Stopped processes act on a signal only when they go on; the killed have nothing left to act on.
        let signals = [Some(signal), (signal != Signal::KILL).then_some(Signal::CONT)];
        for signal in signals.into_iter().flatten() {
            if let Some(group) = group {
                rustix::process::kill_process_group(group, signal).ok();
            }
            for pid in outside() {
                rustix::process::kill_process(pid, signal).ok();
            }
        }
        !found.is_empty()
    }
}

/// Kills everything below this process, again and again until nothing is left. For a process that orphans are handed to,
/// that is everything its children ever started.
pub(crate) fn kill_below() {
    let until = Instant::now() + super::KILL_LIMIT;
    let mut empty_looks = 0;
    while empty_looks < super::EMPTY_LOOKS && Instant::now() < until {
        let all = processes();
        let mut below = with_descendants(&all, BTreeSet::from([own_pid()]));
        below.remove(&own_pid());
        let is_dead = |pid: &i32| all.iter().any(|process| process.identity.pid == *pid && process.is_dead);
        let living: Vec<i32> = below.iter().copied().filter(|pid| !is_dead(pid)).collect();
        empty_looks = if living.is_empty() { empty_looks + 1 } else { 0 };
        for pid in living.into_iter().filter_map(Pid::from_raw) {
            rustix::process::kill_process(pid, Signal::KILL).ok();
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Whether a process is there and has not ended.
pub(crate) fn is_living(pid: i32) -> bool {
    process(pid).is_some_and(|process| !process.is_dead)
}

/// How many processes this user has.
pub(crate) fn count_of_user() -> u64 {
    use std::os::unix::fs::MetadataExt as _;
    let user = rustix::process::getuid().as_raw();
    let Ok(listing) = std::fs::read_dir("/proc") else { return 0 };
    let is_ours = |entry: &std::fs::DirEntry| {
        entry.file_name().to_str().is_some_and(|name| name.bytes().all(|byte| byte.is_ascii_digit()))
            && entry.metadata().is_ok_and(|about| about.uid() == user)
    };
    listing.filter_map(Result::ok).filter(is_ours).count() as u64
}

/// The marks in an environment.
fn marks(environment: &[u8]) -> Vec<&str> {
    let of_runs = |variable| {
        let value = <[u8]>::strip_prefix(variable, RUN_VARIABLE.as_bytes())?.strip_prefix(b"=")?;
        str::from_utf8(value).ok()
    };
    environment.split(|byte| *byte == 0).filter_map(of_runs).flat_map(|marks| marks.split(':')).collect()
}

/// These processes and everything below them. Parents may be listed after their children, so this goes on until nothing
/// new is found.
fn with_descendants(all: &[Process], mut found: BTreeSet<i32>) -> BTreeSet<i32> {
    loop {
        let before = found.len();
        let children: Vec<i32> = all
            .iter()
            .filter(|process| found.contains(&process.parent))
            .map(|process| process.identity.pid)
            .collect();
        found.extend(children);
        if found.len() == before {
            return found;
        }
    }
}

/// Whether a child of this process was handed to it. What shares its process group was started by this process itself,
/// in a way that is not known to [`crate::children`], and is left alone.
fn is_orphan(process: &Process) -> bool {
    process.parent == own_pid()
        && process.group != rustix::process::getpgrp().as_raw_nonzero().get()
        && !children::is_known(process.identity.pid)
}

/// Frees the numbers of orphans that have ended: no one else waits for them.
fn reap_orphans(all: &[Process]) {
    for process in all.iter().filter(|process| process.is_dead && is_orphan(process)) {
        // One that another program has waited for meanwhile is gone as well.
        rustix::process::waitpid(Pid::from_raw(process.identity.pid), rustix::process::WaitOptions::NOHANG)
            .ok();
    }
}

/// When a process began, in the system's own count.
pub(crate) fn started(pid: i32) -> Option<u64> {
    process(pid).map(|process| process.identity.started)
}

/// A process as a person would recognise it: its command line, shortened, and its number.
pub(crate) fn name(pid: i32) -> String {
    let mut line = Vec::new();
    // One that has just ended has no line any more.
    File::open(format!("/proc/{pid}/cmdline"))
        .and_then(|file| file.take(LINE_LIMIT_BYTES).read_to_end(&mut line))
        .ok();
    let words: Vec<_> = line.split(|byte| *byte == 0).filter(|word| !word.is_empty()).collect();
    let text = String::from_utf8_lossy(&words.join(&b' ')).into_owned();
    if text.is_empty() { format!("process {pid}") } else { format!("`{text}` (process {pid})") }
}

/// The environment of a process; `None` where it may not be read. For a moment of becoming another program a process
/// shows none, whatever it has, and on a busy machine moments are long.
fn settled_environment(pid: i32, patience: Instant) -> Option<Vec<u8>> {
    loop {
        let mut environment = Vec::new();
        let file = File::open(format!("/proc/{pid}/environ")).ok()?;
        file.take(ENVIRONMENT_LIMIT_BYTES).read_to_end(&mut environment).ok()?;
        let is_settled = !environment.is_empty() || !process(pid).is_some_and(|found| found.is_becoming);
        if is_settled || Instant::now() >= patience {
            return Some(environment);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn own_pid() -> i32 {
    rustix::process::getpid().as_raw_nonzero().get()
}

/// All processes there are. Those that end while being looked at are left out; without `/proc` there are none to see.
fn processes() -> Vec<Process> {
    let Ok(listing) = std::fs::read_dir("/proc") else { return Vec::new() };
    listing
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok())
        .filter_map(process)
        .collect()
}

/// One process, unless it has ended.
fn process(pid: i32) -> Option<Process> {
    parse(pid, &std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// Reads the line of `/proc/PID/stat`. The program's name is in parentheses and may hold anything, so the fields
/// are counted from the last one.
fn parse(pid: i32, stat: &str) -> Option<Process> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_ascii_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    let group = fields.next()?.parse().ok()?;
    // The start time is the 22nd field; state, the third, was the first here.
    let started = fields.nth(16)?.parse().ok()?;
    // Then its memory, of which the system's own threads have none, and as the 51st where its environment ends.
    let memory = fields.next();
    let environment_end = fields.nth(27);
    Some(Process {
        identity: Identity { pid, started },
        parent,
        group,
        is_dead: matches!(state, "Z" | "X" | "x"),
        is_becoming: memory != Some("0") && environment_end == Some("0"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stat_line_is_read_whatever_the_program_is_called() {
        let line = "42 (a) S (b) R 7 40 40 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 987654 1000 2 3";
        let process = Process {
            identity: Identity { pid: 42, started: 987_654 },
            parent: 7,
            group: 40,
            is_dead: false,
            is_becoming: false,
        };
        assert_eq!(parse(42, line), Some(process));
        assert_eq!(parse(42, &line.replace(" R ", " Z ")), Some(Process { is_dead: true, ..process }));
        assert_eq!(parse(42, "42 (cut off) S 1"), None);
    }

    /// As the kernel shows a process between its old program and its new one.
    #[test]
    fn a_process_that_becomes_another_program_is_distinguished_from_one_without_environment() {
        let line = |memory: &str, environment_end: &str| {
            let stat = "42 (sh) R 7 40 40 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 987654";
            let rest = "5 18446744073709551615 1 2 3 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0 1 2 3 4 5 6";
            format!("{stat} {memory} {rest} {environment_end} 0")
        };
        let is_becoming = |memory, end| parse(42, &line(memory, end)).unwrap().is_becoming;
        assert!(is_becoming("8192", "0"));
        assert!(!is_becoming("8192", "140733193388032") && !is_becoming("0", "0"));
        let own = process(own_pid()).unwrap();
        assert!(!own.is_becoming && settled_environment(own_pid(), Instant::now()).is_some());
    }

    #[test]
    fn we_see_ourselves_and_our_parent() {
        let all = processes();
        let me = all.iter().find(|process| process.identity.pid == own_pid()).unwrap();
        assert_eq!(me.parent, rustix::process::getppid().unwrap().as_raw_nonzero().get());
        assert_eq!(me.group, rustix::process::getpgrp().as_raw_nonzero().get());
    }
}
