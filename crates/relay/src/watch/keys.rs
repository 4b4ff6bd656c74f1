//! What the keys do.

use super::message::{Answer, Effect, Task};
use super::model::{Model, Phase, Progress};
use super::view;

impl Model {
    /// Handles a key. While a question is shown, only its own keys count.
    pub(super) fn key(&mut self, key: char) -> Vec<Effect> {
        match (&self.phase, key.to_ascii_lowercase()) {
            (Phase::Asking(question), key) => {
                let can_show = question.can_show;
                self.answer(key, can_show)
            }
            (_, 'q') => self.leave(self.quitting_code()),
            (_, 'p') => {
                self.is_paused = !self.is_paused;
                Vec::new()
            }
            (_, '?' | 'h') => vec![Effect::Say(view::keys())],
            (Phase::Working(_), 'n') => vec![Effect::Cancel],
            (Phase::Waiting, 'l') => vec![self.start(Task::Log, "reading the ledger")],
            (Phase::Waiting, 'u') => match self.landed.last() {
                Some(uuid) => {
                    let uuid = *uuid;
                    vec![self.start(Task::Undo(uuid), "undoing the last change")]
                }
                None => vec![Effect::Say(view::note(
                    "nothing landed here since the start; `relay undo` undoes older transactions",
                ))],
            },
            (Phase::Waiting, 'r') => match self.refused.clone() {
                Some(text) => vec![self.start(Task::Repair(text), "writing the message")],
                None => vec![Effect::Say(view::note("no reply was refused"))],
            },
            (Phase::Waiting, 'a') => match self.refused.take() {
                Some(text) => vec![self.start(Task::Land(text), "trying again")],
                None => vec![Effect::Say(view::note("no reply was refused"))],
            },
            _ => Vec::new(),
        }
    }

    fn answer(&mut self, key: char, can_show: bool) -> Vec<Effect> {
        let answer = match key {
            'y' => Answer::Yes,
            'n' => Answer::No,
            's' if can_show => Answer::Show,
            'q' => return self.leave(130),
            _ => return Vec::new(),
        };
        if answer != Answer::Show {
            self.phase = Phase::Working(Progress::begin("finishing"));
        }
        vec![Effect::Answer(answer)]
    }

    /// Quitting is a success, unless work is in progress or something that was sent did not land.
    fn quitting_code(&self) -> u8 {
        match self.is_working() {
            true => 130,
            false if self.has_missed => 1,
            false if self.wishes.addressed => self.worst,
            false => 0,
        }
    }

    /// Quits. Work in progress is rolled back first.
    pub(super) fn leave(&mut self, code: u8) -> Vec<Effect> {
        self.leaving = Some(code);
        match self.phase {
            Phase::Asking(_) => {
                self.phase = Phase::Working(Progress::begin("rolling back"));
                vec![Effect::Cancel, Effect::Answer(Answer::Leave)]
            }
            Phase::Working(_) => vec![Effect::Cancel],
            Phase::Opening | Phase::Waiting => Vec::new(),
        }
    }
}
