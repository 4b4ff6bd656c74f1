//! What a confined program may do.

use std::path::PathBuf;

/// What a confined program may do. Nothing, unless said otherwise: it reads, and that is all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// Where it may write. What does not exist is passed over: nothing can be written there.
    pub writable: Vec<PathBuf>,
    /// What it may not write to although it is below a writable place. Only mounts can say that, so without bubblewrap
    /// whoever sets these rules has to watch them.
    pub protected: Vec<PathBuf>,
    /// Which connections it may make.
    pub network: Network,
    /// How much it may use.
    pub limits: Limits,
    /// Leaves out variables that hold secrets.
    pub scrub: bool,
    /// Its input is a terminal of its own, which becomes the terminal of its session.
    pub terminal: bool,
    /// Nothing is given up: the user let it run with all their rights. The guard and the limits still hold.
    pub is_open: bool,
}

/// Which connections a program may make.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Network {
    /// None.
    #[default]
    Off,
    /// All that the machine can make.
    On,
    /// Those that the proxy at this socket makes for it. Needs bubblewrap: only in a network of its own is there no way
    /// around the proxy.
    Gate(PathBuf),
}

/// How much a program and all it starts may use. `None` is as much as there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Memory. All of it together where control groups can be made; else each process for itself.
    pub memory_bytes: Option<u64>,
    /// Processes and threads at one time.
    pub processes: Option<u64>,
}

/// Processes and threads that no honest build needs at one time.
const USUAL_PROCESSES: u64 = 4_096;

impl Limits {
    /// What a command of a model may use: most of the machine's memory, and more processes than a large build.
    #[must_use]
    pub fn usual() -> Self {
        Self { memory_bytes: machine_memory().map(|bytes| bytes / 10 * 8), processes: Some(USUAL_PROCESSES) }
    }
}

/// How much memory the machine has, where the system says so.
fn machine_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1 << 10)
}
