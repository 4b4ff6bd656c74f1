//! `relay trust`: look at a project's commands, and agree to them.

use std::path::Path;

use relay_diagnostics::Diagnostic;
use relay_engine::{Decision, codes, trust};

use crate::cli::TrustArgs;
use crate::failure::Failure;
use crate::open;
use crate::terminal;
use crate::terminal::ask::{Person, commands_text};

pub fn run(root: Option<&Path>, args: &TrustArgs) -> Result<u8, Failure> {
    let engine = open::engine_told(root)?;
    let failed = |error: relay_store::StoreError| Failure::environment(&error);
    if args.revoke {
        engine.store().untrust(engine.workspace().root()).map_err(failed)?;
        return Ok(terminal::print(
            "trust revoked: this project's commands will not run until you trust them again\n",
        ));
    }
    let commands = engine.config().commands();
    if commands.is_empty() {
        return Ok(terminal::print("this project's config runs no commands, so there is nothing to trust\n"));
    }
    if trust::is_trusted(engine.store(), engine.workspace(), engine.config()).map_err(failed)? {
        terminal::print(&format!("already trusted:\n{}", commands_text(&commands)));
        return Ok(0);
    }
    terminal::tell(&commands_text(&commands));
    let mut person = Person::new(engine.cancel().clone(), args.yes, false);
    match person.confirm("trust exactly these commands on this machine?") {
        Decision::Yes => {
            trust::remember(engine.store(), engine.workspace(), engine.config()).map_err(failed)?;
            Ok(terminal::print("trusted\n"))
        }
        Decision::Interrupted => Ok(130),
        Decision::No => {
            terminal::tell("not trusted\n");
            Ok(1)
        }
        Decision::NobodyThere => Err(Failure::general(
            Diagnostic::error(codes::UNTRUSTED_COMMANDS, "no terminal to ask in")
                .hinted("If you wrote these commands, run: relay trust --yes"),
        )),
    }
}
