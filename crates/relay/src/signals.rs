//! Ctrl-C and its kin ask for an end: what is under way is rolled back, then Relay exits with 130.

use relay_diagnostics::Cancel;

/// A cancel flag that the signals set which ask a program to stop.
pub fn cancel_on_signals() -> std::io::Result<Cancel> {
    let cancel = Cancel::new();
    cancel_from_now_on(&cancel)?;
    Ok(cancel)
}

/// Makes the same signals set a flag that is there already.
pub fn cancel_from_now_on(cancel: &Cancel) -> std::io::Result<()> {
    for signal in stop_signals() {
        signal_hook::flag::register(*signal, cancel.flag())?;
    }
    Ok(())
}

/// A flag for ending a wrapped command. In a terminal Ctrl-C reaches the command by itself, and what it means is the
/// command's business; without one nothing else passes it on.
pub fn stop_command() -> std::io::Result<Cancel> {
    use std::io::IsTerminal as _;
    let (stop, left_to_the_command) = (Cancel::new(), Cancel::new());
    for signal in stop_signals() {
        let is_keyboard = *signal == signal_hook::consts::SIGINT && std::io::stdin().is_terminal();
        let flag = if is_keyboard { &left_to_the_command } else { &stop };
        signal_hook::flag::register(*signal, flag.flag())?;
    }
    Ok(stop)
}

#[cfg(unix)]
fn stop_signals() -> &'static [i32] {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    &[SIGINT, SIGTERM, SIGHUP]
}

/// Windows has Ctrl-C and a polite termination request; nothing else reaches a console program.
#[cfg(not(unix))]
fn stop_signals() -> &'static [i32] {
    use signal_hook::consts::{SIGINT, SIGTERM};
    &[SIGINT, SIGTERM]
}

/// Calls an action whenever a signal asks the program to stop.
#[cfg(unix)]
pub fn on_stop(action: impl Fn() + Send + 'static) -> std::io::Result<()> {
    on(stop_signals(), action)
}

/// Calls an action whenever the program goes on after it was stopped, or its terminal has another size.
#[cfg(unix)]
pub fn on_resume(action: impl Fn() + Send + 'static) -> std::io::Result<()> {
    on(&[signal_hook::consts::SIGCONT, signal_hook::consts::SIGWINCH], action)
}

/// A handler may do next to nothing, so it only writes a byte that a thread waits for.
#[cfg(unix)]
fn on(signals: &[i32], action: impl Fn() + Send + 'static) -> std::io::Result<()> {
    use std::io::Read as _;
    let (mut noticed, notice) = std::os::unix::net::UnixStream::pair()?;
    for signal in signals {
        signal_hook::low_level::pipe::register(*signal, notice.try_clone()?)?;
    }
    std::thread::spawn(move || {
        while let Ok(1..) = noticed.read(&mut [0; 16]) {
            action();
        }
    });
    Ok(())
}

/// Without pipes for signals their flag is looked at again and again.
#[cfg(not(unix))]
pub fn on_stop(action: impl Fn() + Send + 'static) -> std::io::Result<()> {
    let cancel = cancel_on_signals()?;
    std::thread::spawn(move || {
        while !cancel.is_cancelled() {
            std::thread::sleep(std::time::Duration::from_millis(200));
        }
        action();
    });
    Ok(())
}

/// Nothing of that kind reaches a console program on Windows.
#[cfg(not(unix))]
pub fn on_resume(_action: impl Fn() + Send + 'static) -> std::io::Result<()> {
    Ok(())
}
