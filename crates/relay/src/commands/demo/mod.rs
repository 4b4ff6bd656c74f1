//! `relay demo`: real replies through the real pipeline, and the agent at work, in a small project made for it.

mod agent;
mod project;
mod replies;

use relay_diagnostics::{Cancel, Diagnostic};
use relay_engine::{LandOptions, Outcome, Submission, TrustAnswer, UndoOptions, Unobserved, land, undo};
use relay_workspace::Workspace;

use crate::cli::DemoArgs;
use crate::commands::log;
use crate::failure::{ENVIRONMENT, Failure};
use crate::signals;
use crate::terminal::ask::Person;
use crate::terminal::style::{FAINT, PLACE, STRONG, paint};
use crate::terminal::{self, diff, report, visible};

use project::Project;

pub fn run(args: &DemoArgs) -> Result<u8, Failure> {
    let cancel = signals::cancel_on_signals().map_err(|error| Failure::environment(&error))?;
    say(&format!(
        "\n{}\n\n",
        paint(STRONG, "Relay lands AI-written code changes: all or nothing, checked, undoable.")
    ));
    let demo = Demo { project: Project::make(args.keep)?, cancel };
    demo.introduce();
    demo.lands()?;
    demo.breaks_the_test()?;
    demo.is_refused()?;
    demo.ledger()?;
    demo.takes_back()?;
    demo.agent_fixes()?;
    demo.ends(args.keep)
}

struct Demo {
    project: Project,
    cancel: Cancel,
}

impl Demo {
    fn introduce(&self) {
        say(&format!(
            "A small project in {}:\n  greet.sh says hello, and relaycode.config.json makes {} the\n  check that every change must pass.\n",
            paint(FAINT, self.project.root().display()),
            paint(PLACE, project::POST_COMMAND)
        ));
    }

    fn lands(&self) -> Result<(), Failure> {
        self.step(1, "A reply lands", "a model adds an option and documents it: two files, one transaction");
        let outcome = self.land(replies::LANDS)?;
        say(&diff::changes(&outcome.changes));
        self.expect(&outcome, relay_engine::Status::Committed)
    }

    fn breaks_the_test(&self) -> Result<(), Failure> {
        self.step(
            2,
            "A reply breaks the test",
            "it applies cleanly, but test.sh fails, so Relay restores every file",
        );
        let before = self.project.fingerprint()?;
        let outcome = self.land(replies::BREAKS)?;
        self.expect(&outcome, relay_engine::Status::RolledBack)?;
        if self.project.fingerprint()? != before {
            return Err(broken("the rolled-back files differ from before"));
        }
        say(&format!("  {}\n", paint(FAINT, "compared byte for byte with before: identical")));
        Ok(())
    }

    fn is_refused(&self) -> Result<(), Failure> {
        self.step(3, "A reply does not fit", "the model misremembers the file; Relay does not guess");
        let outcome = self.land(replies::DOES_NOT_FIT)?;
        self.expect(&outcome, relay_engine::Status::Rejected)
    }

    fn ledger(&self) -> Result<(), Failure> {
        self.step(4, "The ledger", "relay log");
        let history = self.project.engine(&self.cancel)?.history()?;
        let mut text = String::new();
        for entry in &history.entries {
            log::one(&mut text, entry);
        }
        say(&text);
        Ok(())
    }

    fn takes_back(&self) -> Result<(), Failure> {
        self.step(5, "Undo", "relay undo: a transaction itself, so it can be undone too");
        let engine = self.project.engine(&self.cancel)?;
        let outcome = undo(&engine, &UndoOptions::default(), &mut self.no_one(), &mut Unobserved);
        self.expect(&outcome, relay_engine::Status::Committed)
    }

    fn ends(self, keep: bool) -> Result<u8, Failure> {
        say(&format!("\n{}\n", paint(STRONG, "On your own project")));
        for (command, meaning) in [
            ("relay init", "name the project and choose its linter"),
            ("relay apply reply.md", "land a reply you saved; or pipe it: relay apply < reply.md"),
            ("relay apply -n reply.md", "show what it would change"),
            ("relay log, show, undo", "look back, and undo"),
            ("relay run 'fix the test'", "let the agent do it; needs a key of a model provider"),
        ] {
            say(&format!("  {}  {}\n", paint(PLACE, format_args!("{command:<24}")), meaning));
        }
        if keep {
            let root = self.project.keep();
            say(&format!(
                "\nThe demo project is in {}\n",
                paint(PLACE, visible(&root.display().to_string()))
            ));
        }
        Ok(0)
    }

    fn step(&self, number: usize, title: &str, meaning: &str) {
        say(&format!(
            "\n{} {}\n",
            paint(STRONG, format_args!("{number}. {title}")),
            paint(FAINT, format_args!("· {meaning}"))
        ));
    }

    fn land(&self, reply: &str) -> Result<Outcome, Failure> {
        let engine = self.project.engine(&self.cancel)?;
        let submission = Submission { channel: "demo", text: reply.to_owned(), dialect: None };
        let options = LandOptions { trust: TrustAnswer::ThisRun, ..LandOptions::default() };
        Ok(land(&engine, &submission, &options, &mut self.no_one(), &mut Unobserved))
    }

    /// The demo's replies need no approval, so it asks no one.
    fn no_one(&self) -> Person {
        Person::new(self.cancel.clone(), false, true)
    }

    /// Shows an outcome; a demo that shows something other than it announced is broken and must say so.
    fn expect(&self, outcome: &Outcome, status: relay_engine::Status) -> Result<(), Failure> {
        say(&report::outcome(outcome));
        if self.cancel.is_cancelled() {
            return Err(broken("interrupted"));
        }
        if outcome.status == status { Ok(()) } else { Err(broken("this step did not end as expected")) }
    }
}

fn broken(what: &str) -> Failure {
    Failure::general(
        Diagnostic::error(ENVIRONMENT, format!("the demo does not work here: {what}"))
            .hinted("`relay doctor` shows what is missing on this machine."),
    )
}

fn say(text: &str) {
    terminal::print(text);
}

/// Opens a workspace the demo made itself.
fn open_workspace(root: &std::path::Path) -> Result<Workspace, Failure> {
    Workspace::open(root).map_err(|error| Failure::environment(&error))
}
