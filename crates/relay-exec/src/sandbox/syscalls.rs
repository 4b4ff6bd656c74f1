//! The system calls that a confined program may not make, as seccomp filters.
//!
//! Landlock knows files; this knows everything else by which a program could act through another process: characters
//! pushed into a terminal, sockets of local services, other processes' memory, new mounts and namespaces, keyrings. A
//! filter sees numbers only, never the text that a pointer leads to, so a rule says "no socket of this family" and not "not
//! this path". What is refused is refused to everything the program starts, for good.
//!
//! Arguments are compared by their lower 32 bits wherever the kernel reads no more than that: a rule on all 64 could be
//! avoided by setting a bit that the kernel ignores.

use std::collections::BTreeMap;

use linux_raw_sys::errno::{ENOSYS, EOPNOTSUPP, EPERM};
use linux_raw_sys::general as nr;
use linux_raw_sys::ioctl::{FS_IOC_FSSETXATTR, FS_IOC_SETFLAGS, TIOCCONS, TIOCLINUX, TIOCSTI};
use linux_raw_sys::net::{AF_INET, AF_INET6, AF_NETLINK, SOCK_DGRAM, SOCK_RAW};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, sock_filter,
};

/// Never needed by a program that answers a question, and each a way out.
const REFUSED: &[u32] = &[
    // Other processes: their memory, their descriptors.
    nr::__NR_ptrace,
    nr::__NR_process_vm_readv,
    nr::__NR_process_vm_writev,
    nr::__NR_process_madvise,
    nr::__NR_pidfd_getfd,
    nr::__NR_kcmp,
    // Mounts and namespaces; new namespaces by `clone` and `unshare` have rules of their own.
    nr::__NR_mount,
    nr::__NR_umount2,
    nr::__NR_pivot_root,
    nr::__NR_chroot,
    nr::__NR_move_mount,
    nr::__NR_open_tree,
    nr::__NR_open_tree_attr,
    nr::__NR_fsopen,
    nr::__NR_fsconfig,
    nr::__NR_fsmount,
    nr::__NR_fspick,
    nr::__NR_mount_setattr,
    nr::__NR_setns,
    // A file by its handle is opened without its path.
    nr::__NR_open_by_handle_at,
    nr::__NR_fanotify_init,
    // Keyrings are shared by all processes of a user.
    nr::__NR_add_key,
    nr::__NR_keyctl,
    nr::__NR_request_key,
    // So are shared memory, semaphores and queues that are found by a key or a name.
    nr::__NR_shmget,
    nr::__NR_shmat,
    nr::__NR_shmctl,
    nr::__NR_semget,
    nr::__NR_semop,
    nr::__NR_semtimedop,
    nr::__NR_semctl,
    nr::__NR_msgget,
    nr::__NR_msgsnd,
    nr::__NR_msgrcv,
    nr::__NR_msgctl,
    nr::__NR_mq_open,
    nr::__NR_mq_unlink,
    // The kernel itself: what root could load, and what has been its weakest side.
    nr::__NR_bpf,
    nr::__NR_perf_event_open,
    nr::__NR_userfaultfd,
    nr::__NR_kexec_load,
    nr::__NR_kexec_file_load,
    nr::__NR_init_module,
    nr::__NR_finit_module,
    nr::__NR_delete_module,
    nr::__NR_reboot,
    nr::__NR_swapon,
    nr::__NR_swapoff,
    nr::__NR_sethostname,
    nr::__NR_setdomainname,
    nr::__NR_settimeofday,
    nr::__NR_clock_settime,
    nr::__NR_clock_adjtime,
    nr::__NR_adjtimex,
    nr::__NR_acct,
    nr::__NR_quotactl,
    nr::__NR_quotactl_fd,
    nr::__NR_syslog,
    nr::__NR_vhangup,
    // The flags of a file (`chattr`), which need no right to write to it.
    nr::__NR_file_setattr,
    #[cfg(target_arch = "x86_64")]
    nr::__NR_iopl,
    #[cfg(target_arch = "x86_64")]
    nr::__NR_ioperm,
];

/// Programs ask for these first and go on without them when the kernel does not have them. Of `clone3` and `io_uring`
/// a filter cannot see what they are asked to do; the C library then uses `clone`, and its flags can be seen.
const ABSENT: &[u32] =
    &[nr::__NR_clone3, nr::__NR_io_uring_setup, nr::__NR_io_uring_enter, nr::__NR_io_uring_register];

/// Attributes with names, and in them access lists: copying programs go on when a file system has none.
const ATTRIBUTES: &[u32] = &[
    nr::__NR_setxattr,
    nr::__NR_lsetxattr,
    nr::__NR_fsetxattr,
    nr::__NR_setxattrat,
    nr::__NR_removexattr,
    nr::__NR_lremovexattr,
    nr::__NR_fremovexattr,
    nr::__NR_removexattrat,
];

/// Requests on a descriptor that type into a terminal or take it over, or change a file's flags.
const REQUESTS: [u32; 5] = [TIOCSTI, TIOCLINUX, TIOCCONS, FS_IOC_SETFLAGS, FS_IOC_FSSETXATTR];

/// The flags that make a namespace.
const NAMESPACES: [u32; 7] = [
    nr::CLONE_NEWUSER,
    nr::CLONE_NEWNS,
    nr::CLONE_NEWPID,
    nr::CLONE_NEWNET,
    nr::CLONE_NEWIPC,
    nr::CLONE_NEWUTS,
    nr::CLONE_NEWCGROUP,
];

/// Where the number of a call begins that belongs to the 32-bit way of calling a 64-bit kernel (x32).
#[cfg(target_arch = "x86_64")]
const X32: u32 = 0x4000_0000;

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Whether this system takes filters at all. A thread that ends at once tries it: a filter holds for its thread only.
pub(super) fn is_supported() -> bool {
    let allow_all = || seccompiler::apply_filter(&[statement(RETURN, 0, 0, ALLOW)]).is_ok();
    programs(false).is_ok() && std::thread::spawn(allow_all).join().unwrap_or(false)
}

/// Gives up all of these calls. It also gives up gaining rights from programs that belong to another user.
pub(super) fn give_up(network: bool) -> Result<(), String> {
    for program in programs(network)? {
        seccompiler::apply_filter(&program).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// The filters, the last of which is asked first; the strictest answer counts.
fn programs(network: bool) -> Result<Vec<BpfProgram>, String> {
    let whole = |numbers: &[u32]| numbers.iter().map(|number| (i64::from(*number), Vec::new())).collect();
    let mut refused: Rules = whole(REFUSED);
    refused.extend(conditional(network).map_err(|error| error.to_string())?);
    let mut programs = Vec::new();
    for (rules, error) in [(refused, EPERM), (whole(ATTRIBUTES), EOPNOTSUPP), (whole(ABSENT), ENOSYS)] {
        programs.push(compile(rules, error)?);
    }
    #[cfg(target_arch = "x86_64")]
    programs.push(other_numbers());
    Ok(programs)
}

/// What is refused for some arguments only.
fn conditional(network: bool) -> Result<Rules, seccompiler::BackendError> {
    use SeccompCmpOp::{Eq, MaskedEq, Ne};
    let is = |index, operator, value: u32| {
        SeccompCondition::new(index, SeccompCmpArgLen::Dword, operator, u64::from(value))
    };
    let any = |conditions: Vec<Result<SeccompCondition, seccompiler::BackendError>>| {
        conditions
            .into_iter()
            .map(|condition| SeccompRule::new(vec![condition?]))
            .collect::<Result<Vec<_>, _>>()
    };
    let namespaces = || any(NAMESPACES.iter().map(|flag| is(0, MaskedEq(u64::from(*flag)), *flag)).collect());
    let mut unshared = namespaces()?;
    unshared.extend(any(vec![is(0, MaskedEq(u64::from(nr::CLONE_NEWTIME)), nr::CLONE_NEWTIME)])?);
    let mut families = vec![
        // The internet, and asking the kernel about addresses. Local sockets are how one reaches other programs of the
        // user: terminal multiplexers, the desktop, key agents, containers.
        SeccompRule::new(vec![is(0, Ne, AF_INET)?, is(0, Ne, AF_INET6)?, is(0, Ne, AF_NETLINK)?])?,
        SeccompRule::new(vec![is(0, Eq, AF_NETLINK)?, is(2, Ne, 0)?])?,
    ];
    if !network {
        families.extend(any(vec![is(0, Eq, AF_INET), is(0, Eq, AF_INET6)])?);
    }
    // Pairs are for a program and what it starts. One of datagrams could be sent anywhere, so there are none.
    let pairs = any([SOCK_DGRAM, SOCK_RAW].iter().map(|kind| is(1, MaskedEq(0xf), *kind)).collect())?;
    let others_limits = vec![SeccompRule::new(vec![
        is(0, Ne, 0)?,
        SeccompCondition::new(2, SeccompCmpArgLen::Qword, Ne, 0)?,
    ])?];
    Ok([
        (nr::__NR_ioctl, any(REQUESTS.iter().map(|request| is(1, Eq, *request)).collect())?),
        (nr::__NR_clone, namespaces()?),
        (nr::__NR_unshare, unshared),
        (nr::__NR_socket, families),
        (nr::__NR_socketpair, pairs),
        (nr::__NR_prlimit64, others_limits),
        // Signals to all processes at once.
        (nr::__NR_kill, any(vec![is(0, Eq, u32::MAX)])?),
    ]
    .into_iter()
    .map(|(number, rules)| (i64::from(number), rules))
    .collect())
}

/// A filter that answers these calls with an error. Calls of another architecture end the program.
fn compile(rules: Rules, error: u32) -> Result<BpfProgram, String> {
    let architecture = TargetArch::try_from(std::env::consts::ARCH).map_err(|error| error.to_string())?;
    SeccompFilter::new(rules, SeccompAction::Allow, SeccompAction::Errno(error), architecture)
        .and_then(BpfProgram::try_from)
        .map_err(|error| error.to_string())
}

/// Refuses every call that is numbered in the other way, which rules by number would not see.
#[cfg(target_arch = "x86_64")]
fn other_numbers() -> BpfProgram {
    vec![
        statement(LOAD, 0, 0, 0),
        statement(JUMP_IF_AT_LEAST, 0, 1, X32),
        statement(RETURN, 0, 0, REFUSE | ENOSYS),
        statement(RETURN, 0, 0, ALLOW),
    ]
}

/// Loads a word of what the filter is shown; the call's number is the first.
#[cfg(target_arch = "x86_64")]
const LOAD: u16 = 0x20;
#[cfg(target_arch = "x86_64")]
const JUMP_IF_AT_LEAST: u16 = 0x35;
const RETURN: u16 = 0x06;
const ALLOW: u32 = 0x7fff_0000;
#[cfg(target_arch = "x86_64")]
const REFUSE: u32 = 0x0005_0000;

const fn statement(code: u16, if_true: u8, if_false: u8, value: u32) -> sock_filter {
    sock_filter { code, jt: if_true, jf: if_false, k: value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_compiles_on_this_machine() {
        let programs = programs(true).unwrap();
        assert!(programs.iter().all(|program| !program.is_empty() && program.len() < 4096));
    }

    /// A call that is refused and named absent would get whichever answer comes first.
    #[test]
    fn every_call_has_one_answer() {
        let mut all: Vec<u32> = [REFUSED, ABSENT, ATTRIBUTES].concat();
        all.extend(conditional(true).unwrap().keys().map(|number| u32::try_from(*number).unwrap()));
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
