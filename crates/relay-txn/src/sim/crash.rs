//! Pulling the plug: which of the things that were not synced survive.

use super::Dice;
use super::SimFs;
use super::volume::{Data, Inode, Node, Volume};

impl Volume {
    /// A sync of a folder makes its names durable, with everything that has to be durable before or with them.
    pub(super) fn sync_names(&mut self, folder: Inode) {
        let chosen: Vec<bool> = self
            .unsynced
            .iter()
            .map(|group| group.iter().any(|((parent, _), _)| *parent == folder))
            .collect();
        self.persist(chosen);
    }

    /// Makes the chosen groups of name changes durable, in their order. A change of a name cannot survive without the
    /// earlier ones of the same name.
    fn persist(&mut self, mut chosen: Vec<bool>) {
        for later in (0..self.unsynced.len()).rev() {
            if !chosen[later] {
                continue;
            }
            let shares = |(place, _): &(_, _)| self.unsynced[later].iter().any(|(other, _)| other == place);
            for (earlier, chosen) in self.unsynced.iter().zip(&mut chosen).take(later) {
                *chosen |= earlier.iter().any(shares);
            }
        }
        let mut rest = Vec::new();
        for (group, chosen) in std::mem::take(&mut self.unsynced).into_iter().zip(chosen) {
            if !chosen {
                rest.push(group);
                continue;
            }
            for (place, inode) in group {
                match inode {
                    Some(inode) => self.durable_names.insert(place, inode),
                    None => self.durable_names.remove(&place),
                };
            }
        }
        self.unsynced = rest;
    }

    /// The disk after the power came back.
    pub(super) fn crash(mut self, dice: &mut Dice) -> SimFs {
        // Everything, nothing, or any part of what was not synced.
        let kind = dice.below(4);
        let chosen = self
            .unsynced
            .iter()
            .map(|_| match kind {
                0 => true,
                1 => false,
                _ => dice.coin(),
            })
            .collect();
        self.persist(chosen);
        self.unsynced.clear();
        self.names = self.durable_names.clone();
        for node in self.nodes.values_mut() {
            if let Node::File { now, durable, poisoned, .. } = node {
                if durable.as_ref() != Some(now) {
                    *now = survivor(now, durable.as_ref(), dice);
                }
                *durable = Some(now.clone());
                *poisoned = false;
            }
        }
        SimFs::from_volume(self)
    }
}

/// What is left of a content that was not synced.
fn survivor(now: &Data, durable: Option<&Data>, dice: &mut Dice) -> Data {
    let length = now.bytes.len();
    let bytes = match dice.below(4) {
        0 => return now.clone(),
        1 => match durable {
            Some(durable) => return durable.clone(),
            None => Vec::new(),
        },
        2 => now.bytes[..dice.below(length + 1)].to_vec(),
        _ => vec![0; length],
    };
    Data { bytes: bytes.into(), mode: now.mode }
}
