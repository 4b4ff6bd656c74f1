//! The process tree as `/proc` shows it.
//!
//! A process belongs to a command if it is in its process group, descends from it, or carries its mark in the
//! environment. The last finds those that changed their session *and* lost their parents. Once found, a process is
//! remembered by number and start time, so that neither an orphan is forgotten nor a stranger with a reused number hit.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read as _;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};

use crate::RUN_VARIABLE;
use crate::leftover::is_of;

/// More than a process can have been given as its environment.
const ENVIRONMENT_LIMIT_BYTES: u64 = 8 << 20;

/// How long a process that is just becoming another program is waited for at most, so that nobody can hold us up.
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
    /// The command's mark, as it stands in the environment of its descendants, or what all marks of several begin with.
    mark: String,
    known: BTreeSet<Identity>,
}

impl Tree {
    pub(crate) fn new(leader: Pid, mark: String) -> Self {
        Self { leader: leader.as_raw_nonzero().get(), mark, known: BTreeSet::new() }
    }

    /// Everything that carries a mark of these runs, whoever led them.
    pub(crate) fn of_runs(runs: String) -> Self {
        // No process gets this number: the system's own limit is far below.
        Self { leader: i32::MAX, mark: runs, known: BTreeSet::new() }
    }

    /// Sends a signal to every living process of the tree; whether there was any.
    pub(crate) fn signal_all(&mut self, signal: Signal) -> bool {
        let found = self.members();
        self.signal(&found, signal)
    }

    /// Sends a signal to every living process of the group; whether there was any.
    pub(crate) fn signal_group(&mut self, signal: Signal) -> bool {
        let found = self.group();
        self.signal(&found, signal)
    }

    pub(crate) fn is_alive(&mut self) -> bool {
        !self.members().is_empty()
    }

    pub(crate) fn is_group_alive(&mut self) -> bool {
        !self.group().is_empty()
    }

    fn group(&self) -> Vec<Process> {
        processes().into_iter().filter(|process| process.group == self.leader && !process.is_dead).collect()
    }

    /// The living members. All that are found are remembered, the dead ones too: their children are still to be found.
    fn members(&mut self) -> Vec<Process> {
        let all = processes();
        let patience = Instant::now() + BECOMING_LIMIT;
        let owned = all.iter().filter(|process| self.owns(process, patience));
        let mut members: BTreeSet<i32> = owned.map(|process| process.identity.pid).collect();
        // Parents may be listed after their children, so this goes on until nothing new is found.
        loop {
            let is_child = |process: &&Process| members.contains(&process.parent);
            let children: Vec<i32> =
                all.iter().filter(is_child).map(|process| process.identity.pid).collect();
            let before = members.len();
            members.extend(children);
            if members.len() == before {
                break;
            }
        }
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
            || (!process.is_dead && self.is_marked(process.identity.pid, patience))
    }

    /// Everybody gets the signal once, the group in one call, so that its members cannot fork in between. Whoever has
    /// ended since the look is none of our concern, so failures are not.
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

    /// Whether the process carries the mark. One whose environment may not be read belongs to somebody else.
    fn is_marked(&self, pid: i32, patience: Instant) -> bool {
        settled_environment(pid, patience).is_some_and(|environment| {
            environment.split(|byte| *byte == 0).any(|variable| {
                variable
                    .strip_prefix(RUN_VARIABLE.as_bytes())
                    .and_then(|rest| rest.strip_prefix(b"="))
                    .is_some_and(|marks| {
                        let mut marks =
                            marks.split(|byte| *byte == b':').filter_map(|mark| str::from_utf8(mark).ok());
                        marks.any(|mark| is_of(mark, &self.mark))
                    })
            })
        })
    }
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

/// Reads the line of `/proc/PID/stat`. The program's name stands in parentheses and may hold anything, so the fields
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
    fn a_process_that_becomes_another_program_is_told_from_one_without_environment() {
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
