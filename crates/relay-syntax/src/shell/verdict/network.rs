//! Programs that talk to other machines, and the ones of clouds and containers that also delete things there.

use super::super::tree::Word;
use super::Cause;
use super::judge::Opinion;

/// Programs whose purpose is a connection.
const PROGRAMS: [&str; 52] = [
    "aria2c",
    "apt",
    "apt-get",
    "aptitude",
    "apk",
    "axel",
    "az",
    "brew",
    "curl",
    "dig",
    "dnf",
    "firefox",
    "ftp",
    "gcloud",
    "gh",
    "glab",
    "heroku",
    "host",
    "http",
    "https",
    "httpie",
    "lftp",
    "links",
    "lynx",
    "mosh",
    "mtr",
    "nc",
    "ncat",
    "netcat",
    "nmap",
    "nslookup",
    "openssl",
    "pacman",
    "ping",
    "ping6",
    "port",
    "scp",
    "sftp",
    "snap",
    "socat",
    "ssh",
    "ssh-copy-id",
    "telnet",
    "tftp",
    "traceroute",
    "vercel",
    "w3m",
    "wget",
    "whois",
    "yum",
    "zypper",
    "ngrok",
];
/// Programs that manage what runs elsewhere.
const REMOTE: [&str; 18] = [
    "ansible",
    "ansible-playbook",
    "aws",
    "consul",
    "doctl",
    "docker",
    "docker-compose",
    "fly",
    "flyctl",
    "gsutil",
    "helm",
    "kubectl",
    "nomad",
    "podman",
    "pulumi",
    "terraform",
    "tofu",
    "vault",
];
/// Words with which they delete.
const DELETING: [&str; 17] = [
    "delete",
    "destroy",
    "drain",
    "down",
    "kill",
    "prune",
    "purge",
    "rb",
    "remove",
    "rm",
    "rmi",
    "taint",
    "terminate",
    "terminate-instances",
    "uninstall",
    "delete-stack",
    "delete-bucket",
];
/// Words with which they only look.
const LOOKING: [&str; 14] = [
    "ps", "images", "logs", "inspect", "version", "info", "get", "describe", "validate", "fmt", "show",
    "output", "top", "config",
];

pub(super) fn judge(name: &str, arguments: &[Word]) -> Option<Opinion> {
    if name == "gh" && arguments.iter().any(|word| word.text == "delete") {
        return Some(Opinion::destroys("something on GitHub", "`gh … delete` deletes it"));
    }
    if PROGRAMS.contains(&name) {
        return Some(Opinion::network(format!("`{name}` talks to other machines")));
    }
    if !REMOTE.contains(&name) {
        return None;
    }
    let words: Vec<&str> =
        arguments.iter().filter_map(Word::literal).filter(|text| !text.starts_with('-')).collect();
    // The command is among the first words; later ones are names of things.
    let early = || words.iter().take(4);
    if early()
        .any(|word| DELETING.contains(word) || word.starts_with("delete-") || word.starts_with("terminate-"))
    {
        return Some(Opinion::destroys(
            "containers, services or stored data",
            format!("`{name}` deletes them"),
        ));
    }
    let looks = words.first().is_some_and(|word| LOOKING.contains(word));
    if looks && matches!(name, "docker" | "podman" | "terraform" | "tofu") {
        return Some(Opinion::network(format!("`{name}` asks a service what it runs")));
    }
    Some(Opinion::unknown(Cause::Program, format!("`{name}` changes what runs outside the workspace")))
}
