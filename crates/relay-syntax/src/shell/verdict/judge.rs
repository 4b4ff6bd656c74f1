//! Walks the tree in the order in which it runs, and keeps what one command means for the next: the folder it is in, the
//! functions it may call.

use std::collections::BTreeSet;

use super::super::tree::{
    Assignment, Block, Command, Compound, Item, Pipeline, Redirect, RedirectKind, Script, Simple, Word,
};
use super::files::{Files, Folder, Present, Unseen};
use super::wrapper::{self, Seen};
use super::{Access, Cause, Class, Finding, Touched, Verdict, builtin, environment, program};

/// What is known while a script is walked.
pub(super) struct Judge<'a> {
    pub(super) files: &'a dyn Files,
    pub(super) folder: Folder,
    functions: BTreeSet<String>,
    findings: Vec<Finding>,
    /// Whether some text in the script would be code if it were evaluated.
    carries_code: bool,
    depth: usize,
}

/// A class with its reason and paths: what a rule returns.
#[derive(Debug)]
pub(super) struct Opinion {
    pub(super) class: Class,
    pub(super) reason: String,
    pub(super) touched: Vec<Touched>,
}

impl Opinion {
    pub(super) fn new(class: Class, reason: impl Into<String>) -> Self {
        Self { class, reason: reason.into(), touched: Vec::new() }
    }

    pub(super) fn reads(reason: impl Into<String>) -> Self {
        Self::new(Class::Reads, reason)
    }

    pub(super) fn changes(reason: impl Into<String>) -> Self {
        Self::new(Class::Changes, reason)
    }

    pub(super) fn network(reason: impl Into<String>) -> Self {
        Self::new(Class::Network, reason)
    }

    pub(super) fn unknown(cause: Cause, reason: impl Into<String>) -> Self {
        Self::new(Class::Unknown(cause), reason)
    }

    pub(super) fn destroys(what: impl Into<String>, why: impl Into<String>) -> Self {
        let (what, why) = (what.into(), why.into());
        let reason = format!("{why}, which loses {what}");
        Self::new(Class::Destroys { what, why }, reason)
    }

    pub(super) fn touching(mut self, touched: Vec<Touched>) -> Self {
        self.touched.extend(touched);
        self
    }
}

pub(super) fn judge(script: &Script, files: &dyn Files) -> Verdict {
    let mut judge = Judge {
        files,
        folder: Folder::start(),
        functions: BTreeSet::new(),
        findings: Vec::new(),
        carries_code: environment::carries_code(script),
        depth: 0,
    };
    judge.script(script);
    Verdict { findings: judge.findings }
}

impl Judge<'_> {
    fn script(&mut self, script: &Script) {
        if self.depth >= super::super::MAX_DEPTH {
            self.note("…", Opinion::unknown(Cause::Dynamic, "the commands nest too deeply to be followed"));
            return;
        }
        self.depth += 1;
        for Item { list, .. } in &script.items {
            for (_, pipeline) in &list.pipelines {
                self.pipeline(pipeline);
            }
        }
        self.depth -= 1;
    }

    fn pipeline(&mut self, pipeline: &Pipeline) {
        let folder = self.folder.clone();
        let is_piped = pipeline.stages.len() > 1;
        for (index, stage) in pipeline.stages.iter().enumerate() {
            if is_piped {
                self.folder = folder.clone();
            }
            match stage {
                Command::Simple(simple) => self.simple(simple, is_piped && index > 0),
                Command::Compound(compound) => self.compound(compound),
                Command::Function(function) => {
                    // Judged where it is defined, as if it were called there: it may be called from anywhere.
                    self.functions.insert(function.name.clone());
                    let before = self.folder.clone();
                    self.compound(&function.body);
                    if self.folder != before {
                        self.folder = Folder(None);
                    }
                }
            }
        }
        if is_piped {
            self.folder = folder;
        }
    }

    fn compound(&mut self, compound: &Compound) {
        let before = self.folder.clone();
        match &compound.block {
            Block::Subshell(script) => {
                self.script(script);
                self.folder = before.clone();
            }
            Block::Group(script) => self.script(script),
            Block::If { branches, otherwise } => {
                for (condition, body) in branches {
                    self.script(condition);
                    self.script(body);
                }
                otherwise.iter().for_each(|script| self.script(script));
                self.forget_folder(&before);
            }
            Block::Loop { condition, body } => self.round(&[], Some(condition), body),
            Block::For { words, body, .. } => self.round(&words.iter().collect::<Vec<_>>(), None, body),
            Block::Count { header, body } => self.round(&[header], None, body),
            Block::Case { word, arms } => {
                self.words(std::slice::from_ref(word));
                for arm in arms {
                    self.words(&arm.patterns);
                    self.script(&arm.body);
                }
                self.forget_folder(&before);
            }
            Block::Condition(words) => {
                self.words(words);
                let compares = words.iter().filter_map(Word::literal);
                let is_arithmetic = compares
                    .into_iter()
                    .any(|word| matches!(word, "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge" | "-v"));
                self.evaluates(is_arithmetic, "[[");
            }
            Block::Arithmetic(word) => self.words(std::slice::from_ref(word)),
        }
        self.redirects(&compound.redirects, "the block");
    }

    /// The body of a loop runs in a folder that the round before may have left.
    fn round(&mut self, words: &[&Word], condition: Option<&Script>, body: &Script) {
        let before = self.folder.clone();
        for word in words {
            self.words(std::slice::from_ref(*word));
        }
        if environment::changes_folder(body) || condition.is_some_and(environment::changes_folder) {
            self.folder = Folder(None);
        }
        condition.iter().for_each(|script| self.script(script));
        self.script(body);
        self.forget_folder(&before);
    }

    fn forget_folder(&mut self, before: &Folder) {
        if self.folder != *before {
            self.folder = Folder(None);
        }
    }

    /// The commands that run while words are made.
    fn words(&mut self, words: &[Word]) {
        for word in words {
            let folder = self.folder.clone();
            for script in &word.scripts {
                self.script(script);
            }
            self.folder = folder;
            self.evaluates(word.evaluates, &word.text);
        }
    }

    fn evaluates(&mut self, does: bool, shown: &str) {
        if does && self.carries_code {
            self.note(
                shown,
                Opinion::unknown(
                    Cause::Code,
                    "arithmetic evaluates a variable, and text in this command would be code there",
                ),
            );
        }
    }

    fn assignments(&mut self, assignments: &[Assignment]) {
        for assignment in assignments {
            self.words(&assignment.values);
            self.words(assignment.index.as_slice());
            if let Some(opinion) = environment::assignment(assignment) {
                self.note(&format!("{}=…", assignment.name), opinion);
            }
        }
    }

    fn simple(&mut self, simple: &Simple, reads_pipe: bool) {
        self.assignments(&simple.assignments);
        self.words(&simple.words);
        let shown = simple.words.first().map_or("the redirection", |word| word.text.as_str());
        self.redirects(&simple.redirects, shown);
        if simple.words.is_empty() {
            if simple.assignments.is_empty() && simple.redirects.is_empty() {
                return;
            }
            if !simple.assignments.is_empty() {
                self.note(
                    &format!(
                        "{}=…",
                        simple.assignments.iter().map(|one| one.name.as_str()).collect::<Vec<_>>().join(" ")
                    ),
                    Opinion::reads("sets a variable of the shell"),
                );
            }
            return;
        }
        let input = simple
            .redirects
            .iter()
            .rfind(|redirect| matches!(redirect.kind, RedirectKind::HereDocument | RedirectKind::HereString));
        self.call(
            &simple.words,
            input.map(|redirect| &redirect.target),
            reads_pipe || simple.redirects.iter().any(|redirect| redirect.kind == RedirectKind::Read),
        );
    }

    /// A program or builtin with its words; `input` is the text it is given, if that is in the script.
    fn call(&mut self, words: &[Word], input: Option<&Word>, reads_data: bool) {
        if self.depth >= super::super::MAX_DEPTH {
            self.note("…", Opinion::unknown(Cause::Dynamic, "the commands nest too deeply to be followed"));
            return;
        }
        self.depth += 1;
        match wrapper::see_through(words, input, reads_data) {
            Seen::Command => self.program(words),
            Seen::Wrapped { inner, notes } => {
                for (shown, opinion) in notes {
                    self.note(&shown, opinion);
                }
                for inner in inner {
                    match inner {
                        wrapper::Inner::Words(words) => self.call(&words, input, reads_data),
                        wrapper::Inner::Script(script) => {
                            self.carries_code |= environment::carries_code(&script);
                            let folder = self.folder.clone();
                            self.script(&script);
                            self.folder = folder;
                        }
                        wrapper::Inner::Elsewhere(script) => {
                            // Nothing is known of the files there, and nothing here is touched.
                            let mut there = Judge {
                                files: &Unseen,
                                folder: Folder(None),
                                functions: BTreeSet::new(),
                                findings: Vec::new(),
                                carries_code: environment::carries_code(&script),
                                depth: self.depth,
                            };
                            there.script(&script);
                            there.findings.iter_mut().for_each(|finding| finding.touched.clear());
                            self.findings.append(&mut there.findings);
                        }
                        wrapper::Inner::Here(script) => {
                            let before = self.folder.clone();
                            self.script(&script);
                            self.forget_folder(&before);
                        }
                        wrapper::Inner::In(place, words) => {
                            let folder = self.folder.clone();
                            self.folder.enter(Some(&place));
                            self.call(&words, input, reads_data);
                            self.folder = folder;
                        }
                    }
                }
            }
        }
        self.depth -= 1;
    }

    fn program(&mut self, words: &[Word]) {
        let shown = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
        let Some((first, arguments)) = words.split_first() else { return };
        let Some(name) = first.literal() else {
            self.note(
                &shown,
                Opinion::unknown(Cause::Dynamic, "the program's name is only known when it runs"),
            );
            return;
        };
        if self.functions.contains(name) {
            self.note(
                &shown,
                Opinion::reads("calls a function of this script, which was judged where it is defined"),
            );
            return;
        }
        if let Some(opinion) = builtin::judge(self, name, arguments) {
            self.note(&shown, opinion);
            return;
        }
        let opinion = program::judge(self, name, arguments);
        self.note(&shown, opinion);
    }

    /// Whether text that would be code is in the script.
    pub(super) fn carries_code(&self) -> bool {
        self.carries_code
    }

    fn redirects(&mut self, redirects: &[Redirect], shown: &str) {
        for redirect in redirects {
            self.words(std::slice::from_ref(&redirect.target));
            match redirect.kind {
                RedirectKind::Truncate | RedirectKind::Append | RedirectKind::ReadWrite => {
                    let opinion = self.write_to(&redirect.target, redirect.kind == RedirectKind::Truncate);
                    self.note(&format!("{shown} > {}", redirect.target.text), opinion);
                }
                RedirectKind::Read => {
                    let opinion = if is_network_device(&redirect.target.text)
                        || redirect.target.expands && redirect.target.text.contains("/dev/")
                    {
                        Opinion::network("opens a connection through /dev/tcp or /dev/udp")
                    } else {
                        Opinion::reads("reads a file")
                            .touching(vec![self.touched(&redirect.target, Access::Read)])
                    };
                    self.note(&format!("{shown} < {}", redirect.target.text), opinion);
                }
                RedirectKind::Duplicate | RedirectKind::HereDocument | RedirectKind::HereString => {}
            }
        }
    }

    /// What writing to `target` means: nothing lost, something lost, or outside.
    pub(super) fn write_to(&self, target: &Word, truncates: bool) -> Opinion {
        let touched = vec![self.touched(target, Access::Write)];
        let shown = &target.text;
        if is_network_device(shown) {
            return Opinion::network("opens a connection through /dev/tcp or /dev/udp");
        }
        let Some(path) = self.folder.path(target) else {
            let opinion = if truncates {
                Opinion::destroys(
                    format!("the content of `{shown}`"),
                    "overwrites a file whose name is only known when it runs",
                )
            } else {
                Opinion::unknown(
                    Cause::Dynamic,
                    format!("writes to `{shown}`, which is only known when it runs"),
                )
            };
            return opinion.touching(touched);
        };
        if is_harmless_device(&path) {
            return Opinion::reads("writes to a terminal or to nothing");
        }
        if path.starts_with("/dev/") {
            return Opinion::destroys(format!("the content of `{path}`"), "writes to a device")
                .touching(touched);
        }
        if truncates && self.files.present(&path) != Present::Missing {
            return Opinion::destroys(format!("the content of `{path}`"), "overwrites a file")
                .touching(touched);
        }
        if !self.files.is_inside(&path) {
            return Opinion::unknown(Cause::Outside, format!("writes to `{path}`, outside the workspace"))
                .touching(touched);
        }
        Opinion::changes(format!("writes to `{path}`")).touching(touched)
    }

    pub(super) fn touched(&self, word: &Word, access: Access) -> Touched {
        match self.folder.path(word) {
            Some(path) => Touched { path, is_exact: true, access },
            None => Touched { path: word.text.clone(), is_exact: false, access },
        }
    }

    pub(super) fn note(&mut self, command: &str, opinion: Opinion) {
        let Opinion { class, reason, touched } = guarded(opinion);
        self.findings.push(Finding { command: command.to_owned(), class, reason, touched });
    }
}

/// A change to what git or Relay trusts or runs later, such as `.git/hooks/pre-commit`, is more than a change.
fn guarded(opinion: Opinion) -> Opinion {
    let is_guarded = |touched: &&Touched| {
        touched.access != Access::Read
            && touched.path.split('/').any(|part| matches!(part, ".git" | ".relaycode"))
    };
    match opinion.touched.iter().find(is_guarded) {
        Some(touched) if opinion.class == Class::Changes => {
            let reason = format!("writes to `{}`, which git or Relay trusts or runs later", touched.path);
            Opinion { class: Class::Unknown(Cause::Environment), reason, ..opinion }
        }
        _ => opinion,
    }
}

fn is_harmless_device(path: &str) -> bool {
    matches!(
        path,
        "/dev/null" | "/dev/stdout" | "/dev/stderr" | "/dev/stdin" | "/dev/tty" | "/dev/zero" | "/dev/full"
    ) || path.strip_prefix("/dev/fd/").is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}

fn is_network_device(text: &str) -> bool {
    text.contains("/dev/tcp") || text.contains("/dev/udp")
}
