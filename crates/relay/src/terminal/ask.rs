//! Asking a person, and reading the answer without missing Ctrl-C.

use std::fs::File;
use std::io::{self, IsTerminal, Read};

use relay_diagnostics::{Cancel, Diagnostic};
use relay_engine::approval::{Approver, Decision, Proposal};
use relay_engine::config::ConfiguredCommand;
use relay_workspace::{RelPath, Sensitive};

use super::style::{BAD, FAINT, NOTE, PLACE, STRONG, paint};
use super::widgets::{keys, rule};
use super::{diff, report, tell, tell_as_is, visible, width};

/// Where answers come from.
enum Answers {
    /// Standard input is a terminal.
    Stdin,
    /// Standard input carries the reply, so questions go to the terminal itself.
    Terminal(File),
    /// No one can be asked.
    Nobody,
}

/// The person at the terminal, and the answers they gave in advance.
pub struct Person {
    answers: Answers,
    cancel: Cancel,
    yes: bool,
}

impl Person {
    /// Finds out whether there is a person. `stdin_taken` says that standard input carries the reply.
    pub fn new(cancel: Cancel, yes: bool, stdin_taken: bool) -> Self {
        let answers = if !io::stderr().is_terminal() {
            Answers::Nobody
        } else if io::stdin().is_terminal() {
            Answers::Stdin
        } else if stdin_taken {
            terminal().map_or(Answers::Nobody, Answers::Terminal)
        } else {
            Answers::Nobody
        };
        Self { answers, cancel, yes }
    }

    /// Whether a person can answer.
    pub fn is_there(&self) -> bool {
        !matches!(self.answers, Answers::Nobody)
    }

    /// Asks until the answer is one of the words or its first letter. The first word answers an empty line.
    fn choose<'a>(&mut self, question: &str, words: &[&'a str]) -> Result<&'a str, Decision> {
        self.forget_what_was_typed();
        loop {
            tell(question);
            let Some(answer) = self.read_line()? else { return Err(Decision::Interrupted) };
            let answer = answer.trim().to_ascii_lowercase();
            let meant = |word: &&&str| {
                **word == answer || word.strip_prefix(answer.as_str()).is_some() && answer.len() <= 1
            };
            match words.iter().find(meant) {
                Some(word) => return Ok(word),
                None => tell(&format!("  {}\n", paint(NOTE, "please answer with one of the letters"))),
            }
        }
    }

    /// Discards input typed before the question appeared.
    fn forget_what_was_typed(&self) {
        match &self.answers {
            Answers::Stdin => forget_input(io::stdin()),
            Answers::Terminal(file) => forget_input(file),
            Answers::Nobody => {}
        }
    }

    /// One line, or `None` when the input ended. Waits in small steps so that a signal is noticed.
    fn read_line(&mut self) -> Result<Option<String>, Decision> {
        let mut line = Vec::new();
        loop {
            if self.cancel.is_cancelled() {
                return Err(Decision::Interrupted);
            }
            let byte = match &mut self.answers {
                Answers::Stdin => next_byte(&mut io::stdin()),
                Answers::Terminal(file) => next_byte(file),
                Answers::Nobody => return Err(Decision::NobodyThere),
            };
            match byte {
                Ok(Next::Byte(b'\n')) => return Ok(Some(String::from_utf8_lossy(&line).into_owned())),
                Ok(Next::Byte(byte)) => line.push(byte),
                Ok(Next::Nothing) => {}
                Ok(Next::End) if line.is_empty() => return Ok(None),
                Ok(Next::End) => return Ok(Some(String::from_utf8_lossy(&line).into_owned())),
                Err(_) => return Err(Decision::Interrupted),
            }
        }
    }

    fn yes_or_no(&mut self, question: &str) -> Decision {
        if !self.is_there() {
            return Decision::NobodyThere;
        }
        let question = format!("{question} {} ", paint(STRONG, "[y/N]"));
        match self.choose(&question, &["no", "yes"]) {
            Ok("yes") => Decision::Yes,
            Ok(_) => Decision::No,
            Err(decision) => decision,
        }
    }

    /// A question that is not part of a transaction.
    pub fn confirm(&mut self, question: &str) -> Decision {
        if self.yes { Decision::Yes } else { self.yes_or_no(question) }
    }

    /// A question that cannot be answered in advance.
    pub fn ask(&mut self, question: &str) -> Decision {
        self.yes_or_no(&format!("{} {question}", paint(NOTE.bold(), "?")))
    }

    /// Asks for one of several answers, by number; with `other`, the person may also type their own answer. `None` if
    /// they left.
    pub fn select(&mut self, question: &str, labels: &[&str], other: bool) -> Option<Result<usize, String>> {
        self.forget_what_was_typed();
        tell(&format!("{} {}\n", paint(NOTE.bold(), "?"), visible(question)));
        for (at, label) in labels.iter().enumerate() {
            tell(&format!("  {} {}\n", paint(PLACE, format_args!("{}", at + 1)), visible(label)));
        }
        loop {
            let hint = if other { "number, or your own words: " } else { "number: " };
            tell(hint);
            let answer = self.read_line().ok()??;
            let answer = answer.trim();
            match answer.parse::<usize>() {
                Ok(number) if (1..=labels.len()).contains(&number) => return Some(Ok(number - 1)),
                Err(_) if other && !answer.is_empty() => return Some(Err(answer.to_owned())),
                _ => tell(&format!("  {}\n", paint(NOTE, format_args!("choose from 1 to {}", labels.len())))),
            }
        }
    }

    /// Asks for a line of text. `None` if the person left.
    pub fn line(&mut self, question: &str) -> Option<String> {
        self.forget_what_was_typed();
        tell(&format!("{} {}\n> ", paint(NOTE.bold(), "?"), visible(question)));
        self.read_line().ok().flatten()
    }

    fn show_one(&mut self, proposal: &Proposal<'_>) -> Result<(), Decision> {
        for (index, change) in proposal.changes.iter().enumerate() {
            tell(&format!(
                "  {} {}\n",
                paint(PLACE, format_args!("{:>3}", index + 1)),
                visible(change.path.as_str())
            ));
        }
        tell("which one? ");
        let answer = self.read_line()?.unwrap_or_default();
        let change =
            answer.trim().parse::<usize>().ok().and_then(|n| proposal.changes.get(n.checked_sub(1)?));
        match change {
            Some(change) => tell_as_is(&diff::whole(change, proposal.changes)),
            None => tell(&format!("  {}\n", paint(NOTE, "no file has that number"))),
        }
        Ok(())
    }
}

impl Approver for Person {
    fn can_approve(&self) -> bool {
        self.yes || self.is_there()
    }

    fn approved_by(&self) -> &str {
        if self.yes { "--yes" } else { "user" }
    }

    fn approve(&mut self, proposal: &Proposal<'_>) -> Decision {
        if self.yes {
            return Decision::Yes;
        }
        if !self.is_there() {
            return Decision::NobodyThere;
        }
        tell_as_is(&format!("\n{}", diff::changes(proposal.changes)));
        tell(&report::checks(proposal.checks));
        tell(&report::diagnostics(proposal.diagnostics));
        let width = width();
        let hints = [("y", "yes"), ("N", "no"), ("s", "show a whole file"), ("q", "quit")];
        // In one piece: whoever sees the question may answer, and nothing that is typed before it counts.
        let question = format!(
            "\n{}\n{}\n{} {} ",
            rule("keep this change?", width.saturating_sub(1)),
            visible(&proposal.reason.message),
            keys(&hints, width.saturating_sub(4)),
            paint(PLACE, "›"),
        );
        loop {
            match self.choose(&question, &["no", "yes", "show", "quit"]) {
                Ok("yes") => return Decision::Yes,
                Ok("show") => {
                    if let Err(decision) = self.show_one(proposal) {
                        return decision;
                    }
                }
                Ok(_) => return Decision::No,
                Err(decision) => return decision,
            }
        }
    }

    fn trust(&mut self, commands: &[ConfiguredCommand<'_>], changed_since_trusted: bool) -> Decision {
        if !self.is_there() {
            return Decision::NobodyThere;
        }
        tell(&trust_text(commands, changed_since_trusted));
        self.yes_or_no("trust exactly these commands on this machine?")
    }

    fn allow_sensitive(&mut self, paths: &[(RelPath, Sensitive)]) -> Decision {
        if !self.is_there() {
            return Decision::NobodyThere;
        }
        tell(&sensitive_text(paths));
        self.yes_or_no("allow this?")
    }

    fn only_shown(&mut self, blocks: &[Diagnostic]) -> Decision {
        if !self.is_there() {
            return Decision::NobodyThere;
        }
        tell(&report::diagnostics(blocks));
        let what = if blocks.len() == 1 { "this block" } else { "these blocks" };
        self.yes_or_no(&format!("is {what} only shown, so that the rest can land?"))
    }

    fn whole_files(&mut self, findings: &[Diagnostic]) -> Decision {
        if !self.is_there() {
            return Decision::NobodyThere;
        }
        tell(&report::diagnostics(findings));
        self.yes_or_no("is this the whole file, and should the rest be removed?")
    }

    fn run_command(&mut self, command: &str) -> Decision {
        if !self.is_there() {
            return Decision::NobodyThere;
        }
        tell(&format!("{} the model wants to run a command here:\n", paint(NOTE.bold(), "?")));
        for words in command.lines() {
            tell(&format!("    {}\n", paint(STRONG, visible(words))));
        }
        self.yes_or_no("run it?")
    }
}

/// What to show before asking for trust in the project's commands.
pub fn trust_text(commands: &[ConfiguredCommand<'_>], changed_since_trusted: bool) -> String {
    let what = if changed_since_trusted { "changed its commands" } else { "wants to run commands here" };
    format!("{} this project {what}:\n{}", paint(NOTE.bold(), "?"), commands_text(commands))
}

/// What to show before writing files that other tools execute.
pub fn sensitive_text(paths: &[(RelPath, Sensitive)]) -> String {
    let mut text = format!("{} the reply writes files that other tools execute:\n", paint(BAD.bold(), "?"));
    for (path, reason) in paths {
        text.push_str(&format!(
            "    {}  {}\n",
            paint(STRONG, visible(path.as_str())),
            paint(FAINT, format_args!("{}: {}", reason.tool, reason.reason))
        ));
    }
    text
}

/// The commands of a config, one a line.
pub fn commands_text(commands: &[ConfiguredCommand<'_>]) -> String {
    commands
        .iter()
        .map(|command| format!("    {:<12} {}\n", command.key, paint(STRONG, visible(command.command))))
        .collect()
}

pub(super) enum Next {
    Byte(u8),
    Nothing,
    End,
}

/// The next byte, or nothing if none came within a tenth of a second.
#[cfg(unix)]
pub(super) fn next_byte(source: &mut (impl Read + std::os::fd::AsFd)) -> io::Result<Next> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    let mut waiting = [PollFd::new(source, PollFlags::IN)];
    let timeout = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };
    match poll(&mut waiting, Some(&timeout)) {
        Ok(0) | Err(rustix::io::Errno::INTR) => return Ok(Next::Nothing),
        Ok(_) => {}
        Err(error) => return Err(error.into()),
    }
    let mut byte = [0];
    match rustix::io::read(&*source, &mut byte) {
        Ok(0) => Ok(Next::End),
        Ok(_) => Ok(Next::Byte(byte[0])),
        Err(rustix::io::Errno::INTR) => Ok(Next::Nothing),
        Err(error) => Err(error.into()),
    }
}

/// Without poll the read blocks; Ctrl-C then ends the process and the next command recovers.
#[cfg(not(unix))]
pub(super) fn next_byte(source: &mut impl Read) -> io::Result<Next> {
    let mut byte = [0];
    Ok(if source.read(&mut byte)? == 0 { Next::End } else { Next::Byte(byte[0]) })
}

#[cfg(unix)]
fn forget_input(source: impl std::os::fd::AsFd) {
    // If this fails, there is no terminal to type ahead into.
    rustix::termios::tcflush(source, rustix::termios::QueueSelector::IFlush).unwrap_or_default();
}

/// Windows consoles offer no way to do this here.
#[cfg(not(unix))]
fn forget_input<T>(_source: T) {}

#[cfg(unix)]
fn terminal() -> Option<File> {
    File::open("/dev/tty").ok()
}

#[cfg(not(unix))]
fn terminal() -> Option<File> {
    File::open("CONIN$").ok()
}
