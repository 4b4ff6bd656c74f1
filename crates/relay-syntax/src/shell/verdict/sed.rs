//! `sed`: most scripts only print, but `w` writes files, `e` runs commands and `-i` edits in place.

use super::super::tree::Word;
use super::judge::{Judge, Opinion};
use super::options::Options;
use super::{Access, Cause};

pub(super) fn judge(judge: &Judge<'_>, arguments: &[Word]) -> Opinion {
    // The suffix of `-i` is attached, so `i` is read as one that ends its cluster.
    let in_place = arguments.iter().filter_map(Word::literal).any(is_in_place);
    let arguments: Vec<Word> = arguments
        .iter()
        .filter(|word| {
            !word.literal().is_some_and(|text| text.starts_with("-i") || text.starts_with("--in-place"))
        })
        .cloned()
        .collect();
    let options = Options::of(&arguments, ("efl", &["expression", "file", "line-length"]));
    if options.has_either('f', "file") {
        return Opinion::unknown(Cause::Code, "runs a script from a file, whose text was not looked at");
    }
    if options.is_uncertain {
        return Opinion::unknown(Cause::Dynamic, "the script of `sed` is only known when it runs");
    }
    let has_expression = options.has_either('e', "expression");
    let expressions: Vec<Word> = if has_expression {
        expressions(&arguments)
    } else {
        options.operands.first().map(|word| (*word).clone()).into_iter().collect()
    };
    for expression in &expressions {
        let Some(text) = expression.literal() else {
            return Opinion::unknown(Cause::Dynamic, "the script of `sed` is only known when it runs");
        };
        if !only_prints(text) {
            return Opinion::unknown(
                Cause::Code,
                "the script of `sed` writes files, runs commands, or is not understood",
            );
        }
    }
    if !in_place {
        return Opinion::reads("prints edited text");
    }
    let files = options.operands.iter().skip(usize::from(!has_expression));
    let touched: Vec<_> = files.map(|word| judge.touched(word, Access::Write)).collect();
    if let Some(outside) =
        touched.iter().find(|touched| touched.is_exact && !judge.files.is_inside(&touched.path))
    {
        return Opinion::unknown(Cause::Outside, format!("edits `{}`, outside the workspace", outside.path))
            .touching(touched);
    }
    Opinion::changes("edits files in place").touching(touched)
}

fn is_in_place(text: &str) -> bool {
    text.starts_with("--i")
        || text.strip_prefix('-').is_some_and(|letters| {
            !letters.starts_with('-')
                && letters.chars().take_while(|letter| !"efl".contains(*letter)).any(|letter| letter == 'i')
        })
}

/// The words after each `-e`.
fn expressions(arguments: &[Word]) -> Vec<Word> {
    let mut found = Vec::new();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let text = word.text.as_str();
        if text == "--expression" || (text.starts_with('-') && !text.starts_with("--") && text.ends_with('e'))
        {
            found.extend(words.next().cloned());
        } else if let Some(attached) = text.strip_prefix("--expression=").or_else(|| text.strip_prefix("-e"))
        {
            found.push(Word {
                text: attached.to_owned(),
                known: attached.len(),
                expands: word.expands,
                ..Word::default()
            });
        } else if text.starts_with('-') && !text.starts_with("--") && text.contains('e') {
            // `-ne's/…/'` and the like: rare enough to ask about.
            found.push(Word { expands: true, ..Word::default() });
        }
    }
    found
}

/// Whether a script has only commands that edit what is printed.
fn only_prints(script: &str) -> bool {
    let mut rest = script;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\n', ';', '}']);
        let Some(after) = skip_addresses(rest) else { return false };
        let mut characters = after.chars();
        let Some(command) = characters.next() else { return after.len() == rest.len() };
        let tail = characters.as_str();
        rest = match command {
            '{' => tail,
            '=' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x' | 'z' | 'F' => {
                match end_of_command(tail) {
                    Some(rest) => rest,
                    None => return false,
                }
            }
            'q' | 'Q' | 'l' | 'L' => match end_of_command(
                tail.trim_start_matches([' ', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']),
            ) {
                Some(rest) => rest,
                None => return false,
            },
            's' | 'y' => match substitution(command, tail).and_then(end_of_command) {
                Some(rest) => rest,
                None => return false,
            },
            '#' | 'a' | 'i' | 'c' | 'r' => {
                tail.split_once('\n').map_or("", |(line, rest)| if line.ends_with('\\') { "w" } else { rest })
            }
            ':' | 'b' | 't' | 'T' => tail.trim_start_matches(|next: char| !matches!(next, ';' | '\n' | '}')),
            _ => return false,
        };
    }
}

/// What is after a command that takes nothing more on its line.
fn end_of_command(tail: &str) -> Option<&str> {
    let tail = tail.trim_start_matches([' ', '\t']);
    (tail.is_empty() || tail.starts_with([';', '\n', '}', '#'])).then_some(tail)
}

/// `s/a/b/g` and `y/a/b/` without flags that write or run.
fn substitution(command: char, tail: &str) -> Option<&str> {
    let delimiter = tail.chars().next().filter(|next| *next != '\\' && *next != '\n')?;
    let after_first = after_delimiter(tail.get(delimiter.len_utf8()..)?, delimiter)?;
    let after_second = after_delimiter(after_first, delimiter)?;
    let flags = if command == 's' { "gpIiMm0123456789" } else { "" };
    Some(after_second.trim_start_matches(|next| flags.contains(next)))
}

/// What is after the next `delimiter` that is not escaped and not in brackets.
fn after_delimiter(text: &str, delimiter: char) -> Option<&str> {
    let mut characters = text.char_indices();
    while let Some((at, next)) = characters.next() {
        if next == '\\' {
            characters.next();
        } else if next == delimiter {
            return text.get(at + next.len_utf8()..);
        }
    }
    None
}

/// Steps over `3`, `$`, `/x/I`, `2,5`, `0~4`, `/a/,+2` and `!`.
fn skip_addresses(text: &str) -> Option<&str> {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|next: char| {
            next.is_ascii_digit() || matches!(next, '$' | ',' | '~' | '+' | '!' | ' ' | '\t')
        });
        if let Some(expression) = rest.strip_prefix('/') {
            rest = after_delimiter(expression, '/')?.trim_start_matches(['I', 'M']);
        } else if rest.starts_with('\\') {
            let delimiter = rest.chars().nth(1)?;
            rest = after_delimiter(rest.get(1 + delimiter.len_utf8()..)?, delimiter)?
                .trim_start_matches(['I', 'M']);
        } else {
            return Some(rest);
        }
    }
}
