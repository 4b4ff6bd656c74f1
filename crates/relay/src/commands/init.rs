//! `relay init`: sets up this folder as a Relay project.

use std::path::Path;

use relay_diagnostics::Cancel;
use relay_engine::init::{self, Ignored, Init};
use relay_engine::{CONFIG_FILE, Decision};

use crate::cli::InitArgs;
use crate::failure::Failure;
use crate::open;
use crate::terminal::ask::Person;
use crate::terminal::report::line;
use crate::terminal::style::{GOOD, PLACE, STRONG, paint};
use crate::terminal::{self, visible};

pub fn run(root: Option<&Path>, args: &InitArgs) -> Result<u8, Failure> {
    let workspace = open::workspace_here(root)?;
    let store = open::store()?;
    if !init::is_initialised(&workspace)? && !args.yes {
        let proposed = init::propose(&workspace);
        terminal::tell(&format!(
            "this sets up {} as a Relay project\n  projectId  {} ({})\n  linter     {} ({})\n",
            paint(STRONG, workspace.root().display()),
            visible(&proposed.name.name),
            proposed.name.source,
            if proposed.config.linter.is_empty() { "none" } else { &proposed.config.linter },
            proposed.linter_reason
        ));
        let cancel = Cancel::new();
        let mut person = Person::new(cancel, !terminal::is_watched(), false);
        match person.confirm("write it?") {
            Decision::Yes => {}
            Decision::Interrupted => return Ok(130),
            Decision::No | Decision::NobodyThere => {
                terminal::tell("nothing was written\n");
                return Ok(1);
            }
        }
    }
    let done = init::init(&workspace, &store)?;
    Ok(terminal::print(&summary(&done)))
}

/// What was done, and what to do next.
fn summary(done: &Init) -> String {
    let mut text = String::new();
    let mut say = |what: &str| line(&mut text, format_args!("{} {what}", paint(GOOD, "✓")));
    match done {
        Init::Existing { config } => {
            let name = config.project_id.as_deref().unwrap_or_default();
            say(&format!("{CONFIG_FILE} exists, project `{}`; nothing was changed", visible(name)));
        }
        Init::Created { config, name, linter_reason, ignored } => {
            say(&format!("wrote {CONFIG_FILE}"));
            say(&format!("projectId `{}`, from {}", visible(&name.name), name.source));
            match config.linter.as_str() {
                "" => say(&format!("no linter: {linter_reason}")),
                command => say(&format!(
                    "linter `{command}`: {linter_reason}; errors that were there before a change do not count (`linterBaseline`)"
                )),
            }
            say("created .relaycode/ for the ledger");
            say(match ignored {
                Ignored::FileMade => "created .gitignore with /.relaycode/",
                Ignored::LineAdded => "added /.relaycode/ to .gitignore",
                Ignored::Present => ".gitignore already has /.relaycode/",
            });
        }
    }
    text.push_str("\nNext:\n");
    for (command, meaning) in [
        ("relay prompt --copy", "copy the instructions for your model (without --copy: print them)"),
        ("relay apply reply.md", "land a reply you saved"),
        ("relay watch", "or land replies as you copy them in your browser"),
    ] {
        line(&mut text, format_args!("  {}  {meaning}", paint(PLACE, format_args!("{command:<20}"))));
    }
    text
}
