//! Accounts for every block of a reply: each is an edit, only shown, or unclear.
//!
//! One rule carries it: once anything of a reply is to land, every other block must be explained as an edit, a quotation, a
//! command, output or an example. What is not explained is unclear, and refuses the reply.

mod looks;
mod piece;
mod quoted;
mod versions;

use std::borrow::Cow;
use std::collections::HashSet;

use crate::elision::is_prose_file;
use crate::lead::{Intent, Lead, is_file_name};
use crate::passage::{Body, Passage, Snippet};
use crate::script::{self, Effect};
use crate::{Diagnostic, Dialect, Edit, Operation, codes};
use quoted::is_part_of;

/// One block of a reply with its class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Its first line in the reply, counted from 1.
    pub first: usize,
    /// Its last line.
    pub last: usize,
    /// Which of the three it is.
    pub class: Class,
    /// Why, in a few words.
    pub reason: Cow<'static, str>,
    /// The file it is about, where that is known.
    pub path: Option<String>,
    /// The written form of an edit.
    pub dialect: Option<Dialect>,
    /// What to write instead, for one that is unclear.
    hint: &'static str,
}

/// What becomes of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// It lands, or refuses the reply.
    Edit,
    /// It is there to be looked at.
    Shown,
    /// It may be an edit, so the reply is refused.
    Unclear,
}

impl Class {
    /// The name in JSON and in the ledger.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Class::Edit => "edit",
            Class::Shown => "shown",
            Class::Unclear => "unclear",
        }
    }
}

impl Block {
    /// Why an unclear block refuses the reply, and what to write instead.
    #[must_use]
    pub fn finding(&self) -> Diagnostic {
        let message = format!("this block is unclear: {}", self.reason);
        let finding = Diagnostic::error(codes::UNCLEAR_BLOCK, message).hinted(self.hint).at(self.first);
        match &self.path {
            Some(path) => finding.on(path),
            None => finding,
        }
    }
}

/// What is known about the files of the project.
pub trait Files {
    /// What a file holds before the edits.
    fn before(&self, path: &str) -> Option<Cow<'_, str>>;

    /// What it holds after them; `None` when they do not change it.
    fn after(&self, path: &str) -> Option<Cow<'_, str>>;

    /// The files that the edits change.
    fn changed(&self) -> Vec<String>;

    /// A file of the project whose path and content pass both tests, where looking for one is not too much work.
    fn find(&self, is_wanted: &dyn Fn(&str) -> bool, test: &dyn Fn(&str) -> bool) -> Option<String>;

    /// Whether a path is a file or a folder of the project.
    fn exists(&self, path: &str) -> bool;
}

/// Why commands are shown.
const COMMANDS: &str = "commands to type";

const NO_FILE: &str = "put the file's path on the line above the block, or send it as a diff or a SEARCH/REPLACE section; \
    if it is only to be looked at, pass --ignore with a line of it";
const NO_PLACE: &str = "send these lines as a diff or a SEARCH/REPLACE section, which say where they go";
const ONE_VERSION: &str =
    "send only the version that is to land, or pass --ignore with a line of the other one";
const SHELL_EDIT: &str = "send the change as an edit of the file; if you run the command yourself, pass --ignore with a line of it";
const NO_EDIT: &str =
    "send the deletion or the new name as an edit; if you do it yourself, pass --ignore with this line";
const OTHER_TOOL: &str =
    "write the edit as a diff or a SEARCH/REPLACE section; `relay prompt` prints what to tell the model";

/// The class of every block. `edits` are those of the reply, in its order.
#[must_use]
pub fn account(passages: &[Passage], edits: &[Edit], files: &dyn Files) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::with_capacity(passages.len());
    // Edits that were joined from two replies are not in the order of their lines.
    let mut edits: Vec<&Edit> = edits.iter().collect();
    edits.sort_by_key(|edit| edit.line);
    let mut edited: HashSet<&str> = HashSet::new();
    for passage in passages {
        let first = edits.partition_point(|edit| edit.line < passage.first);
        let own = edits.get(first..).unwrap_or_default().iter().take_while(|edit| edit.line <= passage.last);
        let own: Vec<&Edit> = own.copied().collect();
        let is_moot =
            matches!(&passage.body, Body::Asked(path) if !files.exists(path) || is_gone(&edits, path));
        if is_moot {
            continue;
        }
        let mut block = block(passage, &own, blocks.last(), &edits, files);
        let above: Vec<&Edit> = match own.first() {
            Some(own) if block.class == Class::Edit && edited.contains(own.path.as_str()) => {
                edits.iter().take(first).filter(|above| above.path == own.path).copied().collect()
            }
            _ => Vec::new(),
        };
        let is_second = || {
            let before = block.path.as_deref().and_then(|path| files.before(path));
            before.is_some_and(|before| versions::is_second(&own, &above, &before))
        };
        if !above.is_empty() && (Lead::new(&passage.lead).revises() || is_second()) {
            (block.class, block.reason, block.hint) =
                (Class::Unclear, "it is another version of an edit above".into(), ONE_VERSION);
        }
        blocks.push(block);
        edited.extend(own.iter().map(|edit| edit.path.as_str()));
    }
    blocks
}

/// Whether an edit deletes or renames a file.
fn is_gone(edits: &[&Edit], path: &str) -> bool {
    let removes = |edit: &Edit| matches!(edit.operation, Operation::Delete | Operation::Rename { .. });
    edits.iter().any(|edit| edit.path == path && removes(edit))
}

/// The class of one block, whose own edits these are, below the one above.
fn block(
    passage: &Passage,
    own: &[&Edit],
    above: Option<&Block>,
    edits: &[&Edit],
    files: &dyn Files,
) -> Block {
    let has_edits = edits.first().is_some_and(|first| first.line < passage.first);
    let path = own.first().map(|edit| edit.path.clone()).filter(|path| !path.is_empty());
    let of = |class, reason: Cow<'static, str>, hint| Block {
        first: passage.first,
        last: passage.last,
        class,
        reason,
        path: path.clone(),
        dialect: own.first().map(|edit| edit.dialect),
        hint,
    };
    match &passage.body {
        Body::Read if own.is_empty() => of(Class::Shown, "it holds no edit".into(), ""),
        Body::Read if has_edits => match Lead::new(&passage.lead).intent() {
            Intent::Alternative => {
                of(Class::Unclear, "it is an alternative to an edit above".into(), ONE_VERSION)
            }
            Intent::Correction => of(Class::Unclear, "it corrects an edit above".into(), ONE_VERSION),
            _ => of(Class::Edit, form(own).into(), ""),
        },
        Body::Read => of(Class::Edit, form(own).into(), ""),
        Body::Control => of(Class::Edit, "the reply's control block".into(), ""),
        Body::Ignored => of(Class::Shown, "marked with --ignore".into(), ""),
        Body::Unplaced(reason) => of(Class::Unclear, reason.clone().into(), NO_FILE),
        Body::Asked(path) => Block {
            path: Some(path.clone()),
            ..of(
                Class::Unclear,
                format!("it asks for `{path}` to be deleted or renamed, and no edit does that").into(),
                NO_EDIT,
            )
        },
        Body::HarmlessCall(name) => {
            of(Class::Shown, format!("a call of `{name}`, which changes no file").into(), "")
        }
        Body::UnknownCall(name) => of(
            Class::Unclear,
            format!("it calls {}, which Relay cannot read", quoted_name(name)).into(),
            OTHER_TOOL,
        ),
        Body::Code(snippet) => {
            let is_below_commands = above.is_some_and(|above| above.reason == COMMANDS);
            let judged = Judge { passage, snippet, edits, files, is_below_commands }.judge();
            Block {
                path: judged.path.or(snippet.path.clone()),
                ..of(judged.class, judged.reason, judged.hint)
            }
        }
    }
}

fn quoted_name(name: &str) -> String {
    if name.contains(' ') { name.to_owned() } else { format!("`{name}`") }
}

fn form(own: &[&Edit]) -> &'static str {
    match own.first().map(|edit| &edit.operation) {
        Some(Operation::Write { .. }) => "whole file",
        Some(Operation::Patch { .. }) => "changed lines",
        Some(Operation::Delete) => "deletes a file",
        Some(Operation::Rename { .. }) => "renames a file",
        Some(Operation::Mode { .. }) => "changes a mode",
        None => "",
    }
}

/// The class of code that no dialect reads.
struct Judged {
    class: Class,
    reason: Cow<'static, str>,
    path: Option<String>,
    hint: &'static str,
    /// Only words or looks say that it is shown, which code that changes a file of the project contradicts.
    is_presumed: bool,
}

impl Judged {
    fn shown(reason: impl Into<Cow<'static, str>>) -> Self {
        Self { class: Class::Shown, reason: reason.into(), path: None, hint: "", is_presumed: false }
    }

    fn presumed(reason: impl Into<Cow<'static, str>>) -> Self {
        Self { is_presumed: true, ..Self::shown(reason) }
    }

    fn unclear(reason: impl Into<Cow<'static, str>>, hint: &'static str) -> Self {
        Self { class: Class::Unclear, reason: reason.into(), path: None, hint, is_presumed: false }
    }

    fn on(self, path: Option<String>) -> Self {
        Self { path, ..self }
    }
}

/// Decides about code that no dialect reads.
struct Judge<'j> {
    passage: &'j Passage,
    snippet: &'j Snippet,
    edits: &'j [&'j Edit],
    files: &'j dyn Files,
    /// The block above it is commands to type, which print something.
    is_below_commands: bool,
}

impl Judge<'_> {
    fn judge(&self) -> Judged {
        let lead = Lead::new(&self.passage.lead);
        let path = self.snippet.path.clone().or_else(|| lead.path());
        let judged = self.by_words(lead.intent(), path.clone());
        if !judged.is_presumed {
            return judged;
        }
        if let Some(path) = self.version(path.as_deref()) {
            let reason =
                format!("it is a changed version of lines of `{path}`, and no edit makes that change");
            return Judged::unclear(reason, NO_PLACE).on(Some(path));
        }
        if piece::is_piece(&self.snippet.language, &self.snippet.text) {
            return Judged::unclear("it is cut out of a file, and nothing says where it goes", NO_PLACE)
                .on(path);
        }
        judged
    }

    /// What it is by itself and by what is said about it.
    fn by_words(&self, intent: Intent, path: Option<String>) -> Judged {
        if let Some(judged) = self.by_content(intent, path.as_deref()) {
            return judged;
        }
        match intent {
            Intent::Alternative => {
                return Judged::unclear("it is an alternative to an edit above", ONE_VERSION).on(path);
            }
            Intent::Correction => return Judged::unclear("it corrects an edit above", ONE_VERSION).on(path),
            _ => {}
        }
        if let Some(found) = self.quotation(path.as_deref(), intent) {
            return found;
        }
        let exists = path.as_deref().is_some_and(|path| self.files.before(path).is_some());
        let place = || match &path {
            Some(path) if exists => format!("it is code for `{path}`, and nothing says where it goes"),
            Some(path) => {
                format!("`{path}` is not a file of this project, and nothing says that it is to be created")
            }
            None => "it is code that names no file".to_owned(),
        };
        let judged = match intent {
            // A quotation would have been found: "unchanged, except for the last line".
            Intent::Unchanged => {
                Judged::unclear("it is said to stay as it is, and no file has these lines", NO_PLACE)
            }
            // No program prints Rust; "the logs module needs the same" only sounds like it.
            Intent::Output if !looks::is_code_of(&self.snippet.language) => Judged::presumed("output"),
            // "Use it in `src/main.ts`:" asks for a change of that file.
            Intent::Example | Intent::Run if !exists => Judged::presumed("an example"),
            Intent::Old => Judged::unclear("it is to be replaced, and nothing says by what", NO_PLACE),
            Intent::New => Judged::unclear("it is to replace something, and nothing says what", NO_PLACE),
            Intent::Remove => Judged::unclear("it is to be removed, and Relay cannot see where", NO_PLACE),
            Intent::Insert => Judged::unclear("it is to be added, and nothing says exactly where", NO_PLACE),
            _ => Judged::unclear(place(), if path.is_some() { NO_PLACE } else { NO_FILE }),
        };
        judged.on(path)
    }

    /// What the code is by itself, whatever is said about it.
    fn by_content(&self, intent: Intent, path: Option<&str>) -> Option<Judged> {
        let Snippet { language, text, .. } = self.snippet;
        if text.trim().is_empty() {
            return Some(Judged::shown("it is empty"));
        }
        if is_file_name(text.trim()) {
            return Some(Judged::shown("the name of a file"));
        }
        if self.snippet.cited {
            return Some(Judged::shown("it cites lines of a file"));
        }
        // "Then add this helper:" above a shell's code asks for a change of a script, unless it is plainly typed.
        let is_script = |path: &String| script::is_file(path);
        let is_asked = match intent {
            Intent::Alternative | Intent::Correction => true,
            Intent::Unsaid => self.edits.iter().any(|edit| is_script(&edit.path)),
            _ => intent.proposes(),
        };
        if looks::has_prompts(text) || script::is_shell(language) && (!is_asked || looks::are_commands(text))
        {
            let commands = self.commands();
            // The lines of a script are commands too.
            let quoted = || self.quotation_of_changed(path, intent);
            let is_typed = commands.class == Class::Shown && looks::are_commands(text);
            return if is_typed { Some(commands) } else { quoted().or(Some(commands)) };
        }
        let may_be_commands = looks::has_no_language(language) && !intent.proposes();
        if may_be_commands && looks::are_commands(text) {
            return Some(self.commands());
        }
        // `awk '{print}' a.txt > b.txt && mv b.txt a.txt` is not output, whatever else it is.
        if may_be_commands && looks::begins_with_command(text) {
            let commands = self.commands();
            if commands.class != Class::Shown {
                return Some(commands);
            }
        }
        // Lines of a settings file look like what a program prints.
        let is_shown = matches!(intent, Intent::Output | Intent::Run | Intent::Example | Intent::Quote);
        let is_for_file = !is_shown && path.is_some_and(|path| self.files.exists(path));
        let what = looks::what(language, text, intent.proposes() || is_for_file, path.is_some())?;
        if what == looks::TREE {
            return Some(Judged::shown(what));
        }
        // "If you need it to be compatible, use this instead:" above `>>> expr = …` changes a documented example.
        if matches!(intent, Intent::Alternative | Intent::Correction) {
            return None;
        }
        if what != looks::OUTPUT_OR_TEXT {
            return Some(Judged::presumed(what));
        }
        // "The ignore list gets two entries:" above a fence without a language is not output by its looks alone.
        let is_said = intent != Intent::Unsaid || self.passage.lead.trim().is_empty();
        if is_said || self.is_below_commands || !looks::may_be_any_text(language) || looks::is_printed(text) {
            return Some(Judged::presumed(what));
        }
        Some(Judged::unclear("it may be text for a file, and nothing says which one or where", NO_FILE))
    }

    /// Commands to type, unless they change files of the project.
    fn commands(&self) -> Judged {
        let script = script::read(&self.snippet.text, self.passage.first);
        let matters = |change: &&script::Changing| {
            let concerns = |path: &String| match change.effect {
                _ if is_gone(self.edits, path) => false,
                Effect::Any => true,
                Effect::Existing => self.files.exists(path),
                Effect::Missing => {
                    !self.files.exists(path) && !self.edits.iter().any(|edit| edit.path == *path)
                }
            };
            change.operands.is_empty() || change.operands.iter().any(concerns)
        };
        match script.changes.iter().find(matters) {
            Some(change) => {
                let command: String = change.command.chars().take(80).collect();
                Judged::unclear(
                    format!("`{command}` changes files, and Relay runs no command of a reply"),
                    SHELL_EDIT,
                )
            }
            None => Judged::presumed(COMMANDS),
        }
    }

    /// Code that is in a file already, or that the edits bring there. What is to be added proposes a change even where the
    /// same lines are in the file somewhere else.
    fn quotation(&self, path: Option<&str>, intent: Intent) -> Option<Judged> {
        if let Some(found) = self.quotation_of_changed(path, intent) {
            return Some(found);
        }
        let text = &self.snippet.text;
        let may_be_anywhere = !intent.proposes() && quoted::is_distinctive(text);
        let found =
            may_be_anywhere.then(|| self.files.find(&|_| true, &|file| is_part_of(text, file))).flatten()?;
        Some(self.quoted(found, intent))
    }

    /// Code as it is in a file. "Currently you have:" at the very end of a reply is the first half of a change that was cut off.
    fn quoted(&self, path: String, intent: Intent) -> Judged {
        let is_changed = self.edits.iter().any(|edit| edit.path == path);
        let judged = if self.snippet.ends_reply && intent == Intent::Quote && !is_changed {
            Judged::unclear("it is code as it is now, and the reply ends before it is changed", NO_PLACE)
        } else {
            Judged::shown(format!("a quotation of `{path}`"))
        };
        judged.on(Some(path))
    }

    /// The file of which the code is a changed version of some lines. "For example:" above a function of the project with one
    /// line more asks for that line. Commands are also lines of documents, so they are compared with scripts only; what a fence
    /// calls commands may be code.
    fn version(&self, path: Option<&str>) -> Option<String> {
        let text = &self.snippet.text;
        let is_command = looks::has_prompts(text) || looks::are_commands(text);
        let is_prose = looks::is_prose(&self.snippet.language) || script::is_shell(&self.snippet.language);
        let may_be = |path: &str| {
            if is_command { script::is_file(path) } else { is_prose || !is_prose_file(path) }
        };
        // What is in a file, or what an edit comes to, is no further change.
        let has = |file: Option<Cow<'_, str>>| file.is_some_and(|file| is_part_of(text, &file));
        let is_version = |file: &str| quoted::is_version_of(text, file);
        let named = path.map(str::to_owned).into_iter().chain(self.files.changed());
        let named: Vec<String> = named.filter(|path| !is_command || may_be(path)).collect();
        if named.iter().any(|path| has(self.files.before(path)) || has(self.files.after(path))) {
            return None;
        }
        let is_changed = |path: &&String| self.files.before(path).is_some_and(|before| is_version(&before));
        if let Some(path) = named.iter().find(is_changed) {
            return Some(path.clone());
        }
        let found = self.files.find(&may_be, &is_version)?;
        self.files.find(&may_be, &|file| is_part_of(text, file)).is_none().then_some(found)
    }

    /// The same, in the file that is named and those that the edits change.
    fn quotation_of_changed(&self, path: Option<&str>, intent: Intent) -> Option<Judged> {
        let text = &self.snippet.text;
        let changed = self.files.changed();
        let named = path.map(str::to_owned).into_iter().chain(changed);
        for path in named {
            let before = self.files.before(&path).is_some_and(|file| is_part_of(text, &file));
            let after = self.files.after(&path).is_some_and(|file| is_part_of(text, &file));
            match (before, after) {
                (false, true) => {
                    return Some(
                        Judged::shown(format!("what `{path}` holds after the edits")).on(Some(path)),
                    );
                }
                (true, _) if !intent.proposes() => {
                    return Some(self.quoted(path, intent));
                }
                _ => {}
            }
        }
        None
    }
}

#[cfg(test)]
mod tests;
