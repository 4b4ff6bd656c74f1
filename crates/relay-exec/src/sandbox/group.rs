//! A control group for a program and all it starts: the only way to limit them together.
//!
//! It is made where this process may make one: as root, or below a service manager that leaves a part of the tree to the
//! user. Where it cannot be made, each process has limits of its own (see [`super::limits`]), and `relay doctor` says so.

#![allow(clippy::disallowed_methods, reason = "control groups are made by writing to the kernel's own files")]

use std::fs;
use std::path::{Path, PathBuf};

use super::Limits;

const ROOT: &str = "/sys/fs/cgroup";
/// The file by which a process joins.
const MEMBERS: &str = "cgroup.procs";

/// Groups that go when this is dropped, once they are empty.
#[derive(Debug)]
pub(super) struct Group {
    folders: Vec<PathBuf>,
}

impl Group {
    /// Makes one with these limits; `None` where that is not possible.
    pub(super) fn make(limits: Limits) -> Option<Self> {
        if limits == Limits::default() {
            return None;
        }
        let own = fs::read_to_string("/proc/self/cgroup").ok()?;
        let name = format!("relay-{}", std::process::id());
        let unified = own.lines().find_map(|line| line.strip_prefix("0::"));
        let group = unified.and_then(|place| Self::unified(place, &name, limits));
        group.or_else(|| Self::separate(&own, &name, limits))
    }

    /// One tree for everything, beside the group this process is in: a group with processes has no groups with limits
    /// below it.
    fn unified(place: &str, name: &str, limits: Limits) -> Option<Self> {
        let parent = Path::new(ROOT).join(place.trim_start_matches('/')).parent()?.to_owned();
        let folder = parent.join(name);
        let group = Self::made(vec![folder.clone()])?;
        let set = |file: &str, value: Option<u64>| {
            value.is_none_or(|value| fs::write(folder.join(file), value.to_string()).is_ok())
        };
        (set("pids.max", limits.processes) && set("memory.max", limits.memory_bytes)).then_some(group)
    }

    /// A tree for each kind of limit.
    fn separate(own: &str, name: &str, limits: Limits) -> Option<Self> {
        let place = |kind: &str| {
            let line = own.lines().find(|line| line.split(':').nth(1) == Some(kind))?;
            let place = line.splitn(3, ':').nth(2)?;
            Some(Path::new(ROOT).join(kind).join(place.trim_start_matches('/')).join(name))
        };
        let wanted = [
            ("pids", "pids.max", limits.processes),
            ("memory", "memory.limit_in_bytes", limits.memory_bytes),
        ];
        let mut folders = Vec::new();
        let mut values = Vec::new();
        for (kind, file, value) in wanted {
            let Some(value) = value else { continue };
            let folder = place(kind)?;
            values.push((folder.join(file), value));
            folders.push(folder);
        }
        let group = Self::made(folders)?;
        values.iter().all(|(file, value)| fs::write(file, value.to_string()).is_ok()).then_some(group)
    }

    fn made(folders: Vec<PathBuf>) -> Option<Self> {
        let mut group = Self { folders: Vec::new() };
        for folder in folders {
            fs::create_dir(&folder).ok()?;
            group.folders.push(folder);
        }
        Some(group)
    }

    /// Its folders as one argument.
    pub(super) fn argument(&self) -> PathBuf {
        std::env::join_paths(&self.folders).unwrap_or_default().into()
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        for folder in &self.folders {
            // Those that were killed take a moment to leave it. A group that stays is empty and costs nothing.
            for _ in 0..20 {
                if fs::remove_dir(folder).is_ok() {
                    break;
                }
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
        }
    }
}

/// Puts this process into groups. A process that cannot join one runs with limits of its own instead.
pub(super) fn join(folders: &Path) -> bool {
    let pid = std::process::id().to_string();
    std::env::split_paths(folders).all(|folder| fs::write(folder.join(MEMBERS), &pid).is_ok())
}

/// Whether groups can be made here.
pub(super) fn can_be_made() -> bool {
    Group::make(Limits { memory_bytes: Some(1 << 30), processes: Some(64) }).is_some()
}
