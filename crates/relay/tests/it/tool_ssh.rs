//! `ssh` against a real sshd on the loopback address, with keys and config of its own.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use testkit::TestEnv;
use testkit::model::{ModelServer, Reply};

use crate::{PLAIN, project};

const SSHD: &str = "/usr/sbin/sshd";

struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// An sshd for this user alone; none where it is not installed.
#[allow(clippy::print_stdout, reason = "says what is not tested")]
fn sshd(env: &TestEnv) -> Option<(Server, u16)> {
    if !std::path::Path::new(SSHD).exists() {
        assert!(std::env::var_os("CI").is_none(), "sshd is missing; install openssh-server");
        println!("NOT TESTED: sshd is not installed");
        return None;
    }
    // Where Relay's tests run as root, sshd wants this folder.
    std::fs::create_dir_all("/run/sshd").ok();
    let folder = env.home_path("sshd");
    std::fs::create_dir_all(&folder).unwrap();
    for name in ["host", "user"] {
        let made = Command::new("ssh-keygen")
            .args(["-q", "-t", "ed25519", "-N", "", "-f"])
            .arg(folder.join(name))
            .status()
            .unwrap();
        assert!(made.success());
    }
    std::fs::copy(folder.join("user.pub"), folder.join("authorized")).unwrap();
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let place = folder.display();
    let config = format!(
        "Port {port}\nListenAddress 127.0.0.1\nHostKey {place}/host\nAuthorizedKeysFile {place}/authorized\nPidFile none\n\
         StrictModes no\nUsePAM no\nPasswordAuthentication no\nPermitRootLogin yes\n"
    );
    std::fs::write(folder.join("config"), config).unwrap();
    let log = std::fs::File::create(folder.join("log")).unwrap();
    let child = Command::new(SSHD)
        .args(["-D", "-e", "-f"])
        .arg(folder.join("config"))
        .stdin(Stdio::null())
        .stderr(log)
        .spawn()
        .unwrap();
    let until = Instant::now() + Duration::from_secs(20);
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
        let said = std::fs::read_to_string(folder.join("log")).unwrap();
        assert!(Instant::now() < until, "sshd does not answer: {said}");
        std::thread::sleep(Duration::from_millis(20));
    }
    Some((Server(child), port))
}

struct Lab {
    env: TestEnv,
    server: ModelServer,
}

fn lab() -> Lab {
    let (env, server) = (project(PLAIN), ModelServer::start());
    let place = env.home_path(".config/relay");
    std::fs::create_dir_all(&place).unwrap();
    let models = format!(
        "[providers.lab]\nwire = \"openai-chat\"\nbase_url = \"{}/v1\"\nauth = \"none\"\n",
        server.url()
    );
    std::fs::write(place.join("models.toml"), models).unwrap();
    server.needs_no_key();
    Lab { env, server }
}

impl Lab {
    fn hosts(&self, port: u16) -> String {
        let key = self.env.home_path("sshd/user");
        let user = String::from_utf8(Command::new("id").arg("-un").output().unwrap().stdout).unwrap();
        json!({ "hosts": { "box": {
            "host": "127.0.0.1", "port": port, "username": user.trim(), "key": key.to_str().unwrap(),
        } } })
        .to_string()
    }

    fn call(&self, arguments: &Value) {
        self.server.queue(Reply::text("").tool("call_1", "ssh", &arguments.to_string()));
    }

    fn run(&self, arguments: &[&str]) -> (i32, String) {
        self.server.queue(Reply::text("Done."));
        let all = [&["run", "--model", "lab/m", "--policy", "full"], arguments].concat();
        let run = self.env.relay(&all).run();
        let last = self.server.requests().pop().map(|request| request.body.to_string()).unwrap_or_default();
        (run.code, format!("{last}\n{}", run.stderr))
    }
}

#[test]
fn commands_run_on_a_host() {
    let lab = lab();
    let Some((_sshd, port)) = sshd(&lab.env) else { return };
    std::fs::write(lab.env.home_path(".config/relay/ssh.json"), lab.hosts(port)).unwrap();
    lab.call(&json!({ "host": "box", "command": "echo out; echo err >&2; pwd", "cwd": "/usr/bin" }));
    lab.call(&json!({ "host": "box", "command": "echo gone; exit 7" }));
    lab.call(&json!({ "host": "box", "command": "sleep 30", "timeout": 1 }));
    lab.call(&json!({ "host": "nope", "command": "ls" }));
    let (code, said) = lab.run(&["look"]);
    assert_eq!(code, 0, "{said}");
    // ssh carries output and errors apart, so only the order within each is certain.
    for part in ["out\\n", "err\\n", "/usr/bin\\n"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(said.contains("gone") && said.contains("Command exited with code 7"), "{said}");
    assert!(said.contains("[SSH: Command timed out after 1 seconds]"), "{said}");
    assert!(said.contains("Unknown SSH host: nope. Available hosts: box"), "{said}");
    // The connection was Relay's, and is gone with it.
    let left = Command::new("pgrep").args(["-f", &format!("ssh.*-p {port} ")]).output().unwrap();
    assert!(left.stdout.is_empty(), "{}", String::from_utf8_lossy(&left.stdout));
}

#[test]
fn a_projects_hosts_wait_for_trust_in_their_exact_text() {
    let lab = lab();
    lab.env.write("ssh.json", r#"{"hosts": {"box": {"host": "127.0.0.1", "port": 1}}}"#);
    let tools = |lab: &Lab| {
        let body = lab.server.requests().pop().unwrap().body;
        body["tools"].to_string().contains("\"ssh\"")
    };
    let (_, said) = lab.run(&["hello"]);
    assert!(said.contains("ssh.json is not used until you trust it"), "{said}");
    assert!(!tools(&lab));
    lab.env.relay(&["trust", "--yes"]).success();
    lab.run(&["hello"]);
    assert!(tools(&lab));
    lab.env.write("ssh.json", r#"{"hosts": {"box": {"host": "evil.example"}}}"#);
    lab.run(&["hello"]);
    assert!(!tools(&lab));
}
