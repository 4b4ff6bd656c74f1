//! How many tokens a text has, by estimate.
//!
//! Every provider counts differently and most tell only afterwards. What is counted here is what their tokenizers have in
//! common: about 3.6 ASCII characters to a token, and a token for every other character. On source code it is within
//! about a fifth of what is billed; a budget should leave that much room.

/// About how many tokens a text has.
///
/// ```
/// assert_eq!(relay_engine::tokens::estimate("fn main() { println!(\"hello\"); }"), 9);
/// ```
#[must_use]
pub fn estimate(text: &str) -> usize {
    let (ascii, other) = text.chars().fold((0_usize, 0_usize), |(ascii, other), c| {
        if c.is_ascii() { (ascii + 1, other) } else { (ascii, other + 1) }
    });
    (ascii * 5).div_ceil(18) + other
}
