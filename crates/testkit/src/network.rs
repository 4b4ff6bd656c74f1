//! Watches whether a program tries to reach the network: it runs in a network namespace without any network, under a
//! tracer that records every attempt. Name lookups are attempts too; the namespace's only name server records the names
//! and answers that they do not exist.
//!
//! If this user may not make network namespaces, the tracer alone has to do; without mount namespaces there is no name
//! server.

use std::process::Stdio;
use std::sync::LazyLock;

use crate::env::TestEnv;
use crate::run::Run;

/// A run, and the servers it tried to reach.
#[derive(Debug)]
pub struct Traced {
    /// What it did.
    pub run: Run,
    /// The system calls that named an address of a network, as the tracer shows them.
    pub attempts: Vec<String>,
    /// The names that were looked up; `None` where there could be no name server to note them.
    pub names: Option<Vec<String>>,
}

/// What this user may make.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Cage {
    Nothing,
    Network,
    /// A network with a name server, which takes a mount.
    NameServer,
}

static CAGE: LazyLock<Cage> = LazyLock::new(|| {
    let can = |words: &[&str]| {
        let mut unshare = std::process::Command::new("unshare");
        unshare.args(words).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        unshare.status().is_ok_and(|status| status.success())
    };
    let folder = tempfile::tempdir().unwrap();
    let (names, conf) = (folder.path().join("names"), folder.path().join("resolv.conf"));
    let server = ["perl", "-e", DNS_SINK, names.to_str().unwrap(), conf.to_str().unwrap(), "true"];
    if can(&[&NAMESPACES[..], &server].concat()) {
        Cage::NameServer
    } else if can(&[&NAMESPACE[..], &["true"]].concat()) {
        Cage::Network
    } else {
        Cage::Nothing
    }
});

/// Runs a program with a name server of its own. Perl, because every Debian has it and this must run inside.
const DNS_SINK: &str = include_str!("network/dns_sink.pl");

const NAMESPACE: [&str; 3] = ["--map-root-user", "--net", "--"];

const NAMESPACES: [&str; 4] = ["--map-root-user", "--net", "--mount", "--"];

/// The calls that send something to an address or connect to one.
const CALLS: &str = "trace=connect,sendto,sendmsg,sendmmsg";

impl TestEnv {
    /// Runs the binary without any network and records which servers it tries to reach.
    #[must_use]
    pub fn traced(&self, arguments: &[&str], variables: &[(&str, &str)], stdin: &str) -> Traced {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        let (log, names, conf) = (file("log"), file("names"), file("resolv.conf"));
        let mut words: Vec<&str> = Vec::new();
        match *CAGE {
            Cage::NameServer => {
                words.push("unshare");
                words.extend(NAMESPACES);
                words.extend(["perl", "-e", DNS_SINK, &names, &conf]);
            }
            Cage::Network => {
                words.push("unshare");
                words.extend(NAMESPACE);
            }
            Cage::Nothing => {}
        }
        words.extend(["strace", "-f", "-qq", "--seccomp-bpf", "-e", CALLS, "-o", &log]);
        let binary = self.binary();
        words.push(binary.to_str().unwrap());
        words.extend(arguments);
        let mut command = self.program(&words);
        for (name, value) in variables {
            command = command.env(name, value);
        }
        let run = command.stdin(stdin).run();
        let lines = |path: &str| -> Vec<String> {
            let text = std::fs::read(path).unwrap_or_default();
            String::from_utf8_lossy(&text).lines().map(str::to_owned).collect()
        };
        let attempts = lines(&log).into_iter().filter(|line| line.contains("AF_INET")).collect();
        let names = (*CAGE == Cage::NameServer).then(|| lines(&names));
        Traced { run, attempts, names }
    }
}
