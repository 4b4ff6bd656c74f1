//! The blocks of a reply, for people: what landed, what was only shown, what is unclear.

use relay_edit::{Block, Class};
use relay_engine::{Outcome, Status};

use super::report::line;
use super::style::{BAD, FAINT, GOOD, NOTE, count, paint};
use super::visible;

/// One line about the blocks that did not land, or the whole table on request.
pub fn text(outcome: &Outcome) -> String {
    match outcome.status {
        Status::Explained => table(&outcome.blocks),
        Status::Committed | Status::Partial | Status::Validated => summary(&outcome.blocks),
        _ => String::new(),
    }
}

/// `3 edits landed, 2 blocks only shown (lines 12 and 40)`, if the reply has anything besides edits.
fn summary(blocks: &[Block]) -> String {
    let of = |class: Class| blocks.iter().filter(move |block| block.class == class);
    let shown: Vec<String> = of(Class::Shown).map(|block| block.first.to_string()).collect();
    if shown.is_empty() {
        return String::new();
    }
    let edits = of(Class::Edit).filter(|block| block.dialect.is_some()).count();
    let word = if shown.len() == 1 { "line" } else { "lines" };
    let mut text = String::new();
    let sentence = format!(
        "{} landed, {} only shown ({word} {})",
        count(edits, "edit"),
        count(shown.len(), "block"),
        listed(&shown)
    );
    line(&mut text, format_args!("  {}", paint(FAINT, sentence)));
    text
}

/// `1, 2 and 3`; of many, only the first few.
fn listed(numbers: &[String]) -> String {
    const SHOWN: usize = 12;
    match numbers {
        [] => String::new(),
        [only] => only.clone(),
        several if several.len() > SHOWN => {
            format!(
                "{} and {} more",
                several.get(..SHOWN).unwrap_or_default().join(", "),
                several.len() - SHOWN
            )
        }
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Every block with its lines, its class and the reason.
pub fn table(blocks: &[Block]) -> String {
    let mut text = String::new();
    if blocks.is_empty() {
        line(&mut text, format_args!("  {}", paint(FAINT, "none")));
    }
    for block in blocks {
        let lines = if block.first == block.last {
            block.first.to_string()
        } else {
            format!("{}–{}", block.first, block.last)
        };
        let style = match block.class {
            Class::Edit => GOOD,
            Class::Shown => FAINT,
            Class::Unclear => BAD,
        };
        let path = block.path.as_deref().map(|path| format!("{}  ", visible(path))).unwrap_or_default();
        let dialect = block.dialect.map(|dialect| format!(" ({})", dialect.name())).unwrap_or_default();
        let class = paint(style, format!("{:<7}", block.class.name()));
        let reason = visible(&block.reason).into_owned();
        line(&mut text, format_args!("  {lines:>9}  {class}  {}{reason}{dialect}", paint(NOTE, path)));
    }
    text
}
