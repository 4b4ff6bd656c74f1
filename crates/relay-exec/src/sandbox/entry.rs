//! What the hidden command is called with: rules as arguments, and back.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use super::{COMMAND, Limits, Network, Rules};

/// What the hidden command is called with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry<'a> {
    /// What the program may do.
    pub rules: Rules,
    /// The process with which everything ends. This one then stays, as the guard of what it starts.
    pub guards_for: Option<u32>,
    /// Whether bubblewrap may still be used; not inside it.
    pub may_mount: bool,
    /// Whether it already has a session of its own.
    pub has_session: bool,
    /// The group of processes with limits that it joins.
    pub group: Option<PathBuf>,
    pub program: &'a OsString,
    pub args: &'a [OsString],
}

const WRITE: &str = "--write";
const PROTECT: &str = "--protect";
const GATE: &str = "--gate";
const MEMORY: &str = "--memory";
const PROCESSES: &str = "--processes";
const GUARD: &str = "--guard";
const GROUP: &str = "--group";
const NO_MOUNTS: &str = "--no-mounts";
const NO_NETWORK: &str = "--no-network";
const OPEN: &str = "--open";
const SCRUB: &str = "--scrub";
const TERMINAL: &str = "--terminal";
const IN_SESSION: &str = "--in-session";

impl<'a> Entry<'a> {
    pub(super) fn new(rules: Rules, program: &'a OsString, args: &'a [OsString]) -> Self {
        Self { rules, guards_for: None, may_mount: true, has_session: false, group: None, program, args }
    }

    pub(super) fn arguments(&self) -> Vec<OsString> {
        let mut arguments = vec![OsString::from(COMMAND)];
        let mut with = |flag: &str, value: &OsStr| arguments.extend([OsString::from(flag), value.into()]);
        for place in &self.rules.writable {
            with(WRITE, place.as_os_str());
        }
        for place in &self.rules.protected {
            with(PROTECT, place.as_os_str());
        }
        if let Network::Gate(socket) = &self.rules.network {
            with(GATE, socket.as_os_str());
        }
        let number = |value: u64| OsString::from(value.to_string());
        for (flag, value) in [
            (MEMORY, self.rules.limits.memory_bytes),
            (PROCESSES, self.rules.limits.processes),
            (GUARD, self.guards_for.map(u64::from)),
        ] {
            if let Some(value) = value {
                with(flag, &number(value));
            }
        }
        if let Some(group) = &self.group {
            with(GROUP, group.as_os_str());
        }
        let switches = [
            (NO_MOUNTS, !self.may_mount),
            (NO_NETWORK, self.rules.network == Network::Off),
            (OPEN, self.rules.is_open),
            (SCRUB, self.rules.scrub),
            (TERMINAL, self.rules.terminal),
            (IN_SESSION, self.has_session),
        ];
        arguments.extend(switches.iter().filter(|(_, is_on)| *is_on).map(|(flag, _)| OsString::from(flag)));
        arguments.push("--".into());
        arguments.push(self.program.into());
        arguments.extend_from_slice(self.args);
        arguments
    }

    pub(super) fn parse(arguments: &'a [OsString]) -> Option<Self> {
        let mut rules = Rules { network: Network::On, ..Rules::default() };
        let (mut may_mount, mut has_session, mut guards_for, mut group) = (true, false, None, None);
        let mut rest = arguments;
        loop {
            let (flag, more) = rest.split_first()?;
            rest = more;
            match flag.to_str()? {
                "--" => {
                    let (program, args) = rest.split_first()?;
                    return Some(Self { rules, guards_for, may_mount, has_session, group, program, args });
                }
                NO_MOUNTS => may_mount = false,
                NO_NETWORK => rules.network = Network::Off,
                OPEN => rules.is_open = true,
                SCRUB => rules.scrub = true,
                TERMINAL => rules.terminal = true,
                IN_SESSION => has_session = true,
                flag => {
                    let (value, more) = rest.split_first()?;
                    rest = more;
                    let number = || value.to_str()?.parse::<u64>().ok();
                    match flag {
                        WRITE => rules.writable.push(value.into()),
                        PROTECT => rules.protected.push(value.into()),
                        GATE => rules.network = Network::Gate(value.into()),
                        GROUP => group = Some(value.into()),
                        MEMORY => rules.limits = Limits { memory_bytes: Some(number()?), ..rules.limits },
                        PROCESSES => rules.limits = Limits { processes: Some(number()?), ..rules.limits },
                        GUARD => guards_for = Some(u32::try_from(number()?).ok()?),
                        _ => return None,
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_are_read_as_they_were_written() {
        let args = ["-c".into(), "--".into(), "--write".into()];
        let program = &"sh".into();
        let plain = Entry::new(Rules { network: Network::On, ..Rules::default() }, program, &args);
        let rules = Rules {
            writable: vec![PathBuf::from("/a b"), PathBuf::from("--write")],
            protected: vec![PathBuf::from("/a b/.git/hooks")],
            network: Network::Gate("/run/gate".into()),
            limits: Limits { memory_bytes: Some(1 << 30), processes: Some(9) },
            scrub: true,
            terminal: true,
            is_open: true,
        };
        let full = Entry {
            guards_for: Some(7),
            may_mount: false,
            has_session: true,
            group: Some("/cg".into()),
            ..Entry::new(rules, program, &args)
        };
        let off = Entry::new(Rules::default(), program, &args);
        for entry in [plain, full, off] {
            let arguments = entry.arguments();
            let (command, rest) = arguments.split_first().unwrap();
            assert_eq!(command, COMMAND);
            assert_eq!(Entry::parse(rest), Some(entry));
        }
    }

    #[test]
    fn other_arguments_run_nothing() {
        let wrong = [
            vec![],
            vec!["--"],
            vec!["sh"],
            vec!["--write"],
            vec!["--write", "/", "sh"],
            vec!["--guard", "x", "--", "sh"],
            vec!["--unknown", "--", "sh"],
        ];
        for arguments in wrong {
            let arguments: Vec<OsString> = arguments.into_iter().map(OsString::from).collect();
            assert!(Entry::parse(&arguments).is_none(), "{arguments:?}");
        }
    }
}
