//! Programs that change the machine rather than the workspace.

use super::super::tree::Word;
use super::Cause;
use super::judge::Opinion;

const PROCESSES: [&str; 4] = ["killall", "pkill", "skill", "xkill"];
const HALTING: [&str; 5] = ["halt", "poweroff", "reboot", "shutdown", "init"];
const ADMINISTRATION: [&str; 41] = [
    "addgroup",
    "adduser",
    "at",
    "batch",
    "chroot",
    "chattr",
    "chsh",
    "crontab",
    "dpkg",
    "fusermount",
    "groupadd",
    "insmod",
    "ip",
    "iptables",
    "launchctl",
    "ldconfig",
    "losetup",
    "modprobe",
    "mount",
    "newgrp",
    "nft",
    "nsenter",
    "passwd",
    "rmmod",
    "rpm",
    "runuser",
    "screen",
    "service",
    "su",
    "swapoff",
    "swapon",
    "sysctl",
    "systemctl",
    "systemd-run",
    "tmux",
    "ufw",
    "umount",
    "unshare",
    "useradd",
    "userdel",
    "visudo",
];

pub(super) fn judge(name: &str, arguments: &[Word]) -> Option<Opinion> {
    let has = |text: &str| arguments.iter().any(|word| word.literal() == Some(text));
    if HALTING.contains(&name) {
        return Some(Opinion::destroys("everything that runs", format!("`{name}` stops this machine")));
    }
    if name == "crontab" && has("-r")
        || name == "userdel"
        || name == "dpkg" && (has("-r") || has("-P") || has("--purge"))
    {
        return Some(Opinion::destroys("what is installed on this machine", format!("`{name}` removes it")));
    }
    if name == "crontab" && has("-l") || name == "systemctl" && (has("status") || has("list-units")) {
        return Some(Opinion::reads("shows what runs on this machine"));
    }
    if PROCESSES.contains(&name) {
        return Some(Opinion::unknown(Cause::Options, "ends other processes"));
    }
    ADMINISTRATION.contains(&name).then(|| {
        Opinion::unknown(Cause::Privilege, format!("`{name}` changes this machine rather than the workspace"))
    })
}
