//! Keeps the machine awake while the agent works (`power.*`). macOS has a program for it, `caffeinate`, which runs as long as
//! a run does and ends with it, and with Relay however that ends.
//!
//! On other systems nothing happens: there it is the desktop's settings that say when a machine may sleep, and no program
//! that changes them is everywhere.

use relay_agent::driver::Observer;
use relay_agent::event::{Event, RunEvent};
use relay_settings::Settings;

/// What keeps a Mac awake.
const PROGRAM: &str = "caffeinate";
/// Each setting with what the program calls it.
const OPTIONS: [(&str, &str); 4] = [
    ("power.preventIdleSleep", "-i"),
    ("power.preventSystemSleep", "-s"),
    ("power.preventDisplaySleep", "-d"),
    ("power.declareUserActive", "-u"),
];

/// What shall keep the machine awake; nothing on most machines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Awake {
    options: Vec<String>,
}

impl Awake {
    /// What the settings ask for on this system.
    pub fn of(settings: &Settings) -> Self {
        Self::wanted(cfg!(target_os = "macos"), |key| settings.flag(key))
    }

    fn wanted(is_mac: bool, is_on: impl Fn(&str) -> bool) -> Self {
        if !is_mac {
            return Self::default();
        }
        let options = OPTIONS.iter().filter(|(key, _)| is_on(key)).map(|(_, option)| (*option).to_owned());
        let mut options: Vec<String> = options.collect();
        if !options.is_empty() {
            options.extend(["-w".to_owned(), std::process::id().to_string()]);
        }
        Self { options }
    }

    /// The same observer, with the machine kept awake from the beginning of each run to its end.
    pub fn during_runs(self, observer: Observer) -> Observer {
        if self.options.is_empty() { observer } else { self.with_program(PROGRAM, observer) }
    }

    #[cfg(unix)]
    fn with_program(self, program: &'static str, mut observer: Observer) -> Observer {
        let mut running = None;
        Box::new(move |event| {
            match event {
                Event::Run(RunEvent::Start) => {
                    drop(std::mem::replace(&mut running, start(program, &self.options)));
                }
                Event::Run(RunEvent::End { .. }) => drop(running.take()),
                _ => {}
            }
            observer(event);
        })
    }

    #[cfg(not(unix))]
    fn with_program(self, _: &'static str, observer: Observer) -> Observer {
        observer
    }
}

/// Starts the program. A Mac that cannot be kept awake is no reason not to work.
#[cfg(unix)]
fn start(program: &str, options: &[String]) -> Option<relay_exec::Child> {
    let args: Vec<&str> = options.iter().map(String::as_str).collect();
    let start = relay_exec::Start {
        relay: None,
        rules: relay_exec::sandbox::Rules::default(),
        program,
        args: &args,
        cwd: std::path::Path::new("/"),
        env: &[],
        without: &[],
    };
    relay_exec::Child::start(&start).ok()
}

#[cfg(test)]
mod tests {
    use relay_agent::event::Ended;

    use super::*;

    #[test]
    fn the_settings_become_options() {
        let id = std::process::id().to_string();
        let two = |key: &str| key == "power.preventIdleSleep" || key == "power.preventDisplaySleep";
        assert_eq!(Awake::wanted(true, two).options, ["-i", "-d", "-w", &id]);
        assert_eq!(Awake::wanted(true, |_| false), Awake::default());
        assert_eq!(Awake::wanted(false, |_| true), Awake::default(), "other systems are left alone");
    }

    /// With a program that stays until it is ended, as `caffeinate` does.
    #[cfg(target_os = "linux")]
    #[allow(clippy::disallowed_methods, reason = "looks at the system's processes")]
    #[test]
    fn the_program_lives_as_long_as_a_run() {
        let marker = "31536017.25";
        let awake = Awake { options: vec![marker.to_owned()] };
        let mut observer = awake.with_program("sleep", Box::new(|_| {}));
        let is_running = || {
            let all = std::fs::read_dir("/proc").unwrap().flatten();
            all.filter_map(|entry| std::fs::read_to_string(entry.path().join("cmdline")).ok())
                .any(|line| line.contains(marker))
        };
        let wait_for = |expected: bool| {
            let until = std::time::Instant::now() + std::time::Duration::from_secs(20);
            while is_running() != expected {
                assert!(std::time::Instant::now() < until, "running: {}", !expected);
                std::thread::sleep(std::time::Duration::from_millis(10));
            }
        };
        assert!(!is_running());
        for _ in 0..2 {
            observer(&Event::Run(RunEvent::Start));
            wait_for(true);
            observer(&Event::Run(RunEvent::End { ended: Ended::Done, messages: Vec::new() }));
            wait_for(false);
        }
        drop(observer);
    }
}
