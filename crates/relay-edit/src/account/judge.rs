//! Code that no dialect reads: is it shown, or is it a change of which nothing says where it goes?

use std::borrow::Cow;

use super::quoted::is_part_of;
use super::{COMMANDS, Class, Files, NO_FILE, ONE_VERSION, is_gone, looks, piece, quoted};
use crate::Edit;
use crate::elision::is_prose_file;
use crate::lead::{Intent, Lead, is_file_name};
use crate::passage::{Passage, Snippet};
use crate::script::{self, Effect};

const NO_PLACE: &str = "send these lines as a diff or a SEARCH/REPLACE section, which say where they go";
const SHELL_EDIT: &str = "send the change as an edit of the file; if you run the command yourself, pass --ignore with a line of it";

/// The class of code that no dialect reads.
pub(super) struct Judged {
    pub class: Class,
    pub reason: Cow<'static, str>,
    pub path: Option<String>,
    pub hint: &'static str,
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
pub(super) struct Judge<'j> {
    pub passage: &'j Passage,
    pub snippet: &'j Snippet,
    pub edits: &'j [&'j Edit],
    pub files: &'j dyn Files,
    /// The block above it is commands to type, which print something.
    pub is_below_commands: bool,
}

impl Judge<'_> {
    /// Its class, by what it is, what is said about it, and what the files of the project hold.
    pub fn judge(&self) -> Judged {
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

    /// What the code is by itself, whatever is said about it. `$ npm install`, or `src/a.ts` alone.
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
    /// same lines are in the file somewhere else. `return w * h` as `shape.py` has it.
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

    /// The same, in the file that is named and those that the edits change. `return abs(w * h)`, which the diff above
    /// has put into `shape.py`.
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
