//! `relay trust`: look at a project's commands, and agree to them.

use std::path::Path;

use relay_diagnostics::Diagnostic;
use relay_engine::{Decision, Engine, codes, trust};

use crate::agent::{folder, hooks, ssh};
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
        folder::trust(&engine, false).map_err(failed)?;
        for (name, _, _) in ssh::project_files(engine.store(), &engine) {
            ssh::agree(engine.store(), engine.workspace().root(), name, None).map_err(failed)?;
        }
        hooks::agree(engine.store(), engine.workspace().root(), None).map_err(failed)?;
        return Ok(terminal::print(
            "trust revoked: this project's commands will not run until you trust them again\n",
        ));
    }
    let mut person = Person::new(engine.cancel().clone(), args.yes, false);
    let commands = engine.config().commands();
    let hosts = trust_hosts(&engine, &mut person)?;
    let hooks = match hosts {
        None | Some(0) => trust_hooks(&engine, &mut person)?,
        Some(_) => None,
    };
    if let Some(code) = hooks.or(hosts).filter(|code| *code != 0 || commands.is_empty()) {
        return Ok(code);
    }
    if commands.is_empty() {
        folder::trust(&engine, true).map_err(failed)?;
        return Ok(terminal::print("this project's config runs no commands, so there is nothing to trust\n"));
    }
    if trust::is_trusted(engine.store(), engine.workspace(), engine.config()).map_err(failed)? {
        terminal::print(&format!("already trusted:\n{}", commands_text(&commands)));
        return Ok(0);
    }
    terminal::tell(&commands_text(&commands));
    match person.confirm("trust exactly these commands on this machine?") {
        Decision::Yes => {
            trust::remember(engine.store(), engine.workspace(), engine.config()).map_err(failed)?;
            folder::trust(&engine, true).map_err(failed)?;
            Ok(terminal::print("trusted\n"))
        }
        Decision::Interrupted => Ok(130),
        Decision::No => {
            terminal::tell("not trusted\n");
            Ok(1)
        }
        Decision::NobodyThere => Err(no_terminal()),
    }
}

fn no_terminal() -> Failure {
    Failure::general(
        Diagnostic::error(codes::UNTRUSTED_COMMANDS, "no terminal to ask in")
            .hinted("If you wrote these commands, run: relay trust --yes"),
    )
}

/// Asks about the repository's git hooks. `None` if there is nothing to ask about.
fn trust_hooks(engine: &Engine, person: &mut Person) -> Result<Option<u8>, Failure> {
    let root = engine.workspace().root();
    let Some((found, is_trusted)) = hooks::project_hooks(engine.store(), root) else { return Ok(None) };
    if is_trusted {
        terminal::print(&format!("already trusted: the git hooks in {}\n", found.folder.display()));
        return Ok(Some(0));
    }
    terminal::tell(&terminal::visible(&found.text()));
    match person.confirm("let git run exactly these hooks in the agent's commands?") {
        Decision::Yes => {
            let agreed = hooks::agree(engine.store(), root, Some(found.text()));
            agreed.map_err(|error| Failure::environment(&error))?;
            terminal::print(&format!("trusted: {}\n", found.folder.display()));
            Ok(Some(0))
        }
        Decision::Interrupted => Ok(Some(130)),
        Decision::No => {
            terminal::tell("not trusted\n");
            Ok(Some(1))
        }
        Decision::NobodyThere => Err(no_terminal()),
    }
}

/// Asks about the project's files of SSH hosts; none if there is nothing to ask about.
fn trust_hosts(engine: &Engine, person: &mut Person) -> Result<Option<u8>, Failure> {
    let mut answered = None;
    for (name, text, is_trusted) in ssh::project_files(engine.store(), engine) {
        if is_trusted {
            terminal::print(&format!("already trusted: the SSH hosts in {name}\n"));
            answered = Some(0);
            continue;
        }
        terminal::tell(&format!("{name}:\n{}\n", terminal::visible(&text)));
        match person.confirm("let the agent use exactly these SSH hosts?") {
            Decision::Yes => {
                let agreed = ssh::agree(engine.store(), engine.workspace().root(), name, Some(text));
                agreed.map_err(|error| Failure::environment(&error))?;
                terminal::print(&format!("trusted: {name}\n"));
                answered = Some(0);
            }
            Decision::Interrupted => return Ok(Some(130)),
            Decision::No => {
                terminal::tell("not trusted\n");
                return Ok(Some(1));
            }
            Decision::NobodyThere => return Err(no_terminal()),
        }
    }
    Ok(answered)
}
