//! A session as a document for people and programs: one HTML page, Markdown, or JSON.
//!
//! A [`Transcript`] is all that is needed: the entries and the leaf of a session that may be in a file or only in memory,
//! and a way to get pictures that are stored apart. Everything in it was written by a model, by tools and by files they
//! read, so everything is escaped for the format it goes into; the HTML page also forbids itself any request and any
//! script but its own. Nothing here reads or writes a file.

mod ansi;
mod highlight;
mod html;
mod json;
mod markdown;
mod outline;
mod picture;
mod tally;
mod toolcall;
mod tree;

use crate::session::{Body, Entry, Header};

pub use tally::{ModelTally, Tally};

/// A written form of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One page that needs nothing else.
    Html,
    /// Markdown, the current branch.
    Markdown,
    /// One JSON document, every entry.
    Json,
}

/// A tool that the model was offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedTool {
    /// Its name.
    pub name: String,
    /// What the model read about it.
    pub description: String,
}

/// Finds what is stored apart, by its SHA-256 digest.
pub type FindBlob<'a> = &'a dyn Fn(&str) -> Option<Vec<u8>>;

/// A session to be exported.
#[derive(Clone, Copy)]
pub struct Transcript<'a> {
    /// Which conversation it is.
    pub header: &'a Header,
    /// Its entries, in the order of the log.
    pub entries: &'a [Entry],
    /// The entry the conversation is at; none means the last one.
    pub leaf: Option<&'a str>,
    /// Finds pictures.
    pub blobs: FindBlob<'a>,
    /// The system prompt, where it is known.
    pub system_prompt: Option<&'a str>,
    /// The tools, where they are known.
    pub tools: &'a [OfferedTool],
    /// More rules for the style of a page, such as the colours of a theme.
    pub style: &'a str,
}

impl std::fmt::Debug for Transcript<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Transcript")
            .field("header", self.header)
            .field("entries", &self.entries.len())
            .finish()
    }
}

impl<'a> Transcript<'a> {
    /// A session without pictures, prompt and tools; add what is known.
    #[must_use]
    pub fn new(header: &'a Header, entries: &'a [Entry]) -> Self {
        Self { header, entries, leaf: None, blobs: &|_| None, system_prompt: None, tools: &[], style: "" }
    }

    /// The session's name: its title, the name pi gave it, or the beginning of the first prompt.
    #[must_use]
    pub fn name(&self) -> String {
        let given = self.entries.iter().rev().find_map(|entry| match entry.body() {
            Body::SessionInfo(info) => info.name.clone(),
            _ => None,
        });
        let prompt = || {
            let first =
                self.entries.iter().find_map(|entry| entry.message().filter(|said| said.role() == "user"));
            first.map(|said| outline::first_line(&said.text(), 80))
        };
        let name = self.header.title().map(str::to_owned).or(given).or_else(prompt);
        name.filter(|name| !name.trim().is_empty()).unwrap_or_else(|| "Untitled session".to_owned())
    }

    /// What the session used up.
    #[must_use]
    pub fn tally(&self) -> Tally {
        Tally::of(self.entries)
    }
}

/// The session in a written form.
#[must_use]
pub fn render(transcript: &Transcript<'_>, format: Format) -> String {
    match format {
        Format::Html => html::page(transcript),
        Format::Markdown => markdown::document(transcript),
        Format::Json => json::document(transcript),
    }
}
