//! Lines whose indentation is text: those inside a string or here-document that goes over several lines.
//!
//! Only the lines of the hunk are looked at, in no particular language. Where they leave open whether a hunk begins
//! inside such a text or ends inside one, its lines count as text: that only ever prevents a change of indentation.
//! Block scalars of YAML are not meant here, because their indentation moves with them.

/// What ends a text that goes over several lines.
#[derive(Clone, Debug, PartialEq, Eq)]
enum End {
    /// The same characters that began it: `"""`, `'''` or a backtick.
    Same(&'static str),
    /// A quote and this many `#`, as in Rust.
    Raw(usize),
    /// A line that holds nothing but this word.
    Word(String),
}

/// What the characters around a delimiter say about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Opens,
    Closes,
    Either,
}

/// For each line whether it begins inside a text.
pub(crate) fn inside(lines: &[&str]) -> Vec<bool> {
    let outside = Assumed::of(lines, None);
    let Some((End::Same(delimiter), side)) = &outside.first else { return outside.inside };
    match (side, &outside.end) {
        (Side::Closes, _) => Assumed::of(lines, Some(End::Same(delimiter))).inside,
        (Side::Either, Some(_)) => {
            let other = Assumed::of(lines, Some(End::Same(delimiter)));
            outside.inside.iter().zip(other.inside).map(|(one, other)| *one || other).collect()
        }
        _ => outside.inside,
    }
}

/// For each line whether it begins inside a text that does not move with the code around it.
///
/// It does where a line of the text shows it: one that `has_moved` is known to be elsewhere than it is written. One whose
/// lines are all as deep as the line it begins on, or deeper, is laid out with the code; without any indentation that says
/// nothing, unless the text is a statement of its own, as that which documents a function is. Here-documents stay.
pub(crate) fn fixed(lines: &[&str], has_moved: &[bool]) -> Vec<bool> {
    let mut fixed = inside(lines);
    let Assumed { inside, movable, .. } = Assumed::of(lines, None);
    let certain = fixed == inside;
    let depth = |line: &str| line.len() - line.trim_start().len();
    let mut start = 0;
    while start < lines.len() {
        let run = |at: &usize| fixed.get(*at) == fixed.get(start);
        let end = (start..lines.len()).take_while(run).count() + start;
        let body = lines.get(start..end).unwrap_or_default();
        let begins = start.checked_sub(1).and_then(|above| lines.get(above)).filter(|_| certain);
        let is_laid_out = |line: &&str| {
            let (least, text) = (depth(line), line.trim_start().trim_start_matches(['r', 'u']));
            let documents = text.starts_with("\"\"\"") || text.starts_with("'''");
            let deep = body.iter().all(|line| line.trim().is_empty() || depth(line) >= least);
            deep && (least > 0 || documents) && (start..end).all(|at| movable.get(at) == Some(&true))
        };
        let is_shown = (start..end).any(|at| has_moved.get(at) == Some(&true));
        if is_shown || begins.is_some_and(is_laid_out) {
            fixed.iter_mut().take(end).skip(start).for_each(|fixed| *fixed = false);
        }
        start = end;
    }
    fixed
}

/// The lines, read from one assumption about how they begin.
struct Assumed {
    inside: Vec<bool>,
    /// Whether the text a line begins inside is a string.
    movable: Vec<bool>,
    /// The first text that goes on over the end of a line.
    first: Option<(End, Side)>,
    /// The text in which the lines end.
    end: Option<End>,
}

impl Assumed {
    fn of(lines: &[&str], mut end: Option<End>) -> Self {
        let mut inside = Vec::with_capacity(lines.len());
        let mut movable = Vec::with_capacity(lines.len());
        let mut first = None;
        for (at, line) in lines.iter().enumerate() {
            inside.push(end.is_some());
            movable.push(matches!(end, Some(End::Same(_) | End::Raw(_))));
            let mut rest = *line;
            if let Some(open) = &end {
                let Some(after) = close(open, rest) else { continue };
                (rest, end) = (after, None);
            } else if is_comment(line) {
                continue;
            }
            let below = lines.get(at + 1..).unwrap_or_default();
            if let Some((opened, side)) = open(rest, below) {
                first.get_or_insert_with(|| (opened.clone(), side));
                end = Some(opened);
            }
        }
        Self { inside, movable, first, end }
    }
}

/// Whether a whole line is a comment in some language; quotes in there mean nothing. `# don't`.
fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    ["//", "# ", "* ", "-- ", ";; "].iter().any(|start| line.starts_with(start))
}

/// What is after the end of a text on this line, if it ends here.
fn close<'l>(end: &End, line: &'l str) -> Option<&'l str> {
    match end {
        End::Same(delimiter) => find_unescaped(line, delimiter),
        End::Raw(hashes) => line.split_once(&format!("\"{}", "#".repeat(*hashes))).map(|(_, after)| after),
        End::Word(word) => (line.trim() == word).then_some(""),
    }
}

/// What is after the first `delimiter` that no backslash takes its meaning from.
fn find_unescaped<'l>(line: &'l str, delimiter: &str) -> Option<&'l str> {
    let mut rest = line;
    loop {
        if let Some(after) = rest.strip_prefix(delimiter) {
            return Some(after);
        }
        let mut chars = rest.chars();
        if chars.next()? == '\\' {
            chars.next()?;
        }
        rest = chars.as_str();
    }
}

/// The text that begins on this line and does not end on it.
fn open(line: &str, below: &[&str]) -> Option<(End, Side)> {
    let mut rest = line;
    while let Some(character) = rest.chars().next() {
        let before = line.get(..line.len() - rest.len()).unwrap_or_default();
        let after = match character {
            // Three backticks are a fence.
            '`' if rest.starts_with("```") => Some(rest.trim_start_matches('`')),
            '"' | '\'' | '`' => {
                let delimiter = ["\"\"\"", "'''", "`"].into_iter().find(|known| rest.starts_with(known));
                match delimiter.and_then(|delimiter| Some((delimiter, rest.strip_prefix(delimiter)?))) {
                    Some((delimiter, tail)) => match find_unescaped(tail, delimiter) {
                        Some(after) => Some(after),
                        None => return Some((End::Same(delimiter), side(before, tail))),
                    },
                    None => short(rest),
                }
            }
            'r' => match raw(before, rest) {
                Some((end, tail)) => match close(&end, tail) {
                    Some(after) => Some(after),
                    None => return Some((end, Side::Opens)),
                },
                None => None,
            },
            '<' => match here_document(before, rest, below) {
                Some(word) => return Some((End::Word(word), Side::Opens)),
                None => None,
            },
            _ => None,
        };
        rest = after.or_else(|| rest.get(character.len_utf8()..))?;
    }
    None
}

/// What is after an ordinary string or character that ends on its line.
fn short(text: &str) -> Option<&str> {
    if let Some(tail) = text.strip_prefix('"') {
        return find_unescaped(tail, "\"");
    }
    // An apostrophe is no quote, and neither is the mark of a lifetime.
    let tail = text.strip_prefix('\'')?;
    let mut chars = tail.chars();
    if chars.next()? == '\\' {
        chars.next()?;
    }
    chars.as_str().strip_prefix('\'')
}

/// `r#"` and its like, and what is after it.
fn raw<'l>(before: &str, text: &'l str) -> Option<(End, &'l str)> {
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    let before = before.strip_suffix('b').unwrap_or(before);
    if before.ends_with(is_word) {
        return None;
    }
    let marks = text.strip_prefix('r')?;
    let tail = marks.trim_start_matches('#');
    let hashes = marks.len() - tail.len();
    // Three quotes are another kind of text.
    if hashes == 0 && tail.starts_with("\"\"\"") {
        return None;
    }
    Some((End::Raw(hashes), tail.strip_prefix('"')?))
}

/// The word that ends a here-document which begins with this `<<`.
fn here_document(before: &str, text: &str, below: &[&str]) -> Option<String> {
    if before.ends_with('<') {
        return None;
    }
    let tail = text.strip_prefix("<<")?;
    let tail = tail.strip_prefix('-').unwrap_or(tail);
    let spaced = tail.trim_start_matches(' ');
    let quoted = spaced.strip_prefix(['\'', '"', '\\']);
    let name = quoted.unwrap_or(spaced);
    let end = name.find(|character: char| !character.is_ascii_alphanumeric() && character != '_');
    let (word, rest) = name.split_at_checked(end.unwrap_or(name.len()))?;
    if !word.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') {
        return None;
    }
    let ends_below = below.iter().any(|line| line.trim() == word);
    // Without its end in sight it may be a shift: `1 << BITS`.
    let looks_so = tail.len() == spaced.len()
        && before.ends_with(' ')
        && (rest.trim_start().is_empty() || rest.trim_start().starts_with(['>', '|']));
    let is_quoted = quoted.is_some() && rest.starts_with(['\'', '"']);
    (ends_below || is_quoted || looks_so).then(|| word.to_owned())
}

/// What the characters on both sides of a delimiter say about it.
fn side(before: &str, after: &str) -> Side {
    let before = before.trim_end();
    let (after, words) =
        (after.trim_start(), before.trim_end_matches(|letter| "rRbBfFuUs$@".contains(letter)));
    let ends = after.is_empty() || after.starts_with([')', ']', '}', ',', ';', '.']);
    let is_prefix = !words.ends_with(|character: char| character.is_alphanumeric());
    let lead = if is_prefix { words.trim_end() } else { before };
    let keyword =
        ["return", "yield", "in", "raise"].iter().any(|word| lead == *word || lead.trim_start() == *word);
    if keyword || lead.ends_with(['=', '(', '[', '{', ',', ':', '+', '%', '>', '?', '|']) {
        return Side::Opens;
    }
    match (lead.trim().is_empty(), ends) {
        (true, true) => Side::Either,
        (true, false) => Side::Opens,
        (false, true) => Side::Closes,
        (false, false) => Side::Either,
    }
}

#[cfg(test)]
mod tests {
    use super::inside;

    /// Lines that begin with `|` must be inside a text, and no others.
    #[track_caller]
    fn check(lines: &[&str]) {
        let plain: Vec<&str> = lines.iter().map(|line| line.strip_prefix('|').unwrap_or(line)).collect();
        let expected: Vec<bool> = lines.iter().map(|line| line.starts_with('|')).collect();
        assert_eq!(inside(&plain), expected, "{lines:#?}");
    }

    #[test]
    fn texts_over_several_lines_are_seen() {
        check(&["x = \"\"\"", "|a", "|\"\"\"", "y = 1"]);
        check(&["def f():", "    '''Says.", "|", "|    More.", "|    '''", "    pass"]);
        check(&["const q = `", "|  select", "|`;", "run(q);"]);
        check(&["let a = r#\"one", "|\" two", "|\"#;", "let b = 1;"]);
        check(&["cat <<EOF > out", "|a", "|EOF", "echo"]);
        check(&["cat <<-'END'", "|a"]);
        check(&["cat << EOF", "|a", "|EOF", "echo"]);
        check(&["x = f(\"\"\"a", "|b\"\"\", \"\"\"c", "|d\"\"\")", "e"]);
    }

    #[test]
    fn what_ends_on_its_line_is_none() {
        check(&["\"\"\"One line.\"\"\"", "x = ''", "y"]);
        check(&["let a = `b` + `c`;", "d"]);
        check(&["let a = r#\"b\"#;", "let c = r\"d\";", "for\"e"]);
        check(&["let a = '`'; let b = '\"';", "let c = \"`\";", "let d = \"\\\"`\";", "e"]);
        check(&["x = 1 << BITS", "y = (1<<PORTB)", "out << name << END;", "z <<= 3"]);
        check(&["// it's a ` or \"\"\"", "# a ` too", "x"]);
        check(&["```rust", "x", "```"]);
        check(&["run: |", "  echo", "fn f<'a>(x: &'a str) {", "it's", "y"]);
    }

    #[test]
    fn a_hunk_may_begin_inside_a_text() {
        check(&["|    and more.", "|    the end.\"\"\"", "x = 1"]);
        check(&["|  from t`;", "run();"]);
        // Nobody can say which of the two it is.
        check(&["|a", "|\"\"\"", "|b"]);
        check(&["def f():", "    \"\"\"Says.", "|b"]);
        check(&["a", "\"\"\"", "|b", "|\"\"\"", "c"]);
    }
}
