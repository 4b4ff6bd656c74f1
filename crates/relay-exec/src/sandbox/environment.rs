//! The variables that name a way to another program of the user: a socket, a display, an agent, a terminal.
//!
//! The ways themselves are closed by the system; without the names a program does not try them, and what it starts
//! fails with "no display" rather than with an error that no one expects. Variables that hold secrets are another matter:
//! a program that can read them can print them, so commands of a model do not get them at all.

use std::ffi::OsStr;
use std::process::Command;

/// Names, and with a star the beginnings of names.
const REMOVED: &[&str] = &[
    // Terminal multiplexers and terminals with a remote control.
    "TMUX*",
    "STY",
    "ZELLIJ*",
    "KITTY_LISTEN_ON",
    "WEZTERM_UNIX_SOCKET",
    "ALACRITTY_SOCKET",
    // The desktop.
    "DBUS_*",
    "DISPLAY",
    "WAYLAND_*",
    "XAUTHORITY",
    "ICEAUTHORITY",
    "SESSION_MANAGER",
    "I3SOCK",
    "SWAYSOCK",
    "NIRI_SOCKET",
    "HYPRLAND_INSTANCE_SIGNATURE",
    "PULSE_SERVER",
    "XDG_RUNTIME_DIR",
    // Keys.
    "SSH_AUTH_SOCK",
    "SSH_AGENT_*",
    "GPG_AGENT_INFO",
    "GPG_TTY",
    "SSH_ASKPASS",
    "SUDO_ASKPASS",
    "GIT_ASKPASS",
    // Containers and services.
    "DOCKER_HOST",
    "DOCKER_CONTEXT",
    "CONTAINER_HOST",
    "PODMAN_*",
    "NOTIFY_SOCKET",
    "LISTEN_FDS",
    "LISTEN_PID",
    "LISTEN_FDNAMES",
    // Editors that run commands for whoever asks.
    "VSCODE_*",
    "EMACS_SOCKET_NAME",
    "NVIM",
    "NVIM_LISTEN_ADDRESS",
];

/// Parts of names, between underscores, that say that a value is secret.
const SECRET_PARTS: &[&str] = &[
    "KEY",
    "APIKEY",
    "TOKEN",
    "SECRET",
    "SECRETS",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "CREDENTIAL",
    "CREDENTIALS",
    "PAT",
    "AUTH",
    "COOKIE",
    "PWD",
];
/// Names that hold secrets without saying so.
const SECRET_NAMES: &[&str] =
    &["DATABASE_URL", "REDIS_URL", "MONGODB_URI", "PGPASSFILE", "NETRC", "KUBECONFIG"];
/// Names that only look like it.
const NOT_SECRET: &[&str] = &["PWD", "OLDPWD", "SSH_AUTH_SOCK", "KEYBOARD_KEY", "LESSKEY"];

/// Leaves out what a program shall not get.
pub(super) fn clear(command: &mut Command, secrets: bool, ways_out: bool) {
    for (name, _) in std::env::vars_os() {
        if (secrets && is_secret(&name)) || (ways_out && is_removed(&name)) {
            command.env_remove(name);
        }
    }
}

/// Whether a name says that its value is secret.
pub(super) fn is_secret(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return false };
    let upper = name.to_ascii_uppercase();
    if NOT_SECRET.contains(&upper.as_str()) || upper.starts_with("GIT_CONFIG_KEY_") {
        return false;
    }
    SECRET_NAMES.contains(&upper.as_str())
        || upper.split('_').any(|part| SECRET_PARTS.contains(&part) || part.ends_with("TOKEN"))
}

/// Whether a confined program does not get a variable.
pub(super) fn is_removed(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return false };
    REMOVED.iter().any(|removed| match removed.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => name == *removed,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_are_recognised() {
        for name in
            ["OPENAI_API_KEY", "GITHUB_TOKEN", "NPM_TOKEN", "AWS_SECRET_ACCESS_KEY", "db_password", "GH_PAT"]
        {
            assert!(is_secret(OsStr::new(name)), "{name}");
        }
        for name in [
            "PATH",
            "PWD",
            "HOME",
            "OLDPWD",
            "KEYMAP",
            "TOKENIZERS_PARALLELISM",
            "GIT_CONFIG_KEY_0",
            "EDITOR",
        ] {
            assert!(!is_secret(OsStr::new(name)), "{name}");
        }
    }

    #[test]
    fn ways_out_are_removed_and_the_rest_is_kept() {
        for name in ["TMUX", "TMUX_PANE", "DBUS_SESSION_BUS_ADDRESS", "SSH_AUTH_SOCK", "WAYLAND_DISPLAY"] {
            assert!(is_removed(OsStr::new(name)), "{name}");
        }
        for name in ["PATH", "HOME", "TERM", "OPENAI_API_KEY", "HTTPS_PROXY", "TMPDIR", "KUBECONFIG"] {
            assert!(!is_removed(OsStr::new(name)), "{name}");
        }
    }
}
