//! Watching one session: what arrives, which rules it breaks, which of them were shown already.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::arguments::Arguments;
use super::matcher::Cursor;
use super::{RepeatMode, StreamRules, Watch};
use crate::rules::Rule;

/// What a piece of the answer belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// Words for the reader.
    Text,
    /// Thoughts.
    Thinking,
    /// Arguments of a tool call.
    Tool {
        /// The call.
        call_id: String,
        /// The tool.
        name: String,
    },
}

/// A rule that was broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The rule.
    pub rule: Rule,
    /// Where.
    pub source: Source,
    /// Whether the model is to be stopped at once.
    pub interrupts: bool,
}

/// How far a rule has watched one source.
#[derive(Debug)]
enum Watching {
    /// Nothing matched yet.
    Searching(Box<Cursor>),
    /// Something matched; whether it counts depends on the files that the arguments name.
    Matched,
    /// It counted, or cannot.
    Done,
}

/// One source of the current answer.
#[derive(Debug, Default)]
struct Stream {
    arguments: Arguments,
    /// Indexes of watches, with how far they are.
    watching: Vec<(usize, Watching)>,
}

/// Watches one session.
#[derive(Debug)]
pub struct Monitor {
    rules: Arc<StreamRules>,
    streams: HashMap<Source, Stream>,
    /// Rules that were shown, and after how many turns.
    shown: HashMap<String, u64>,
    /// Rules that were broken in this turn and need not be reported again.
    broken: HashSet<usize>,
    turns: u64,
}

impl Monitor {
    /// Watches with these rules.
    #[must_use]
    pub fn new(rules: Arc<StreamRules>) -> Self {
        Self { rules, streams: HashMap::new(), shown: HashMap::new(), broken: HashSet::new(), turns: 0 }
    }

    /// Goes on with a session in which these rules were shown already.
    pub fn restore<'a>(&mut self, names: impl IntoIterator<Item = &'a str>) {
        for name in names {
            self.shown.insert(name.to_owned(), self.turns);
        }
    }

    /// Goes on with another session: what was shown in the last one counts no longer.
    pub fn forget(&mut self) {
        self.shown.clear();
        self.turns = 0;
        self.turn_started();
    }

    /// A new answer begins.
    pub fn turn_started(&mut self) {
        self.streams.clear();
        self.broken.clear();
    }

    /// A turn is complete: rules that may be shown again come nearer to it.
    pub fn turn_ended(&mut self) {
        self.turns += 1;
        self.turn_started();
    }

    /// The answer failed or was stopped before its tools ran: rules that were broken in it but not shown may be reported
    /// again.
    pub fn answer_failed(&mut self) {
        self.turn_started();
    }

    /// The model was shown these rules.
    pub fn mark_shown<'a>(&mut self, names: impl IntoIterator<Item = &'a str>) {
        self.restore(names);
    }

    /// A piece of the answer. Gives the rules that it breaks, each once in a turn.
    pub fn push(&mut self, source: &Source, delta: &str) -> Vec<Hit> {
        if self.rules.is_empty() || delta.is_empty() {
            return Vec::new();
        }
        let rules = Arc::clone(&self.rules);
        self.open(&rules, source);
        let Some(stream) = self.streams.get_mut(source) else { return Vec::new() };
        let watching = &mut stream.watching;
        let mut feed = |byte: u8| {
            for (at, watching) in watching.iter_mut() {
                if let (Watching::Searching(cursor), Some(watch)) = (&mut *watching, rules.watches.get(*at))
                    && cursor.push(&watch.pattern, byte)
                {
                    *watching = Watching::Matched;
                }
            }
        };
        match source {
            Source::Tool { .. } => stream.arguments.push(delta, &mut |_, byte| feed(byte)),
            _ => delta.bytes().for_each(feed),
        }
        self.hits(&rules, source)
    }

    /// A part of the answer is complete. Gives the rules that only its end breaks.
    pub fn finish(&mut self, source: &Source) -> Vec<Hit> {
        let rules = Arc::clone(&self.rules);
        let Some(stream) = self.streams.get_mut(source) else { return Vec::new() };
        for (at, watching) in &mut stream.watching {
            if let (Watching::Searching(cursor), Some(watch)) = (&mut *watching, rules.watches.get(*at)) {
                *watching = if cursor.finish(&watch.pattern) { Watching::Matched } else { Watching::Done };
            }
        }
        let hits = self.hits(&rules, source);
        self.streams.remove(source);
        hits
    }

    /// Begins to watch a source, with the rules that are about it and may be shown.
    fn open(&mut self, rules: &StreamRules, source: &Source) {
        if self.streams.contains_key(source) {
            return;
        }
        let is_watched = |watch: &Watch| match source {
            Source::Text => watch.in_text,
            Source::Thinking => watch.in_thinking,
            Source::Tool { name, .. } => watch.tools.iter().any(|scope| scope.is_about(name)),
        };
        let watching = rules
            .watches
            .iter()
            .enumerate()
            .filter(|(_, watch)| is_watched(watch) && self.may_be_shown(rules, &watch.rule.name))
            .filter_map(|(at, watch)| Some((at, Watching::Searching(Box::new(Cursor::new(&watch.pattern)?)))))
            .collect();
        self.streams.insert(source.clone(), Stream { arguments: Arguments::default(), watching });
    }

    fn may_be_shown(&self, rules: &StreamRules, name: &str) -> bool {
        match (self.shown.get(name), rules.settings.repeat_mode) {
            (None, _) => true,
            (Some(_), RepeatMode::Once) => false,
            (Some(at), RepeatMode::AfterGap) => self.turns.saturating_sub(*at) >= rules.settings.repeat_gap,
        }
    }

    /// What matched and counts. A match in a file's content counts once the arguments have named a file that it is about.
    fn hits(&mut self, rules: &StreamRules, source: &Source) -> Vec<Hit> {
        let Some(stream) = self.streams.get_mut(source) else { return Vec::new() };
        let paths = &stream.arguments.paths;
        let mut hits = Vec::new();
        for (at, watching) in &mut stream.watching {
            let Some(watch) = rules.watches.get(*at).filter(|_| matches!(watching, Watching::Matched)) else {
                continue;
            };
            if !counts(watch, source, paths) {
                continue;
            }
            *watching = Watching::Done;
            if self.broken.insert(*at) {
                let is_tool = matches!(source, Source::Tool { .. });
                let interrupts = watch.interrupts(&rules.settings, is_tool);
                hits.push(Hit { rule: watch.rule.clone(), source: source.clone(), interrupts });
            }
        }
        hits
    }
}

/// Whether a match counts, by the files that were named so far.
fn counts(watch: &Watch, source: &Source, paths: &[String]) -> bool {
    let Source::Tool { name, .. } = source else { return true };
    let about = watch.files.as_ref().is_none_or(|files| paths.iter().any(|path| files.matches(path)));
    let mut scopes = watch.tools.iter().filter(|scope| scope.is_about(name));
    about
        && scopes.any(|scope| {
            scope.files.as_ref().is_none_or(|files| paths.iter().any(|path| files.matches(path)))
        })
}
