//! The phrases that announce a second version of what was sent before. [`super::words`] decides what they mean where they are.

/// Phrases that announce another way to do the same.
pub(super) const ALTERNATIVES: &[&str] = &[
    "alternatively", "option b", "option 2", "option two", "option c", "option 3", "approach 2",
    "approach b", "approach two", "alternative 2", "alternative b", "second option", "another option",
    "another approach", "another possibility", "another way", "another version", "another solution",
    "alternative approach", "alternative:", "alternative version", "alternative", "if you prefer",
    "or, if you", "or if you", "version b", "variant b", "solution 2", "solution b", "method 2",
    "you could also", "you can also use", "a different approach", "an alternative", "or simply",
];

/// Phrases that retract what was sent before.
pub(super) const CORRECTIONS: &[&str] = &[
    "actually,",
    "actually use",
    "correction",
    "scratch that",
    "on second thought",
    "hold on",
    "ignore the above",
    "ignore the previous",
    "ignore my previous",
    "disregard",
    "use this instead",
    "use the following instead",
    "instead of the above",
    "i made a mistake",
    "my mistake",
    "let me fix",
    "let me correct",
    "wait,",
    "wait —",
    "oops",
    "sorry,",
    "instead, use",
    "replaces the above",
    "forget the",
    "even better",
    "better yet",
    "apologies",
    "use this one",
];

/// Phrases that announce a later version of the same file. Above another file they say nothing.
pub(super) const REVISIONS: &[&str] = &[
    "final version", "corrected", "better version", "revised version", "correct version", "fixed version",
    "improved version", "final code", "version 2", "v2", "second version", "fixed:", "revised:", "instead:",
];
