//! Adds up what the readers found, tool by tool, without counting an error and the summary that includes it twice.

use std::collections::BTreeMap;

use super::{ErrorCount, Source};

/// What one line is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Worth {
    /// A separate error; no summary will repeat it.
    Error,
    /// This many errors that the tool's summary, if one comes, includes.
    Listed(u64),
    /// The tool's summary of everything it listed since its last summary.
    Total(u64),
    /// A summary that does not name its tool. It belongs to the tool that printed the line before it, if that one sums
    /// up in this way; otherwise it counts by itself.
    AnyTotal(u64),
    /// A remark that at least this many errors there were (`could not compile due to 3 previous errors`): it adds
    /// nothing to errors that were seen, and counts for those that were cut off.
    AtLeast(u64),
    /// A line of this tool that is not an error.
    Nothing,
}

impl Worth {
    /// How many errors the line itself lists.
    pub(super) const fn listed(self) -> u64 {
        match self {
            Worth::Error => 1,
            Worth::Listed(errors) => errors,
            Worth::Total(_) | Worth::AnyTotal(_) | Worth::AtLeast(_) | Worth::Nothing => 0,
        }
    }
}

/// The count of one tool so far.
#[derive(Clone, Copy, Debug, Default)]
struct Account {
    settled: u64,
    listed: u64,
    at_least: u64,
}

impl Account {
    /// Closes what was listed with the tool's own number. The larger one holds: lines that were cut off are in
    /// the number, and lines of a like-looking tool without a summary are not.
    fn settle(&mut self, total: u64) {
        self.settled = self.settled.saturating_add(self.listed.max(total));
        self.listed = 0;
    }

    fn errors(&self) -> u64 {
        self.settled.saturating_add(self.listed).max(self.at_least)
    }
}

/// The counts of all tools so far.
#[derive(Debug, Default)]
pub(super) struct Tally {
    accounts: BTreeMap<Source, Account>,
    /// The tool the last recognised line belongs to.
    last: Option<Source>,
}

impl Tally {
    /// Adds one reading.
    pub(super) fn add(&mut self, source: Source, reading: Worth) {
        let source = match (reading, self.last) {
            // mypy, Pyright and ESLint sign their summaries; cargo, Go and plain tsc have none.
            (Worth::AnyTotal(_), Some(last @ (Source::Tsc | Source::Ruff | Source::Gcc))) => last,
            _ => source,
        };
        self.last = Some(source);
        let account = self.accounts.entry(source).or_default();
        match reading {
            Worth::Error => account.settled = account.settled.saturating_add(1),
            Worth::Listed(errors) => account.listed = account.listed.saturating_add(errors),
            Worth::Total(total) | Worth::AnyTotal(total) => account.settle(total),
            Worth::AtLeast(errors) => account.at_least = account.at_least.max(errors),
            Worth::Nothing => {}
        }
    }

    /// The sum; `None` when nothing was recognised.
    pub(super) fn finish(self) -> Option<ErrorCount> {
        let errors = self.accounts.values().fold(0, |sum: u64, account| sum.saturating_add(account.errors()));
        // Tools that found nothing do not blur who found the errors.
        let mut sources =
            self.accounts.iter().filter(|(_, account)| errors == 0 || account.errors() > 0).map(|(&s, _)| s);
        let first = sources.next()?;
        let source = if sources.next().is_some() { Source::Several } else { first };
        Some(ErrorCount { errors, source })
    }
}

#[cfg(test)]
mod tests {
    use super::{Source, Tally, Worth};
    use Worth::{AnyTotal, AtLeast, Error, Listed, Nothing, Total};

    fn check(readings: &[(Source, Worth)], expected: Option<(u64, Source)>) {
        let mut tally = Tally::default();
        for &(source, reading) in readings {
            tally.add(source, reading);
        }
        assert_eq!(tally.finish().map(|count| (count.errors, count.source)), expected);
    }

    #[test]
    fn nothing_is_nothing() {
        check(&[], None);
        check(&[(Source::Ruff, Nothing)], Some((0, Source::Ruff)));
    }

    #[test]
    fn a_total_replaces_the_listed_errors() {
        check(
            &[(Source::Mypy, Listed(1)), (Source::Mypy, Listed(1)), (Source::Mypy, Total(2))],
            Some((2, Source::Mypy)),
        );
        check(&[(Source::Mypy, Listed(1)), (Source::Mypy, Total(7))], Some((7, Source::Mypy)));
    }

    #[test]
    fn two_runs_add_up() {
        let run = [(Source::Mypy, Listed(1)), (Source::Mypy, Total(1))];
        check(&[run, run].concat(), Some((2, Source::Mypy)));
    }

    #[test]
    fn an_unsigned_total_belongs_to_the_tool_before_it() {
        check(
            &[(Source::Gcc, Listed(1)), (Source::Ruff, Listed(1)), (Source::Generic, AnyTotal(1))],
            Some((2, Source::Several)),
        );
        check(&[(Source::Mypy, Listed(1)), (Source::Generic, AnyTotal(1))], Some((2, Source::Several)));
        check(
            &[(Source::Gcc, Listed(1)), (Source::Generic, Nothing), (Source::Generic, AnyTotal(1))],
            Some((2, Source::Several)),
        );
        check(&[(Source::Tsc, Error), (Source::Generic, AnyTotal(1))], Some((2, Source::Tsc)));
    }

    #[test]
    fn at_least_fills_in_only_what_is_missing() {
        check(&[(Source::Cargo, Error), (Source::Cargo, AtLeast(1))], Some((1, Source::Cargo)));
        check(&[(Source::Cargo, Error), (Source::Cargo, AtLeast(5))], Some((5, Source::Cargo)));
    }

    #[test]
    fn tools_without_errors_are_not_named() {
        check(&[(Source::Ruff, Error), (Source::Mypy, Nothing)], Some((1, Source::Ruff)));
        check(&[(Source::Ruff, Nothing), (Source::Mypy, Nothing)], Some((0, Source::Several)));
    }
}
