//! What becomes of a text that came through the channel.

use std::time::{Duration, Instant};

use relay_engine::{Arrival, Recognised, may_have_control, recognise, reply_digest};

use super::message::Effect;
use super::model::Model;
use super::view;

/// How many replies wait while one is being handled, and how large they may be together.
const QUEUE_REPLIES: usize = 100;
const QUEUE_BYTES: usize = 64 << 20;

/// A text larger than this is read only if the project's name stands in it: reading takes several times its size in
/// memory, of which a process that runs for weeks gives little back.
const LARGE_BYTES: usize = 1 << 20;

/// How soon after a text the same one is an echo of it.
const ECHO: Duration = Duration::from_secs(2);

/// The reply that came last. Managers of clipboards offer every text a second time at once, which is nothing to tell.
#[derive(Debug)]
pub struct Newest {
    digest: String,
    came: Instant,
}

impl Newest {
    /// A reply that comes now.
    fn of(text: &str) -> Self {
        Self { digest: reply_digest(text), came: Instant::now() }
    }

    /// Whether a text is the same one, offered again at once.
    fn is_echoed_by(&self, text: &str) -> bool {
        self.came.elapsed() < ECHO && self.digest == reply_digest(text)
    }
}

impl Model {
    /// Takes in what the channel handed over.
    pub(super) fn arrived(&mut self, arrival: Arrival) -> Vec<Effect> {
        match arrival {
            Arrival::Nothing => Vec::new(),
            Arrival::End => {
                self.is_over = true;
                Vec::new()
            }
            Arrival::PassedOver(why) => vec![Effect::Say(view::note(&why))],
            Arrival::Present(text) if !self.wishes.now => {
                self.seen.learn(&text);
                Vec::new()
            }
            Arrival::Present(text) | Arrival::Text(text) => self.consider(text),
        }
    }

    /// A text came. Most are none of our business, and not a word is said about them.
    fn consider(&mut self, text: String) -> Vec<Effect> {
        let is_foreign = text.len() > LARGE_BYTES && !text.contains(self.project());
        if !self.wishes.any && (is_foreign || !may_have_control(&text)) {
            self.newest = None;
            return Vec::new();
        }
        let recognised = recognise(&text, self.project());
        let is_reply = match recognised {
            Recognised::Reply => true,
            Recognised::Bare => self.wishes.any,
            _ => false,
        };
        if !is_reply {
            return match view::left_alone(&recognised, self.project()) {
                Some(note) if self.noted.learn(&text) => vec![Effect::Say(view::note(&note))],
                _ => Vec::new(),
            };
        }
        if self.is_paused {
            return vec![Effect::Say(view::note("paused, so a reply was left alone"))];
        }
        if self.seen.knows(&text) {
            let is_echo =
                self.newest.replace(Newest::of(&text)).is_some_and(|newest| newest.is_echoed_by(&text));
            let note = || Effect::Say(view::note("this reply was seen before and is left alone"));
            return if is_echo { Vec::new() } else { vec![note()] };
        }
        self.newest = Some(Newest::of(&text));
        let waiting: usize = self.queue.iter().map(String::len).sum();
        if self.queue.len() >= QUEUE_REPLIES || waiting + text.len() > QUEUE_BYTES {
            return vec![Effect::Say(view::note("too many replies wait; this one is left alone"))];
        }
        self.seen.learn(&text);
        self.queue.push_back(text);
        Vec::new()
    }
}
