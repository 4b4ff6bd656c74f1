//! Which session a terminal used last, so that two terminals in one project each continue their own.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::error::StoreError;
use crate::folder::Folder;

/// Variables that distinguish terminals without a device, in this order.
const VARIABLES: [&str; 4] = ["KITTY_WINDOW_ID", "TMUX_PANE", "TERM_SESSION_ID", "WT_SESSION"];

/// A session and the folder it was used in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breadcrumb {
    /// The folder.
    pub cwd: PathBuf,
    /// The session's file.
    pub session: PathBuf,
}

impl Breadcrumb {
    pub(super) fn read(terminals: &Path, terminal: &str) -> Option<Self> {
        // It is only a hint where to look first, so an unreadable one is ignored.
        let bytes = Folder::open(terminals).ok()??.read(&file_name(terminal)).ok()??;
        let text = String::from_utf8(bytes).ok()?;
        let (cwd, session) = text.trim_end_matches('\n').split_once('\n')?;
        Some(Self { cwd: PathBuf::from(cwd), session: PathBuf::from(session) })
    }

    pub(super) fn write(&self, terminals: &Path, terminal: &str) -> Result<(), StoreError> {
        let (Some(cwd), Some(session)) = (self.cwd.to_str(), self.session.to_str()) else { return Ok(()) };
        if cwd.contains('\n') || session.contains('\n') {
            return Ok(());
        }
        let folder = Folder::create(terminals)?;
        folder.lock()?.replace(&file_name(terminal), format!("{cwd}\n{session}\n").as_bytes())
    }
}

/// A terminal's name as the name of a file.
fn file_name(terminal: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let plain: String = terminal.chars().take(40).map(|c| if is_plain(c) { c } else { '_' }).collect();
    let digest: String = blake3::hash(terminal.as_bytes()).to_hex().chars().take(8).collect();
    format!("t{}-{digest}", plain.trim_matches('_'))
}

/// Identifies this terminal: the device of standard input, or an id from the terminal's program.
#[must_use]
pub fn terminal_id() -> Option<String> {
    identify(device(), std::env::var_os)
}

fn identify(device: Option<String>, variable: impl Fn(&'static str) -> Option<OsString>) -> Option<String> {
    device.or_else(|| {
        VARIABLES.iter().find_map(|name| {
            let value = variable(name)?.into_string().ok().filter(|value| !value.is_empty())?;
            Some(format!("{name}={value}"))
        })
    })
}

#[cfg(unix)]
fn device() -> Option<String> {
    let name = rustix::termios::ttyname(std::io::stdin(), Vec::new()).ok()?;
    name.into_string().ok()
}

#[cfg(not(unix))]
fn device() -> Option<String> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_takes_precedence_over_a_terminals_id() {
        let set = |pairs: &'static [(&str, &str)]| {
            move |name: &'static str| {
                pairs.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
            }
        };
        let all = set(&[("TMUX_PANE", "%1"), ("KITTY_WINDOW_ID", "3"), ("WT_SESSION", "x")]);
        assert_eq!(identify(Some("/dev/pts/1".to_owned()), all).unwrap(), "/dev/pts/1");
        assert_eq!(identify(None, all).unwrap(), "KITTY_WINDOW_ID=3");
        assert_eq!(identify(None, set(&[("TMUX_PANE", "%1")])).unwrap(), "TMUX_PANE=%1");
        assert_eq!(
            identify(None, set(&[("WT_SESSION", "x"), ("TERM_SESSION_ID", "")])).unwrap(),
            "WT_SESSION=x"
        );
        assert_eq!(identify(None, set(&[])), None);
    }

    #[test]
    fn terminals_are_apart() {
        let home = tempfile::tempdir().unwrap();
        let crumb = |name: &str| Breadcrumb { cwd: "/p".into(), session: name.into() };
        let read = |terminal: &str| Breadcrumb::read(home.path(), terminal);
        assert_eq!(read("/dev/pts/1"), None);
        crumb("a").write(home.path(), "/dev/pts/1").unwrap();
        crumb("b").write(home.path(), "/dev/pts_1").unwrap();
        assert_eq!((read("/dev/pts/1"), read("/dev/pts_1")), (Some(crumb("a")), Some(crumb("b"))));
        crumb("c\nd").write(home.path(), "/dev/pts/1").unwrap();
        assert_eq!(
            read("/dev/pts/1"),
            Some(crumb("a")),
            "what cannot be written as two lines is not written"
        );
    }
}
