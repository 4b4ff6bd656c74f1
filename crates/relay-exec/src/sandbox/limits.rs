//! Limits that a process sets for itself and all it starts, where no control group can be made.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::Limits;

/// Sets them. One that the system refuses is left out: a limit is protection against accidents, not a border.
pub(super) fn set(limits: Limits, has_group: bool) {
    // A memory image of a program may hold secrets, and lands wherever the kernel puts it.
    lower(Resource::Core, 0);
    if has_group {
        return;
    }
    if let Some(bytes) = limits.memory_bytes {
        lower(Resource::Data, bytes);
    }
    if let Some(processes) = limits.processes {
        // The kernel counts all processes of the user, so those that are there already come on top.
        lower(Resource::Nproc, processes.saturating_add(crate::tree::count_of_user()));
    }
}

/// Lowers a limit, never raises it.
fn lower(resource: Resource, value: u64) {
    let now = getrlimit(resource);
    let value = now.maximum.map_or(value, |maximum| maximum.min(value));
    setrlimit(resource, Rlimit { current: Some(value), maximum: Some(value) }).ok();
}
