//! Desktop notifications.
//!
//! Other programs show notifications, may interpret markup, and may store them. So a notification holds only numbers and
//! the project's name without special characters, and nothing of a reply.

use std::path::Path;
use std::time::Duration;

use relay_diagnostics::Cancel;
use relay_exec::Program;

use super::message::Notice;
use crate::terminal::style::count;

/// How long the desktop may take to accept a notification.
const LIMIT: Duration = Duration::from_secs(5);

/// Sends a notification, without waiting for it. If the desktop cannot show it, that is fine.
pub fn send(notice: Notice, project: &str) {
    let (title, body) = words(notice, project);
    std::thread::spawn(move || {
        let Some((program, args)) = command(&title, &body) else { return };
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let program = Program {
            program,
            args: &args,
            cwd: Path::new("/"),
            timeout: LIMIT,
            output_limit_bytes: 0,
            env: &[],
            stdin: None,
        };
        program.run(&Cancel::new());
    });
}

fn words(notice: Notice, project: &str) -> (String, String) {
    let project: String =
        project.chars().filter(|c| c.is_alphanumeric() || " -_./".contains(*c)).take(60).collect();
    let body = match notice {
        Notice::NeedsYou => "a change waits for your answer".to_owned(),
        Notice::Landed(files) => format!("a reply landed: {}", count(files, "file")),
        Notice::Refused => "a reply was refused, nothing was changed".to_owned(),
    };
    (format!("relay: {}", project.trim()), body)
}

#[cfg(not(target_os = "macos"))]
fn command(title: &str, body: &str) -> Option<(&'static str, Vec<String>)> {
    // Without a desktop session, the program would only wait.
    let session = ["DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY"];
    session.iter().find(|name| std::env::var_os(name).is_some())?;
    relay_exec::find_program("notify-send")?;
    Some(("notify-send", ["--app-name=relay", "--", title, body].map(str::to_owned).to_vec()))
}

#[cfg(target_os = "macos")]
fn command(title: &str, body: &str) -> Option<(&'static str, Vec<String>)> {
    // The words contain no quotes or backslashes, so they are valid AppleScript strings.
    let script = format!("display notification \"{body}\" with title \"{title}\"");
    Some(("osascript", vec!["-e".to_owned(), script]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_name_cannot_inject_markup_or_options() {
        let (title, body) = words(Notice::Landed(2), "--x <b>\"$(id)\" & \\ \u{1b}[2J\u{202e}\nshop");
        assert_eq!(title, "relay: --x bid   2Jshop");
        assert_eq!(body, "a reply landed: 2 files");
        assert!(words(Notice::Refused, &"a".repeat(1000)).0.len() < 100);
    }
}
