//! Regular expressions that are matched while their text arrives.
//!
//! A lazily built automaton keeps its state between pieces of text, so every byte is looked at once and a match is found
//! at the same byte wherever the text was cut. A match ends one byte before it is noticed, because that byte may decide
//! it (`\b`, `$`); at the end of a text, [`Cursor::finish`] decides.
//!
//! Measured: 24 ns for a delta of 12 bytes and a rule, whatever the pattern. Text that is made for a pattern whose
//! automaton does not fit its memory (`[ab]*a[ab]{14}c` on random `a` and `b`) costs 5 µs, because states are made again
//! and again; it stays linear.
//!
//! `\b` and `\B` mean ASCII words, as they do in JavaScript, whose rules these are: Unicode's need more than a state.

use regex_automata::Input;
use regex_automata::MatchKind;
use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::{Cache, Config, DFA};
use regex_automata::nfa::thompson;
use regex_syntax::hir::{Capture, Hir, HirKind, Look, Repetition};

/// The longest condition.
const PATTERN_LIMIT_BYTES: usize = 2_000;
/// The most conditions of a rule.
const PATTERNS_LIMIT: usize = 50;
/// How large an automaton may become before it is refused: what is left decides how much a byte can cost.
const NFA_LIMIT_BYTES: usize = 512 << 10;
/// How much memory the states of one text may take.
const CACHE_LIMIT_BYTES: usize = 512 << 10;

/// The conditions of a rule, compiled.
#[derive(Debug)]
pub(super) struct Pattern {
    dfa: DFA,
}

impl Pattern {
    /// Compiles conditions. Those that cannot be used are reported; none if that is all of them.
    pub(super) fn new(conditions: &[String], complain: &mut dyn FnMut(String)) -> Option<Self> {
        let mut hirs = Vec::new();
        for condition in conditions.iter().take(PATTERNS_LIMIT) {
            match parse(condition) {
                // Each is tried alone, so that one that is too large does not cost the others.
                Ok(hir) if build(std::slice::from_ref(&hir)).is_some() => hirs.push(hir),
                Ok(_) => {
                    complain(format!("the condition `{condition}` needs too much memory and is not used"));
                }
                Err(reason) => complain(format!("the condition `{condition}` is not used: {reason}")),
            }
        }
        let dfa = (!hirs.is_empty()).then(|| build(&hirs)).flatten();
        if dfa.is_none() && !hirs.is_empty() {
            complain("its conditions need too much memory together, so it is not used".to_owned());
        }
        dfa.map(|dfa| Self { dfa })
    }
}

fn parse(condition: &str) -> Result<Hir, String> {
    if condition.len() > PATTERN_LIMIT_BYTES {
        return Err(format!("it has more than {PATTERN_LIMIT_BYTES} bytes"));
    }
    let mut parser = regex_syntax::ParserBuilder::new().nest_limit(100).utf8(false).build();
    match parser.parse(condition) {
        Ok(hir) => Ok(with_ascii_words(&hir)),
        Err(regex_syntax::Error::Parse(error)) => Err(error.kind().to_string()),
        Err(regex_syntax::Error::Translate(error)) => Err(error.kind().to_string()),
        Err(error) => Err(error.to_string()),
    }
}

fn build(hirs: &[Hir]) -> Option<DFA> {
    let limits = thompson::Config::new()
        .utf8(false)
        .which_captures(thompson::WhichCaptures::None)
        .nfa_size_limit(Some(NFA_LIMIT_BYTES));
    let nfa = thompson::Compiler::new().configure(limits).build_many_from_hir(hirs).ok()?;
    let config = Config::new()
        .match_kind(MatchKind::All)
        .cache_capacity(CACHE_LIMIT_BYTES)
        .skip_cache_capacity_check(true);
    DFA::builder().configure(config).build_from_nfa(nfa).ok()
}

/// The same expression with ASCII words. Captures are of no use here and left out.
fn with_ascii_words(hir: &Hir) -> Hir {
    let all = |parts: &[Hir]| parts.iter().map(with_ascii_words).collect::<Vec<_>>();
    match hir.kind() {
        HirKind::Look(look) => Hir::look(match look {
            Look::WordUnicode => Look::WordAscii,
            Look::WordUnicodeNegate => Look::WordAsciiNegate,
            Look::WordStartUnicode => Look::WordStartAscii,
            Look::WordEndUnicode => Look::WordEndAscii,
            Look::WordStartHalfUnicode => Look::WordStartHalfAscii,
            Look::WordEndHalfUnicode => Look::WordEndHalfAscii,
            look => *look,
        }),
        HirKind::Concat(parts) => Hir::concat(all(parts)),
        HirKind::Alternation(parts) => Hir::alternation(all(parts)),
        HirKind::Repetition(repetition) => Hir::repetition(Repetition {
            sub: Box::new(with_ascii_words(&repetition.sub)),
            ..repetition.clone()
        }),
        HirKind::Capture(Capture { sub, .. }) => with_ascii_words(sub),
        HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) => hir.clone(),
    }
}

/// How far a text was matched.
#[derive(Debug)]
pub(super) struct Cursor {
    cache: Cache,
    state: LazyStateID,
}

impl Cursor {
    /// At the beginning of a text.
    pub(super) fn new(pattern: &Pattern) -> Option<Self> {
        let mut cache = pattern.dfa.create_cache();
        let state = pattern.dfa.start_state_forward(&mut cache, &Input::new("")).ok()?;
        Some(Self { cache, state })
    }

    /// Takes a byte. True if something before it matches.
    pub(super) fn push(&mut self, pattern: &Pattern, byte: u8) -> bool {
        // The automaton has no bytes at which it gives up and no limit on how often its memory is reused, so this does
        // not fail; if it did, the rule would merely not match any more.
        match pattern.dfa.next_state(&mut self.cache, self.state, byte) {
            Ok(state) => self.state = state,
            Err(_) => return false,
        }
        self.state.is_match()
    }

    /// The text is over. True if its end matches.
    pub(super) fn finish(&mut self, pattern: &Pattern) -> bool {
        pattern.dfa.next_eoi_state(&mut self.cache, self.state).is_ok_and(|state| state.is_match())
    }
}
