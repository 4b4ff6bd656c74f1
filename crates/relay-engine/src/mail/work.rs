//! Executes one command at a time: each of the seven kinds, and the name under which it lands.

use relay_diagnostics::Diagnostic;
use relay_edit::commands::{Command, Written};
use relay_edit::line_texts;
use relay_workspace::RelPath;
use uuid::Uuid;

use super::MailOptions;
use super::context::read_text;
use super::error::MailError;
use super::masks::Masks;
use super::regions::Regions;
use super::result::CommandResult;
use super::views::Views;
use crate::approval::{Approver, Observer};
use crate::engine::Engine;
use crate::intake::submission::LandOptions;

/// The channel of everything that lands here.
pub(super) const CHANNEL: &str = "mail";

/// What carrying out commands needs.
pub(super) struct Work<'a> {
    pub engine: &'a Engine,
    pub options: &'a MailOptions,
    pub approver: &'a mut dyn Approver,
    pub observer: &'a mut dyn Observer,
    /// What the model knows of the files.
    pub views: &'a mut Views,
    pub masks: &'a mut Masks,
    /// The task.
    pub task: &'a str,
    /// The group of this reply's commands.
    pub group: String,
    /// The digest of the reply.
    pub digest: &'a str,
    /// Files the next outbox will show.
    pub reads: &'a mut Vec<String>,
    /// What the edits of this reply have changed so far.
    pub regions: &'a mut Regions,
    /// What a person should know besides the results.
    pub diagnostics: &'a mut Vec<Diagnostic>,
}

impl Work<'_> {
    /// Carries out a command. `was_running` says that it is one for the shell which was started before and never
    /// finished.
    ///
    /// # Errors
    /// It was interrupted and is to be carried out again later.
    pub(super) fn carry_out(
        &mut self,
        index: usize,
        written: &Written,
        was_running: bool,
    ) -> Result<CommandResult, MailError> {
        let uuid = self.uuid(index);
        let name = written.command.name();
        Ok(match &written.command {
            Command::Malformed { reason, .. } => CommandResult::failed(name, reason),
            Command::Message { text } => {
                CommandResult { message: Some(text.clone()), ..CommandResult::ok(name, "Shown to the user") }
            }
            Command::Done { summary } => CommandResult {
                message: Some(summary.clone()),
                ..CommandResult::ok(name, "The session has ended")
            },
            Command::Run { command } => self.run(uuid, command, was_running)?,
            Command::Read { path, lines } => match self.contained(path) {
                Ok(path) => self.read(&path, *lines),
                Err(refused) => CommandResult::failed(name, refused),
            },
            Command::Create { path, .. } | Command::Edit { path, .. } | Command::Delete { path } => {
                match self.contained(path) {
                    Ok(path) => self.change(uuid, &path, written)?,
                    Err(refused) => CommandResult::failed(name, refused),
                }
            }
        })
    }

    /// The name of a command's transaction: the same whenever the same reply is carried out again.
    fn uuid(&self, index: usize) -> Uuid {
        let name = format!("{}:{index}:{}", self.group, self.digest);
        let hash = blake3::derive_key("relay 2026 names of mail commands", name.as_bytes());
        let bytes = hash.first_chunk::<16>().copied().unwrap_or_default();
        uuid::Builder::from_random_bytes(bytes).into_uuid()
    }

    /// The path as one that may be touched, or why not, in words for the model.
    fn contained(&self, raw: &str) -> Result<RelPath, String> {
        use relay_workspace::PathRefusal as Refusal;
        self.engine.workspace().path(raw).map_err(|refusal| match &refusal {
            Refusal::Absolute { .. }
            | Refusal::Home { .. }
            | Refusal::Drive { .. }
            | Refusal::Url { .. }
            | Refusal::ParentFolder { .. } => format!("REJECTED: Path is outside workspace: '{raw}'"),
            _ => format!("REJECTED: {refusal}. {}", refusal.hint().unwrap_or_default()).trim_end().to_owned(),
        })
    }

    /// How each command lands.
    pub(super) fn land_options(&self) -> LandOptions {
        LandOptions {
            trust: self.options.trust,
            allow_sensitive: self.options.allow_sensitive,
            model: self.options.model.clone(),
            group: Some(self.group.clone()),
            ..LandOptions::default()
        }
    }

    fn read(&mut self, path: &RelPath, lines: Option<(usize, usize)>) -> CommandResult {
        const NAME: &str = "READ_FILE";
        match self.engine.workspace().read(path) {
            Err(error) => CommandResult::failed(NAME, format!("REJECTED: {error}")),
            Ok(None) => CommandResult::failed(NAME, self.not_found(path)),
            Ok(Some(file)) if relay_edit::text(&file.bytes).is_none() => {
                CommandResult::failed(NAME, format!("'{path}' is not a text file"))
            }
            Ok(Some(file)) => match (lines, line_texts(&file.bytes).map_or(0, |lines| lines.len())) {
                (None, _) => {
                    self.show_next(path.as_str());
                    CommandResult::ok(NAME, format!("Read '{path}' ({} bytes)", file.bytes.len()))
                }
                (Some((first, last)), count) if first > count => CommandResult::failed(
                    NAME,
                    format!("Invalid line range {first}-{last}: '{path}' has {count} lines"),
                ),
                (Some((first, last)), count) => {
                    let last = last.min(count);
                    self.show_next(&format!("{path}:{first}-{last}"));
                    CommandResult::ok(NAME, format!("Read '{path}' (lines {first}-{last} of {count})"))
                }
            },
        }
    }

    /// Makes the next outbox show this file, or these lines of it: `path:3-9`.
    pub(super) fn show_next(&mut self, path: &str) {
        if !self.reads.iter().any(|known| known == path) {
            self.reads.push(path.to_owned());
        }
    }

    pub(super) fn not_found(&self, path: &RelPath) -> String {
        let near = self.engine.workspace().suggest(path);
        if near.is_empty() {
            format!("File '{path}' not found")
        } else {
            format!("File '{path}' not found; did you mean {}?", near.join(" or "))
        }
    }

    /// A command has run: it may have changed every file that is no longer as the model knows it, or shown it to the
    /// model.
    pub(super) fn doubt_views(&mut self) {
        let (engine, masks) = (self.engine, &*self.masks);
        self.views.doubt(|view| {
            let known = view.text.as_deref().and_then(|text| masks.restore(&view.path, text).ok());
            known.is_none() || known == read_text(engine, &view.path)
        });
    }
}
