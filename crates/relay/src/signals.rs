//! Ctrl-C and similar signals: Relay rolls back the current work and exits with 130.

use relay_diagnostics::Cancel;

/// A cancel flag, set by the signals that ask a program to stop.
pub fn cancel_on_signals() -> std::io::Result<Cancel> {
    let cancel = Cancel::new();
    cancel_from_now_on(&cancel)?;
    Ok(cancel)
}

/// Makes the same signals set an existing flag.
pub fn cancel_from_now_on(cancel: &Cancel) -> std::io::Result<()> {
    for signal in stop_signals() {
        signal_hook::flag::register(*signal, cancel.flag())?;
    }
    Ok(())
}

/// A flag for ending a wrapped command. In a terminal, Ctrl-C reaches the command directly, and the command decides
/// what it means; without one, Relay has to pass it on.
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

/// Windows console programs get only Ctrl-C and a polite termination request.
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

/// Calls an action whenever the program continues after being stopped, or its terminal is resized.
#[cfg(unix)]
pub fn on_resume(action: impl Fn() + Send + 'static) -> std::io::Result<()> {
    on(&[signal_hook::consts::SIGCONT, signal_hook::consts::SIGWINCH], action)
}

/// A signal handler may do very little, so it only writes a byte that a thread waits for.
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

/// Without signal pipes, the flag is polled.
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

/// Windows console programs get no such signals.
#[cfg(not(unix))]
pub fn on_resume(_action: impl Fn() + Send + 'static) -> std::io::Result<()> {
    Ok(())
}
