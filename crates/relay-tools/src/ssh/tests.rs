//! `ssh` without a host to reach: what is refused before anything connects.

use super::*;
use crate::testing::Lab;

/// Files in a temporary folder, and what is known of two hosts.
struct Files(PathBuf);

impl SshFiles for Files {
    fn folder(&self) -> Result<PathBuf, String> {
        Ok(self.0.clone())
    }

    fn mount_point(&self, _: &str) -> Option<PathBuf> {
        None
    }

    fn known_hosts(&self) -> PathBuf {
        self.0.join("known_hosts")
    }

    fn load(&self, host: &str) -> Option<String> {
        match host {
            "old" => Some(r#"{"version": 1, "os": "linux", "shell": "sh"}"#.to_owned()),
            "box" => Some(r#"{"version": 2, "os": "linux", "shell": "zsh"}"#.to_owned()),
            _ => None,
        }
    }

    fn save(&self, _: &str, _: &str) {}
}

fn tool(lab: &Lab, hosts: &str) -> Ssh {
    let setup = Setup {
        sources: vec![("ssh.json".to_owned(), format!(r#"{{"hosts": {hosts}}}"#))],
        files: Box::new(Files(lab.folder.path().to_owned())),
    };
    Ssh::find(setup, &lab.services).0.unwrap()
}

#[test]
fn the_description_lists_the_hosts() {
    let lab = Lab::new();
    let hosts = r#"{"box": {"host": "b.example", "user": "me", "description": "CI"}, "old": {"host": "o"}}"#;
    let tool = tool(&lab, hosts);
    let text = &tool.spec.description;
    assert!(
        text.ends_with("Available hosts:\n- box (me@b.example, linux, zsh): CI\n- old (o, detecting...)"),
        "{text}"
    );
    assert_eq!(
        tool.spec.parameters["properties"].as_object().unwrap().keys().collect::<Vec<_>>(),
        ["host", "command", "cwd", "timeout"]
    );
}

#[test]
fn what_is_refused_before_it_connects() {
    let lab = Lab::new();
    lab.write("key", "secret");
    let key = lab.root().join("key");
    let key = key.to_str().unwrap();
    let hosts = format!(
        r#"{{"a": {{"host": "h"}}, "open": {{"host": "h", "key": "{key}"}}, "gone": {{"host": "h", "keyPath": "/nope/key"}},
            "folder": {{"host": "h", "key": "/"}}}}"#
    );
    let tool = tool(&lab, &hosts);
    let error = |host: &str| lab.error(&tool, json!({ "host": host, "command": "ls" }));
    assert_eq!(error("b.example"), "Unknown SSH host: b.example. Available hosts: a, open, gone, folder");
    assert_eq!(error("gone"), "SSH key not found: /nope/key");
    assert_eq!(error("folder"), "SSH key is not a file: /");
    assert_eq!(error("open"), format!("SSH key permissions must be 600 or stricter: {key}"));
}

#[test]
fn policy_sees_the_host_and_the_command() {
    let lab = Lab::new();
    let tool = tool(&lab, r#"{"a": {"host": "h.example", "user": "me"}}"#);
    let arguments = json!({ "host": "a", "command": "rm -rf 'x y'" });
    let needs = tool.access(arguments.as_object().unwrap());
    let command = "ssh 'a' 'rm -rf '\\''x y'\\'''".to_owned();
    let connects = Access::Connects { reach: Reach::Network, to: "me@h.example".to_owned() };
    assert_eq!(needs, [connects, Access::Runs { command, cwd: None }]);
}
