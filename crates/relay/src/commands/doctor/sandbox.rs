//! What confines commands and backends to their sandbox, and which parts this machine cannot enforce.

use relay_exec::sandbox::{Bubblewrap, Enforcement};

use super::{Finding, State};

const NAME: &str = "sandbox";

/// What is missing without bubblewrap.
const UNMOUNTED: &str = "Without it `chmod`, `chown` and file times outside are not prevented, other processes are \
                         visible, and there are no terminals and no /dev/shm inside.";

/// One finding for each part of the sandbox.
pub(super) fn findings(found: &Enforcement) -> Vec<Finding> {
    if found.profile {
        let what = "files and network: enforced (the system's own sandbox)";
        return vec![Finding::new(State::Good, NAME, what), limits(found.groups)];
    }
    let (domains, protected) = (domains(&found.view), protected(&found.view));
    vec![files(found.files), calls(found.calls), view(&found.view), domains, limits(found.groups), protected]
}

/// Whether commands cannot write to files that other tools execute or obey, or whether Relay only restores those
/// afterwards.
fn protected(bubblewrap: &Bubblewrap) -> Finding {
    if *bubblewrap == Bubblewrap::Works {
        return Finding::new(
            State::Good,
            NAME,
            "git's hooks and config, Relay's own files: read-only for commands",
        );
    }
    let what = "git's hooks and config, Relay's own files: restored after each command that changed them";
    Finding::new(State::Note, NAME, what)
        .todo("While a command runs, it can change them. Bubblewrap prevents that.")
}

/// Whether connections can be limited to some domains.
fn domains(bubblewrap: &Bubblewrap) -> Finding {
    match bubblewrap {
        Bubblewrap::Works => Finding::new(State::Good, NAME, "network: off, on, or allowed domains only"),
        _ => Finding::new(State::Note, NAME, "network: off or on; not limited to allowed domains")
            .todo("`sandbox.network = allowlist` needs bubblewrap; commands then have no network unless you grant it."),
    }
}

/// Whether a command and everything it starts can be limited together.
fn limits(groups: bool) -> Finding {
    if groups {
        return Finding::new(State::Good, NAME, "memory and processes: limited together (control groups)");
    }
    Finding::new(State::Note, NAME, "memory: limited for each process; processes: limited for your user")
        .todo("Control groups are not available here. A command can exceed the memory limit by using several processes.")
}

fn files(version: u32) -> Finding {
    let finding = |state, what: &str| Finding::new(state, NAME, format!("files: {what}"));
    match version {
        0 => finding(State::Note, "not enforced (no Landlock)").todo(
            "An agent asked read-only could write, and what changes is reported; workspace-write is refused. \
             Linux 6.2 or newer with Landlock enforces both.",
        ),
        1 | 2 => finding(State::Note, "enforced in part (old Landlock): truncating files is not prevented")
            .todo("workspace-write is refused. Linux 6.2 or newer enforces it."),
        3..6 => {
            finding(State::Note, "enforced (Landlock), but signals to your other programs are not prevented")
                .todo("Linux 6.12 or newer prevents them, and so does bubblewrap.")
        }
        _ => finding(
            State::Good,
            "enforced (Landlock): no writing elsewhere, no signals to your other programs",
        ),
    }
}

fn calls(are_filtered: bool) -> Finding {
    let finding = |state, what: &str| Finding::new(state, NAME, format!("system calls: {what}"));
    if are_filtered {
        return finding(
            State::Good,
            "filtered (seccomp): no local sockets, terminals, other processes, mounts",
        );
    }
    finding(State::Note, "not filtered (no seccomp): an agent could reach tmux, D-Bus, ssh-agent and Docker")
        .todo("With Landlock but without seccomp, agents run with --sandbox danger-full-access only.")
}

fn view(bubblewrap: &Bubblewrap) -> Finding {
    match bubblewrap {
        Bubblewrap::Works => {
            let what = "bubblewrap: works (read-only mounts, own devices and processes, hidden sockets)";
            Finding::new(State::Good, NAME, what)
        }
        Bubblewrap::Refused { reason } => Finding::new(
            State::Note,
            NAME,
            format!("bubblewrap: installed, but does not work here ({reason})"),
        )
        .todo(format!("{UNMOUNTED} Some systems disable user namespaces; see docs/security.md.")),
        Bubblewrap::NotInstalled => Finding::new(State::Note, NAME, "bubblewrap: not installed")
            .todo(format!("{UNMOUNTED} Install it (Debian: bubblewrap).")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The states of files, system calls and bubblewrap on a machine.
    fn check(files: u32, calls: bool, view: Bubblewrap, expected: [&str; 3]) {
        let groups = view == Bubblewrap::Works;
        let said = findings(&Enforcement { files, calls, view, groups, profile: false });
        assert_eq!(said.len(), 6);
        for finding in &said {
            assert_eq!(finding.state == State::Good, finding.todo.is_none(), "{}", finding.what);
        }
        for (finding, expected) in said.iter().zip(expected) {
            assert!(finding.what.contains(expected), "{} / {expected}", finding.what);
            let is_good = finding.state == State::Good;
            assert_eq!(is_good, finding.todo.is_none(), "{}", finding.what);
        }
    }

    #[test]
    fn missing_enforcement_is_reported() {
        check(0, false, Bubblewrap::NotInstalled, ["not enforced", "not filtered", "not installed"]);
        check(2, true, Bubblewrap::NotInstalled, ["in part", "filtered (seccomp)", "not installed"]);
        let refused = Bubblewrap::Refused { reason: "no permission".to_owned() };
        check(5, true, refused, ["not prevented", "filtered (seccomp)", "(no permission)"]);
        check(6, true, Bubblewrap::Works, ["no signals", "filtered (seccomp)", "works"]);
    }
}
