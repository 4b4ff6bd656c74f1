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
         Subsystem sftp internal-sftp\nStrictModes no\nUsePAM no\nPasswordAuthentication no\nPermitRootLogin yes\n"
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

/// The files of a host are mounted where it asks for that, can be read and not written, and are gone with the session.
#[test]
#[allow(clippy::print_stdout, reason = "says what is not tested")]
fn the_files_of_a_host_are_mounted_and_unmounted() {
    let has =
        |program: &str| Command::new("which").arg(program).output().is_ok_and(|run| run.status.success());
    if !has("sshfs") || !std::path::Path::new("/dev/fuse").exists() {
        println!("NOT TESTED: sshfs or /dev/fuse is missing");
        return;
    }
    let lab = lab();
    let Some((_sshd, port)) = sshd(&lab.env) else { return };
    let hosts: Value = serde_json::from_str(&lab.hosts(port)).unwrap();
    let mut hosts = hosts;
    hosts["hosts"]["box"]["mount"] = true.into();
    std::fs::write(lab.env.home_path(".config/relay/ssh.json"), hosts.to_string()).unwrap();
    let secret = lab.env.home_path("on-the-host.txt");
    std::fs::write(&secret, "it is there\n").unwrap();
    let remote = lab.env.home_path(".local/state/relay/remote");
    // The name of the folder is known once there is one.
    lab.call(&json!({ "host": "box", "command": "echo first" }));
    let (code, said) = lab.run(&["look"]);
    assert_eq!(code, 0, "{said}");
    let place = std::fs::read_dir(&remote).unwrap().next().unwrap().unwrap().path();
    assert!(said.contains(&format!("its files: {}", place.display())), "{said}");
    lab.call(&json!({ "host": "box", "command": "echo again" }));
    let inside = format!("{}{}", place.display(), secret.display());
    let write = json!({ "path": inside, "content": "no\n" }).to_string();
    lab.server.queue(Reply::text("").tool("c2", "read", &json!({ "path": inside }).to_string()));
    lab.server.queue(Reply::text("").tool("c3", "write", &write));
    let (_, said) = lab.run(&["look"]);
    assert!(said.contains("it is there"), "{said}");
    assert_eq!(std::fs::read_to_string(&secret).unwrap(), "it is there\n");
    let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap();
    assert!(!mounts.contains(&*place.to_string_lossy()), "{mounts}");
    assert!(std::fs::read_dir(&place).unwrap().next().is_none(), "what is left is an empty folder");
}

/// A host that is not there, or a mount that cannot be made, does not make a command fail.
#[test]
fn a_mount_that_fails_is_left_out() {
    let lab = lab();
    let Some((_sshd, port)) = sshd(&lab.env) else { return };
    let mut hosts: Value = serde_json::from_str(&lab.hosts(port)).unwrap();
    hosts["hosts"]["box"]["mount"] = true.into();
    std::fs::write(lab.env.home_path(".config/relay/ssh.json"), hosts.to_string()).unwrap();
    let programs = lab.env.home_path("bin");
    std::fs::create_dir_all(&programs).unwrap();
    std::fs::write(programs.join("sshfs"), "#!/bin/sh\necho broken >&2\nexit 1\n").unwrap();
    Command::new("chmod").arg("+x").arg(programs.join("sshfs")).status().unwrap();
    lab.call(&json!({ "host": "box", "command": "echo it works" }));
    lab.server.queue(Reply::text("Done."));
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    let run =
        lab.env.relay(&["run", "--model", "lab/m", "--policy", "full", "look"]).env("PATH", &path).run();
    assert_eq!(run.code, 0, "{}", run.stderr);
    let said = lab.server.requests().pop().unwrap().body.to_string();
    assert!(said.contains("it works") && !said.contains("broken"), "{said}");
}

#[test]
fn hosts_are_added_and_removed_by_command_in_both_scopes() {
    let lab = crate::lab::Lab::new();
    let mut client = lab.rpc(&[]);
    let own = lab.env.home_path(".config/relay/ssh.json");
    let added = client
        .get("add_ssh_host", json!({ "name": "ci", "host": "ci.example", "username": "me", "port": 2222 }));
    assert_eq!(added["file"], "ssh.json");
    let text: Value = serde_json::from_str(&std::fs::read_to_string(&own).unwrap()).unwrap();
    assert_eq!(text, json!({ "hosts": { "ci": { "host": "ci.example", "username": "me", "port": 2222 } } }));
    let project = json!({ "name": "box", "host": "box.example", "scope": "project" });
    assert_eq!(client.get("add_ssh_host", project)["file"], ".relay/ssh.json");
    let hosts = client.get("get_ssh_hosts", json!({}))["hosts"].clone();
    assert_eq!(hosts.as_array().map(Vec::len), Some(2), "{hosts}");
    assert!(hosts.as_array().unwrap().iter().all(|host| host["isTrusted"] == true), "{hosts}");
    for (fields, words) in [
        (json!({ "name": "x", "host": "-oProxyCommand=touch /tmp/x" }), "not allowed"),
        (json!({ "name": "x", "host": "h", "scope": "world" }), "unknown scope"),
        (json!({ "name": "x" }), "no \"host\""),
    ] {
        let refused = client.ask("add_ssh_host", fields);
        assert!(refused["error"].as_str().unwrap().contains(words), "{refused}");
    }
    let unknown = client.ask("remove_ssh_host", json!({ "name": "nope" }));
    assert!(unknown["error"].as_str().unwrap().contains("there are: ci"), "{unknown}");
    let elsewhere = client.ask("remove_ssh_host", json!({ "name": "box", "scope": "user" }));
    assert!(elsewhere["error"].as_str().unwrap().contains("there are: ci"), "{elsewhere}");
    // Without a scope, the first file that has it.
    assert_eq!(client.get("remove_ssh_host", json!({ "name": "box" }))["file"], ".relay/ssh.json");
    assert_eq!(lab.env.read(".relay/ssh.json"), "{\n  \"hosts\": {}\n}\n");
    // What was written to the project is on the ledger.
    assert_eq!(client.get("ledger_list", json!({ "path": ".relay/ssh.json" }))["total"], 2);
    client.get("remove_ssh_host", json!({ "name": "ci", "scope": "user" }));
    assert_eq!(client.get("get_ssh_hosts", json!({}))["hosts"], json!([]));
}
