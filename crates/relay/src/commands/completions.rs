//! `relay completions`: the script that connects a shell to Relay's completions.
//!
//! The script asks `relay` itself at every press of Tab, so it also completes values, and it always matches the
//! installed version.

use clap_complete::Shell;
use clap_complete::env::{Bash, Elvish, EnvCompleter, Fish, Powershell, Zsh};
use relay_diagnostics::Diagnostic;

use crate::cli::CompletionsArgs;
use crate::completion::VARIABLE;
use crate::failure::{BAD_USAGE, Failure};
use crate::terminal;

pub fn run(args: &CompletionsArgs) -> Result<u8, Failure> {
    let shell: &dyn EnvCompleter = match args.shell {
        Shell::Bash => &Bash,
        Shell::Elvish => &Elvish,
        Shell::Fish => &Fish,
        Shell::PowerShell => &Powershell,
        Shell::Zsh => &Zsh,
        other => {
            let message = format!("completions for {other} are not supported");
            let hint = "Supported shells: bash, zsh, fish, elvish, powershell.";
            return Err(Failure::usage(Diagnostic::error(BAD_USAGE, message).hinted(hint)));
        }
    };
    let mut script = Vec::new();
    shell
        .write_registration(VARIABLE, "relay", "relay", "relay", &mut script)
        .map_err(|error| Failure::environment(&error))?;
    Ok(terminal::print_as_is(&String::from_utf8_lossy(&script)))
}
