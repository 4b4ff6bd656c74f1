//! `:g` and `:v`: a command for every line that matches, or does not.

use super::ex::Lines;
use super::pattern::pattern;
use super::search::until;
use super::state::{Done, Vim, VimError};
use super::text::{Pos, Text};

impl Vim {
    /// `:g` and `:v`: the lines are chosen first, then the command runs on each that is still there.
    pub fn global(&mut self, lines: Lines, arguments: &str, matching: bool, depth: usize) -> Done {
        let delimiter = arguments.chars().next().filter(|c| !c.is_alphanumeric() && !c.is_whitespace());
        let delimiter =
            delimiter.ok_or_else(|| VimError::failed("E148: Regular expression missing from global"))?;
        let (written, command) = until(arguments.get(delimiter.len_utf8()..).unwrap_or_default(), delimiter);
        let written = if written.is_empty() { self.last_pattern()? } else { written };
        let regex = pattern(&written, false).map_err(VimError::failed)?;
        self.last_search = Some((written.clone(), true));
        let (first, last) = if lines.given == 0 { (0, self.text.last()) } else { (lines.first, lines.last) };
        let chosen: Vec<usize> =
            (first..=last).filter(|line| regex.is_match(&self.text.string(*line)) == matching).collect();
        if chosen.is_empty() {
            return Err(VimError::failed(format!("E486: Pattern not found: {written}")));
        }
        let command = command.unwrap_or_default();
        let mut marks = Marks::new(self.text.len(), &chosen);
        while let Some(line) = marks.next() {
            let before = self.text.clone();
            self.set_cursor(Pos::new(line, 0));
            self.ex_command(if command.trim().is_empty() { "p" } else { command }, depth + 1)?;
            marks.follow(&before, &self.text, line);
            self.looked_at_all()?;
        }
        Ok(())
    }
}

/// Which lines `:g` has still to visit, while its commands move them about.
struct Marks {
    /// For each line of the text, whether it waits.
    waits: Vec<bool>,
}

impl Marks {
    fn new(len: usize, chosen: &[usize]) -> Self {
        let mut waits = vec![false; len];
        for line in chosen {
            if let Some(waits) = waits.get_mut(*line) {
                *waits = true;
            }
        }
        Self { waits }
    }

    fn next(&mut self) -> Option<usize> {
        let line = self.waits.iter().position(|waits| *waits)?;
        if let Some(waits) = self.waits.get_mut(line) {
            *waits = false;
        }
        Some(line)
    }

    /// Moves the marks with their lines: what is the same at both ends stays, what lies between is matched line by line. The
    /// visited line is where things change, so that of lines that are alike the right one is gone.
    fn follow(&mut self, before: &Text, after: &Text, visited: usize) {
        let (old, new) = (before.len(), after.len());
        let head =
            (0..old.min(new).min(visited)).take_while(|line| before.line(*line) == after.line(*line)).count();
        let most = old.min(new) - head;
        let tail = (0..most).take_while(|at| before.line(old - 1 - at) == after.line(new - 1 - at)).count();
        let mut waits = vec![false; new];
        for (line, slot) in waits.iter_mut().enumerate() {
            let from = if line < head {
                Some(line)
            } else if line >= new - tail {
                Some(line + old - new)
            } else {
                let same = |from: &usize| before.line(*from) == after.line(line) && self.is_waiting(*from);
                (head..old - tail).find(same).or_else(|| (old == new).then_some(line))
            };
            if let Some(from) = from
                && self.is_waiting(from)
            {
                *slot = true;
                if (head..old - tail).contains(&from)
                    && let Some(taken) = self.waits.get_mut(from)
                {
                    *taken = false;
                }
            }
        }
        self.waits = waits;
    }

    fn is_waiting(&self, line: usize) -> bool {
        self.waits.get(line).copied().unwrap_or_default()
    }
}
