//! Decides about a text that came through the channel.
//!
//! A clipboard may hold anything, so text there that has nothing to do with Relay gets no line. Whatever arrives
//! through a file or standard input was sent to Relay: it lands, or its report says why not and the exit code is not 0.

use std::time::{Duration, Instant};

use relay_diagnostics::{Code, Diagnostic};
use relay_engine::{Arrival, CHANNEL_LIMIT_BYTES, Outcome, Recognised, describe, recognise, reply_digest};

use super::message::Effect;
use super::model::Model;
use super::view;

/// The code for a text that was not handled as a reply.
const LEFT_ALONE: Code = Code::new("left-alone");

/// How many replies may wait while one is handled, and how large they may be together.
const QUEUE_REPLIES: usize = 100;
const QUEUE_BYTES: usize = 64 << 20;

/// A text on the clipboard larger than this is parsed only if it contains the project's name: parsing takes several times
/// its size in memory, and a process that runs for weeks would return little of it.
const LARGE_BYTES: usize = 1 << 20;

/// How soon the same text counts as an echo.
const ECHO: Duration = Duration::from_secs(2);

/// The last reply. Clipboard managers offer every text a second time at once, which is not worth a line.
#[derive(Debug)]
pub struct Newest {
    digest: String,
    came: Instant,
}

impl Newest {
    /// A reply that arrives now.
    fn of(text: &str) -> Self {
        Self { digest: reply_digest(text), came: Instant::now() }
    }

    /// Whether a text is the same one offered again right away.
    fn is_echoed_by(&self, text: &str) -> bool {
        self.came.elapsed() < ECHO && self.digest == reply_digest(text)
    }
}

impl Model {
    /// Handles what the channel delivered.
    pub(super) fn arrived(&mut self, arrival: Arrival) -> Vec<Effect> {
        match arrival {
            Arrival::Nothing => Vec::new(),
            Arrival::End => {
                self.is_over = true;
                Vec::new()
            }
            Arrival::PassedOver(why) => self.leave_alone(Diagnostic::error(LEFT_ALONE, why)),
            Arrival::Present(text) if !self.wishes.now => {
                self.known.seen.learn(&text);
                Vec::new()
            }
            Arrival::Present(text) | Arrival::Text(text) => self.consider(text),
        }
    }

    /// Whether one more text of any size can wait. Only then is a channel read that can be made to wait.
    pub fn has_room(&self) -> bool {
        !self.is_paused && self.fits(CHANNEL_LIMIT_BYTES)
    }

    fn fits(&self, more_bytes: usize) -> bool {
        let waiting: usize = self.queue.iter().map(String::len).sum();
        self.queue.len() < QUEUE_REPLIES && waiting + more_bytes <= QUEUE_BYTES
    }

    fn consider(&mut self, text: String) -> Vec<Effect> {
        let is_large = text.len() > LARGE_BYTES && !text.contains(self.project());
        if is_large && !self.wishes.any && !self.wishes.addressed {
            self.known.newest = None;
            return Vec::new();
        }
        let recognised = recognise(&text, self.project());
        let is_reply = match recognised {
            Recognised::Reply => true,
            Recognised::Bare { .. } | Recognised::Unaddressed => self.wishes.any,
            _ => false,
        };
        match is_reply {
            false => self.not_a_reply(&recognised, &text),
            true if self.wishes.addressed => self.take_addressed(text),
            true => self.take_copied(text),
        }
    }

    fn not_a_reply(&mut self, recognised: &Recognised, text: &str) -> Vec<Effect> {
        let is_private = matches!(recognised, Recognised::Other | Recognised::FromRelay);
        if !self.wishes.addressed && (is_private || !self.known.noted.learn(text)) {
            if is_private {
                self.known.newest = None;
            }
            return Vec::new();
        }
        let (what, hint) = view::why_not(recognised, self.project(), self.wishes.addressed);
        let finding = Diagnostic::error(LEFT_ALONE, what);
        self.leave_alone(Diagnostic { hint, ..finding })
    }

    /// Text that was sent to Relay gets a report and counts as a failure; text that was only copied gets a line.
    fn leave_alone(&mut self, why: Diagnostic) -> Vec<Effect> {
        if self.wishes.addressed {
            self.refusals += 1;
            self.worst = 1;
            return vec![Effect::Report(Box::new(Outcome::rejected(vec![why])))];
        }
        let hint = why.hint.map(|hint| format!("; {hint}")).unwrap_or_default();
        vec![Effect::Say(view::note(&format!("{}{hint}", why.message)))]
    }

    /// The channel is read only while there is room, so this always fits. A repeated text is handled again: the ledger
    /// knows what has landed.
    fn take_addressed(&mut self, text: String) -> Vec<Effect> {
        if self.known.seen.knows(&text) {
            return vec![Effect::Say(view::note("ignored a text that was here before the start"))];
        }
        self.queue.push_back(text);
        Vec::new()
    }

    /// A clipboard cannot be made to wait, so a reply that does not fit is named and can be copied again.
    fn take_copied(&mut self, text: String) -> Vec<Effect> {
        if self.is_paused {
            return vec![Effect::Say(view::note("paused: ignored a reply"))];
        }
        if self.known.seen.knows(&text) {
            let is_echo =
                self.known.newest.replace(Newest::of(&text)).is_some_and(|newest| newest.is_echoed_by(&text));
            let note = || Effect::Say(view::note("ignored a reply that was seen before"));
            return if is_echo { Vec::new() } else { vec![note()] };
        }
        self.known.newest = Some(Newest::of(&text));
        if !self.fits(text.len()) {
            self.has_missed = true;
            let waiting = self.queue.len();
            let which = describe(&text);
            let note =
                format!("{waiting} replies are waiting, so {which} was not taken; copy it again later");
            return vec![Effect::Say(view::note(&note))];
        }
        self.known.seen.learn(&text);
        self.queue.push_back(text);
        Vec::new()
    }
}
