//! Light or dark where the terminal does not say: on macOS inside Zellij, which keeps the question about the background to itself.
//! There the system's own appearance decides, and is looked at again now and then.

use std::path::Path;
use std::sync::mpsc::Sender;
use std::time::Duration;

use relay_diagnostics::Cancel;
use relay_exec::{End, Program};
use relay_tui::Input;
use relay_tui::input::Report;

/// How often the system is asked.
const EVERY: Duration = Duration::from_secs(5);
/// How long it may take to answer, and how much of that is read.
const PATIENCE: Duration = Duration::from_secs(2);
const ANSWER_BYTES: usize = 256;

/// Reports the system's appearance as long as the interface is open, where the terminal does not.
pub fn follow(inputs: Sender<Input>) {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    if !is_needed(std::env::consts::OS, variable) {
        return;
    }
    std::thread::spawn(move || {
        while let Some(is_dark) = ask() {
            if inputs.send(Input::Report(Report::Dark(is_dark))).is_err() {
                return;
            }
            std::thread::sleep(EVERY);
        }
    });
}

/// Whether the terminal keeps its background to itself, and says nothing in `COLORFGBG` either.
fn is_needed(system: &str, variable: impl Fn(&str) -> Option<String>) -> bool {
    system == "macos" && variable("ZELLIJ").is_some() && variable("COLORFGBG").is_none()
}

/// Whether the system is dark; `None` where it cannot be asked.
fn ask() -> Option<bool> {
    let run = Program {
        program: "defaults",
        args: &["read", "-g", "AppleInterfaceStyle"],
        cwd: Path::new("/"),
        timeout: PATIENCE,
        output_limit_bytes: ANSWER_BYTES,
        env: &[],
        stdin: None,
    };
    let mut answer = Vec::new();
    let output = run.stream(&Cancel::new(), &mut |more| answer.extend_from_slice(more));
    // In the light appearance there is no such value, and the command fails.
    matches!(output.end, End::Exited(_)).then(|| is_dark(&String::from_utf8_lossy(&answer)))
}

fn is_dark(answer: &str) -> bool {
    answer.lines().any(|line| line.trim() == "Dark")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_keeps_its_background_to_itself_is_helped() {
        let with =
            |names: &'static [&'static str]| move |name: &str| names.contains(&name).then(|| "1".to_owned());
        assert!(is_needed("macos", with(&["ZELLIJ"])));
        assert!(!is_needed("linux", with(&["ZELLIJ"])));
        assert!(!is_needed("macos", with(&[])));
        assert!(!is_needed("macos", with(&["ZELLIJ", "COLORFGBG"])));
    }

    #[test]
    fn the_answer_is_a_word_or_an_error() {
        assert!(is_dark("Dark\n"));
        assert!(!is_dark(
            "The domain/default pair of (kCFPreferencesAnyApplication, AppleInterfaceStyle) does not exist\n"
        ));
    }
}
