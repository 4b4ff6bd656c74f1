//! Arguments of a template: how they are written, and where they go.
//!
//! `$1` is the first argument, `$@` and `$ARGUMENTS` are all of them, `${@:2}` those from the second on, `${@:2:3}` three
//! of them from the second on. What an argument says is never expanded again.

/// The arguments of a line, as a shell would split them: quotes keep blanks, a backslash keeps the next character.
#[must_use]
pub fn arguments(line: &str) -> Vec<String> {
    let mut arguments = Vec::new();
    let mut current: Option<String> = None;
    let mut quote = None;
    let mut characters = line.chars();
    while let Some(c) = characters.next() {
        match (c, quote) {
            ('\\', None | Some('"')) => current.get_or_insert_default().extend(characters.next()),
            (c, Some(open)) if c == open => quote = None,
            ('"' | '\'', None) => {
                quote = Some(c);
                current.get_or_insert_default();
            }
            (c, None) if c.is_whitespace() => arguments.extend(current.take()),
            (c, _) => current.get_or_insert_default().push(c),
        }
    }
    arguments.extend(current);
    arguments
}

/// The text with its arguments. `line` is what the user wrote, for `$ARGUMENTS`.
#[must_use]
pub fn expand(text: &str, arguments: &[String], line: &str) -> String {
    let mut expanded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        let (before, from) = rest.split_at(at);
        expanded.push_str(before);
        match variable(from, arguments, line) {
            Some((value, length)) => {
                expanded.push_str(&value);
                rest = from.get(length..).unwrap_or_default();
            }
            None => {
                expanded.push('$');
                rest = from.get(1..).unwrap_or_default();
            }
        }
    }
    expanded.push_str(rest);
    expanded
}

/// The value of the variable that a text begins with, and how long its name is.
fn variable(text: &str, arguments: &[String], line: &str) -> Option<(String, usize)> {
    if text.starts_with("$ARGUMENTS") {
        return Some((line.to_owned(), "$ARGUMENTS".len()));
    }
    if text.starts_with("$@") {
        return Some((arguments.join(" "), 2));
    }
    if let Some(inner) = text.strip_prefix("${@:") {
        let end = inner.find('}')?;
        let (start, count) =
            inner.get(..end)?.split_once(':').map_or((inner.get(..end)?, None), |(a, b)| (a, Some(b)));
        let start: usize = start.parse().ok()?;
        let count = count.map_or(Ok(usize::MAX), str::parse).ok()?;
        let some = arguments.iter().skip(start.saturating_sub(1)).take(count);
        return Some((some.cloned().collect::<Vec<_>>().join(" "), end + "${@:}".len()));
    }
    let digits = text.bytes().skip(1).take_while(u8::is_ascii_digit).count();
    let number: usize = text.get(1..=digits)?.parse().ok()?;
    let value = number.checked_sub(1).and_then(|at| arguments.get(at)).cloned().unwrap_or_default();
    Some((value, digits + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_split_as_in_a_shell() {
        assert_eq!(arguments("a 'b c' \"d \\\" e\" f\\ g ''"), ["a", "b c", "d \" e", "f g", ""]);
        assert_eq!(arguments("  "), [] as [&str; 0]);
        assert_eq!(arguments("it's open"), ["its open"]);
    }

    #[test]
    fn variables_are_expanded_once() {
        let check = |text: &str, expected: &str| {
            let line = "one two $1 four";
            assert_eq!(expand(text, &arguments(line), line), expected, "{text}");
        };
        check("a $1 b $2", "a one b two");
        check("$3 is not expanded again", "$1 is not expanded again");
        check("$@ | $ARGUMENTS", "one two $1 four | one two $1 four");
        check("${@:2} | ${@:2:2}", "two $1 four | two $1");
        check("$9|$0|$10", "||");
        check("costs $ 5, ${x}, ${@:x}, $$, $", "costs $ 5, ${x}, ${@:x}, $$, $");
        check("ä$1ö", "äoneö");
    }
}
