//! The variables that name a way to another program of the user: a socket, a display, an agent, a terminal.
//!
//! The ways themselves are closed by the system; without the names a program does not try them, and what it starts
//! fails with "no display" rather than with an error that nobody expects.

use std::ffi::OsStr;

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
    fn ways_out_are_removed_and_the_rest_is_kept() {
        for name in ["TMUX", "TMUX_PANE", "DBUS_SESSION_BUS_ADDRESS", "SSH_AUTH_SOCK", "WAYLAND_DISPLAY"] {
            assert!(is_removed(OsStr::new(name)), "{name}");
        }
        for name in ["PATH", "HOME", "TERM", "OPENAI_API_KEY", "HTTPS_PROXY", "TMPDIR", "KUBECONFIG"] {
            assert!(!is_removed(OsStr::new(name)), "{name}");
        }
    }
}
