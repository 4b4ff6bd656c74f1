//! `relay init`: makes this folder a project that Relay knows.

use std::path::Path;

use relay_diagnostics::Cancel;
use relay_edit::{Dialect, prompt::system_prompt};
use relay_engine::init::{self, Ignored, Init};
use relay_engine::{CONFIG_FILE, Decision};

use crate::cli::InitArgs;
use crate::failure::Failure;
use crate::open;
use crate::terminal::ask::Person;
use crate::terminal::report::line;
use crate::terminal::style::{FAINT, GOOD, PLACE, STRONG, paint};
use crate::terminal::{self, visible};

pub fn run(root: Option<&Path>, args: &InitArgs) -> Result<u8, Failure> {
    let workspace = open::workspace_here(root)?;
    let store = open::store()?;
    if !init::is_initialised(&workspace)? && !args.yes {
        let proposed = init::propose(&workspace);
        terminal::tell(&format!(
            "this makes {} a Relay project\n  projectId  {} ({})\n  linter     {} ({})\n",
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
    terminal::tell(&told(&done));
    let project = match &done {
        Init::Existing { config } | Init::Created { config, .. } => config.project_id.as_deref(),
    };
    Ok(terminal::print_exactly(&system_prompt(Dialect::Fenced, project)))
}

fn told(done: &Init) -> String {
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
                    "linter `{command}`: {linter_reason}; errors from before a change do not count (`linterBaseline`)"
                )),
            }
            say("made .relaycode/ for the ledger");
            say(match ignored {
                Ignored::FileMade => "made .gitignore with /.relaycode/",
                Ignored::LineAdded => "added /.relaycode/ to .gitignore",
                Ignored::Present => ".gitignore has /.relaycode/ already",
            });
        }
    }
    line(
        &mut text,
        format_args!(
            "{}\n{}\n",
            paint(
                FAINT,
                "Give your model the instructions below (`relay prompt --copy` puts them on the clipboard),"
            ),
            paint(FAINT, format_args!("then land its replies with {}", paint(PLACE, "relay apply reply.md")))
        ),
    );
    text
}
