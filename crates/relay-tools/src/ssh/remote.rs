//! What is on the other side, and how a command is written for its shell.

use serde::{Deserialize, Serialize};

/// The version of what is remembered about a host; anything older is found out again.
pub const VERSION: u32 = 2;

/// What a host runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostInfo {
    pub version: u32,
    /// `linux`, `macos`, `windows`, or `unknown`.
    pub os: String,
    /// `sh`, `bash`, `zsh`, `powershell`, `cmd`, ….
    pub shell: String,
    /// The POSIX shell that a Windows host has besides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compat_shell: Option<String>,
}

/// Asks a host what it is, in words that every shell understands.
pub const PROBE: &str = "echo relay-os=$(uname -s 2>/dev/null) relay-shell=$SHELL win=%OS% ps=$PSHOME";
/// Asks a Windows host for a POSIX shell.
pub const PROBE_COMPAT: &str = "bash -c \"echo relay-compat=bash\"";

impl HostInfo {
    /// Reads what `PROBE` printed, and what `PROBE_COMPAT` did.
    pub fn read(probe: &str, compat: &str) -> Self {
        let after = |text: &str, mark: &str| {
            let rest = text.split_once(mark)?.1;
            let word: String = rest.chars().take_while(|c| !c.is_whitespace()).collect();
            (!word.is_empty()).then_some(word)
        };
        let uname = after(probe, "relay-os=").unwrap_or_default();
        let os = match uname.as_str() {
            "Linux" => "linux",
            "Darwin" => "macos",
            _ if probe.contains("win=Windows_NT") || probe.contains("ps=C:") => "windows",
            "" => "unknown",
            other
                if other.starts_with("MINGW") || other.starts_with("MSYS") || other.starts_with("CYGWIN") =>
            {
                "windows"
            }
            _ => "unix",
        };
        let shell = match (os, after(probe, "relay-shell=")) {
            ("windows", _) if probe.contains("ps=C:") => "powershell".to_owned(),
            ("windows", _) if probe.contains("win=Windows_NT") => "cmd".to_owned(),
            (_, Some(shell)) => shell.rsplit('/').next().unwrap_or("sh").to_owned(),
            _ => "sh".to_owned(),
        };
        let compat_shell = (os == "windows").then(|| after(compat, "relay-compat=")).flatten();
        Self { version: VERSION, os: os.to_owned(), shell, compat_shell }
    }

    /// The command for this host: in its folder, through a POSIX shell where one is wanted.
    pub fn command(&self, command: &str, cwd: Option<&str>, compat: Option<bool>) -> String {
        let compat = self.compat_shell.as_deref().filter(|_| compat != Some(false));
        if self.os != "windows" || compat.is_some() {
            let command = match cwd {
                Some(cwd) => format!("cd -- {} && {command}", posix(cwd)),
                None => command.to_owned(),
            };
            return match compat {
                Some(shell) => format!("{shell} -c {}", posix(&command)),
                None => command,
            };
        }
        match (cwd, self.shell.as_str()) {
            (None, _) => command.to_owned(),
            (Some(cwd), "powershell") => {
                format!("Set-Location -Path '{}'; {command}", cwd.replace('\'', "''"))
            }
            // cmd has no way to quote a quote in a path, and no path has one.
            (Some(cwd), _) => format!("cd /d \"{}\" && {command}", cwd.replace('"', "")),
        }
    }
}

/// A word as a POSIX shell takes it literally.
pub fn posix(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(os: &str, shell: &str, compat: Option<&str>) -> HostInfo {
        HostInfo {
            version: VERSION,
            os: os.into(),
            shell: shell.into(),
            compat_shell: compat.map(str::to_owned),
        }
    }

    #[test]
    fn the_folder_is_written_for_the_shell() {
        let cwd = Some("it's here");
        for (info, compat, expected) in [
            (info("linux", "bash", None), None, "cd -- 'it'\\''s here' && ls"),
            (info("unknown", "sh", None), None, "cd -- 'it'\\''s here' && ls"),
            (info("windows", "powershell", None), None, "Set-Location -Path 'it''s here'; ls"),
            (info("windows", "cmd", None), None, "cd /d \"it's here\" && ls"),
            (
                info("windows", "cmd", Some("bash")),
                None,
                "bash -c 'cd -- '\\''it'\\''\\'\\'''\\''s here'\\'' && ls'",
            ),
            (info("windows", "cmd", Some("bash")), Some(false), "cd /d \"it's here\" && ls"),
        ] {
            assert_eq!(info.command("ls", cwd, compat), expected);
        }
        assert_eq!(info("linux", "sh", None).command("ls", None, None), "ls");
        assert_eq!(info("windows", "cmd", None).command("dir", None, None), "dir");
    }

    #[test]
    fn a_host_says_what_it_is() {
        let read = |probe: &str, compat: &str| {
            let info = HostInfo::read(probe, compat);
            (info.os, info.shell, info.compat_shell)
        };
        let owned = |a: &str, b: &str, c: Option<&str>| (a.to_owned(), b.to_owned(), c.map(str::to_owned));
        assert_eq!(
            read("relay-os=Linux relay-shell=/bin/bash win=%OS% ps=", ""),
            owned("linux", "bash", None)
        );
        assert_eq!(
            read("relay-os=Darwin relay-shell=/bin/zsh win=%OS% ps=", ""),
            owned("macos", "zsh", None)
        );
        assert_eq!(
            read(
                "relay-os=$(uname -s 2>/dev/null) relay-shell=$SHELL win=Windows_NT ps=$PSHOME",
                "relay-compat=bash"
            ),
            owned("windows", "cmd", Some("bash"))
        );
        assert_eq!(
            read("relay-os= relay-shell= win=%OS% ps=C:\\Windows\\PS", ""),
            owned("windows", "powershell", None)
        );
        assert_eq!(read("garbage", ""), owned("unknown", "sh", None));
    }
}
