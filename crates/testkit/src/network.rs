//! Watching whether a program tries to reach anybody: it runs in a network namespace without any network, under a tracer
//! that writes down every attempt. What it asked the name service is an attempt too, whoever would have answered.

use std::process::Stdio;
use std::sync::LazyLock;

use crate::env::TestEnv;
use crate::run::Run;

/// A run, and whom it tried to reach.
#[derive(Debug)]
pub struct Traced {
    /// What it did.
    pub run: Run,
    /// The system calls that named an address of a network, as the tracer shows them.
    pub attempts: Vec<String>,
}

/// Whether this user may make a network namespace. Where not, the tracer alone has to do.
static HAS_NAMESPACES: LazyLock<bool> = LazyLock::new(|| {
    let tried =
        std::process::Command::new("unshare").args(NAMESPACE).arg("true").stderr(Stdio::null()).status();
    tried.is_ok_and(|status| status.success())
});

const NAMESPACE: [&str; 3] = ["--map-root-user", "--net", "--"];

/// The calls that send something to an address or connect to one.
const CALLS: &str = "trace=connect,sendto,sendmsg,sendmmsg";

impl TestEnv {
    /// Runs the binary without any network and notes whom it tries to reach.
    #[must_use]
    pub fn traced(&self, arguments: &[&str], variables: &[(&str, &str)], stdin: &str) -> Traced {
        let log = tempfile::NamedTempFile::new().unwrap();
        let mut words: Vec<&str> = Vec::new();
        if *HAS_NAMESPACES {
            words.push("unshare");
            words.extend(NAMESPACE);
        }
        words.extend([
            "strace",
            "-f",
            "-qq",
            "--seccomp-bpf",
            "-e",
            CALLS,
            "-o",
            log.path().to_str().unwrap(),
        ]);
        let binary = self.binary();
        words.push(binary.to_str().unwrap());
        words.extend(arguments);
        let mut command = self.program(&words);
        for (name, value) in variables {
            command = command.env(name, value);
        }
        let run = command.stdin(stdin).run();
        let text = String::from_utf8_lossy(&std::fs::read(log.path()).unwrap()).into_owned();
        let is_network = |line: &&str| line.contains("AF_INET");
        Traced { run, attempts: text.lines().filter(is_network).map(str::to_owned).collect() }
    }
}
