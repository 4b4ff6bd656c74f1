//! What providers sent, frame by frame and as it came: for a person who looks for a fault. Bounded, in memory, without keys.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use crate::assemble::Assembler;
use crate::error::Error;
use crate::key::Key;
use crate::message::Origin;
use crate::wire::{Decode, Flow};

/// How many frames are kept.
const FRAMES: usize = 1_000;
/// How many characters all frames have together.
const ALL_CHARS: usize = 512_000;
/// How many characters of one frame are kept.
const FRAME_CHARS: usize = 64_000;

/// A frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawFrame {
    /// When it came.
    pub at: Instant,
    /// The model that sent it, `provider/model`.
    pub from: String,
    /// What it says.
    pub text: String,
    /// How many characters of it are left out.
    pub cut: usize,
}

#[derive(Debug, Default)]
struct Kept {
    frames: VecDeque<RawFrame>,
    chars: usize,
}

/// The last frames. Clones keep the same ones.
#[derive(Clone, Debug, Default)]
pub struct RawFrames(Arc<Mutex<Kept>>);

impl RawFrames {
    /// The frames that are kept, oldest first.
    #[must_use]
    pub fn all(&self) -> Vec<RawFrame> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).frames.iter().cloned().collect()
    }

    /// Keeps a frame; the oldest go when there is no more room.
    fn keep(&self, from: &str, text: &str) {
        let end = text.char_indices().nth(FRAME_CHARS).map_or(text.len(), |(at, _)| at);
        let (kept, rest) = text.split_at(end);
        let frame = RawFrame {
            at: Instant::now(),
            from: from.to_owned(),
            text: kept.to_owned(),
            cut: rest.chars().count(),
        };
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.chars += kept.chars().count();
        all.frames.push_back(frame);
        while all.frames.len() > FRAMES || all.chars > ALL_CHARS {
            let Some(oldest) = all.frames.pop_front() else { break };
            all.chars -= oldest.text.chars().count();
        }
    }
}

/// A decoder that keeps every frame before it is understood.
pub(crate) struct Recording {
    pub(crate) decoder: Box<dyn Decode>,
    pub(crate) frames: RawFrames,
    pub(crate) from: String,
    pub(crate) key: Key,
}

impl Recording {
    /// The decoder itself, if nothing is to be kept.
    pub(crate) fn of(
        decoder: Box<dyn Decode>,
        frames: Option<&RawFrames>,
        origin: &Origin,
        key: &Key,
    ) -> Box<dyn Decode> {
        match frames {
            None => decoder,
            Some(frames) => Box::new(Self {
                decoder,
                frames: frames.clone(),
                from: format!("{}/{}", origin.provider, origin.model),
                key: key.clone(),
            }),
        }
    }
}

impl Decode for Recording {
    fn frame(&mut self, data: &[u8], answer: &mut Assembler) -> Result<Flow, Error> {
        // A key that a server echoes does not get into a report.
        self.frames.keep(&self.from, &self.key.scrub(&String::from_utf8_lossy(data)));
        self.decoder.frame(data, answer)
    }

    fn finish(&mut self, answer: &mut Assembler) -> Result<(), Error> {
        self.decoder.finish(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_stays_within_its_bounds() {
        let frames = RawFrames::default();
        for number in 0..1_500 {
            frames.keep("lab/m", &format!("{number}"));
        }
        let all = frames.all();
        assert_eq!((all.len(), all[0].text.as_str(), all[999].text.as_str()), (1_000, "500", "1499"));
        frames.keep("lab/m", &"é".repeat(70_000));
        let last = frames.all().pop().unwrap();
        assert_eq!((last.text.chars().count(), last.cut), (64_000, 6_000));
        for _ in 0..20 {
            frames.keep("lab/m", &"x".repeat(60_000));
        }
        let chars: usize = frames.all().iter().map(|frame| frame.text.chars().count()).sum();
        assert_eq!((frames.all().len(), chars), (8, 480_000));
    }
}
