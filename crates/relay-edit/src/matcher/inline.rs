//! Old text that is part of a line: turned into whole lines, so that everything else stays the same.
//!
//! Some authors search for `port: 3000` inside a longer line, or leave the indentation of the first line off. The text
//! must be in the file exactly once, and must not begin or end in the middle of a word. New text that brings what
//! is beside the part was written for the whole line: put into it, that would be there twice.

use crate::Hunk;
use crate::lines::{Lines, is_blank};

/// The hunk in whole lines, if its old text is once inside the lines of a file. `port: 3000` in `{ host: a, port: 3000
/// }` becomes that whole line.
pub(crate) fn widen(hunk: &Hunk, lines: &Lines<'_>) -> Option<Hunk> {
    let ending = lines.ending_near(0);
    let join = |side: Vec<&str>| side.into_iter().map(str::as_bytes).collect::<Vec<_>>().join(ending);
    let (old, new) = (join(hunk.old_lines().collect()), join(hunk.new_lines().collect()));
    // A blank line at an end is no text: it would match the end of any line.
    let edges = [hunk.old_lines().next(), hunk.old_lines().last()];
    if edges.into_iter().any(|line| line.is_none_or(|line| is_blank(line.as_bytes()))) {
        return None;
    }
    let count = |tells: fn(&&u8) -> bool| old.iter().filter(tells).count();
    let telling = count(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii()) >= 3
        || count(|byte| byte.is_ascii_graphic()) >= 8;
    if !telling || old == new {
        return None;
    }
    let bytes = lines.bytes();
    let mut places = memchr::memmem::find_iter(bytes, &old);
    let start = places.next()?;
    let end = start + old.len();
    if places.next().is_some() || !is_boundary(bytes, start) || !is_boundary(bytes, end) {
        return None;
    }
    let first = (0..lines.len()).find(|line| lines.span(*line).is_some_and(|span| start <= span.end))?;
    let last =
        (first..lines.len()).find(|line| lines.span(*line).is_some_and(|span| end <= span.text_end))?;
    let (head, tail) = (bytes.get(lines.offset(first)..start)?, bytes.get(end..lines.span(last)?.text_end)?);
    // A line that begins as quoted and then says more is another line, and so is the last of several.
    let says_more = tail.iter().any(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii());
    if says_more && (is_blank(head) || first != last) {
        return None;
    }
    if is_blank(head) && !head.is_empty() && !keeps_indentation(hunk) {
        return None;
    }
    if brings(&old, &new, head, tail) || is_unfit(hunk, head, tail) {
        return None;
    }
    let whole: Vec<u8> = [head, new.as_slice(), tail].concat();
    let whole = String::from_utf8(whole).ok()?;
    let old_lines: Option<Vec<&str>> =
        (first..=last).map(|line| std::str::from_utf8(lines.text(line)).ok()).collect();
    let new_lines: Vec<&str> = whole.split(std::str::from_utf8(ending).ok()?).collect();
    let mut widened = Hunk::from_sides(&old_lines?, &new_lines, hunk.line);
    widened.line_hint = Some(first + 1);
    Some(widened)
}

/// Whether only the first line of a hunk lost its indentation, so that the others can be written as they are.
///
/// That shows in an old line below it that kept its own, and in new lines that all have one; when everything was
/// written without indentation, nobody can say how deep a new line belongs. `if x {`, `    a();` whose first line is `
///   if x {` in the file, with `if y {`, `    a();` as the new text.
fn keeps_indentation(hunk: &Hunk) -> bool {
    let is_deep = |line: &str| line.starts_with([' ', '\t']);
    let (old, mut new) = (hunk.old_lines().skip(1).collect::<Vec<_>>(), hunk.new_lines());
    let first = new.next().is_none_or(|line| !is_deep(line));
    let mut below = new.filter(|line| !is_blank(line.as_bytes())).peekable();
    let shown = old.iter().any(|line| is_deep(line) && !is_blank(line.as_bytes()));
    first && (below.peek().is_none() || shown && below.all(|line| is_deep(line) || old.contains(&line)))
}

/// Whether the new text begins with what is before the part, or ends with what follows it, and the old text does not.
/// `3000` for `3001`, in `port = 3000;`, but the new text is `port = 3001`.
fn brings(old: &[u8], new: &[u8], head: &[u8], tail: &[u8]) -> bool {
    let (head, tail, bare) = (head.trim_ascii_end(), tail.trim_ascii_start(), new.trim_ascii());
    // Brackets that the new text opens and closes itself are its own.
    let is_own = |part: &[u8]| {
        part.iter().all(|byte| b"()[]{}".contains(byte)) && open_brackets(old) == open_brackets(new)
    };
    let before = (1..=head.len().min(bare.len())).filter_map(|length| head.get(head.len() - length..));
    let behind = (1..=tail.len().min(bare.len())).filter_map(|length| tail.get(..length));
    let begins =
        before.filter(|part| bare.starts_with(part) && !old.trim_ascii().starts_with(part)).any(|part| {
            is_boundary(bare, part.len()) && is_boundary(head, head.len() - part.len()) && !is_own(part)
        });
    let ends = behind.filter(|part| bare.ends_with(part) && !old.trim_ascii().ends_with(part)).any(|part| {
        is_boundary(bare, bare.len() - part.len()) && is_boundary(tail, part.len()) && !is_own(part)
    });
    begins || ends
}

/// Whether the new lines were not written to be between `head` and `tail`: more of them than there were, which begin or
/// end as nothing did, a comment that would take in what follows, or nothing where something is left over. `3000` for
/// `3001 // was 3000` in `f(3000, x)` would take `, x)` into the comment.
fn is_unfit(hunk: &Hunk, head: &[u8], tail: &[u8]) -> bool {
    let (old, new) = (hunk.old_lines().collect::<Vec<_>>(), hunk.new_lines().collect::<Vec<_>>());
    let (Some((old_first, old_last)), Some((new_first, new_last))) =
        (old.first().zip(old.last()), new.first().zip(new.last()))
    else {
        let says = |part: &[u8]| part.iter().any(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii());
        return !says(head) && !says(tail) || is_blank(tail) && head.ends_with(b" ");
    };
    // New lines that bring a whole line of the file were written in whole lines, and so was one with an indentation.
    let (first, last) = match old.as_slice() {
        [only] => ([head, only.as_bytes(), tail].concat(), Vec::new()),
        _ => ([head, old_first.as_bytes()].concat(), [old_last.as_bytes(), tail].concat()),
    };
    let is_part = |whole: &[u8], part: &str| whole.trim_ascii() != part.trim().as_bytes();
    let brings = |whole: &[u8], part: &str| {
        let whole_line = |line: &&str| line.trim().as_bytes().starts_with(whole.trim_ascii());
        !is_blank(whole) && is_part(whole, part) && new.iter().any(whole_line)
    };
    let is_deep = |line: &str| line.starts_with([' ', '\t']);
    if brings(&first, old_first)
        || brings(&last, old_last)
        || !is_blank(head) && is_deep(new_first) && !is_deep(old_first)
    {
        return true;
    }
    // Lines that come above or below a single one were not written to be joined with the rest of it.
    let more = old.len() == 1 && new.len() > 1;
    let before = !is_blank(head)
        && (more && word(old_first) != word(new_first)
            || comment(new_first) == Some(0) && comment(old_first) != Some(0));
    let behind = !is_blank(tail)
        && (more && old_last.trim() == new_first.trim()
            || comment(new_last).is_some() && comment(old_last).is_none());
    before || behind
}

/// The word or the sign that a text begins with.
fn word(text: &str) -> &str {
    let text = text.trim_start();
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    let sign = text.chars().next().map_or(0, char::len_utf8);
    text.get(..end.max(sign)).unwrap_or(text)
}

/// Where in a line, but for its indentation, a comment begins that goes on to its end. 13 in `let a = 1;  // one`;
/// `https://x.org` has none.
fn comment(line: &str) -> Option<usize> {
    let line = line.trim();
    let stands_apart =
        |at: &usize| line.get(..*at).is_some_and(|above| above.is_empty() || above.ends_with(' '));
    let find = |mark: &str, spaced: bool| {
        line.match_indices(mark).map(|(at, _)| at).filter(stands_apart).find(|at| {
            let rest = line.get(at + mark.len()..).unwrap_or_default();
            !spaced || rest.is_empty() || rest.starts_with(' ')
        })
    };
    let open = |mark: &str, end: &str| {
        line.rfind(mark).filter(|at| line.get(*at..).is_some_and(|rest| !rest.contains(end)))
    };
    let found = [find("//", false), find("#", true), find("--", true), open("/*", "*/"), open("<!--", "-->")];
    found.into_iter().flatten().min()
}

/// How many brackets a text opens and does not close.
fn open_brackets(text: &[u8]) -> isize {
    text.iter().fold(0, |open, byte| match byte {
        b'(' | b'[' | b'{' => open + 1,
        b')' | b']' | b'}' => open - 1,
        _ => open,
    })
}

/// Whether a text may begin or end here without cutting a word, or a row of signs. `port` ends there in `port: 1` and
/// not in `ports: 1`.
fn is_boundary(bytes: &[u8], at: usize) -> bool {
    let is_word = |at: Option<usize>| {
        at.and_then(|at| bytes.get(at))
            .is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii())
    };
    let byte = |at: Option<usize>| at.and_then(|at| bytes.get(at)).copied();
    let (above, below) = (byte(at.checked_sub(1)), byte(Some(at)));
    // A rule or a marker is one thing, however long it is.
    let in_rule = above == below && below.is_some_and(|byte| b"<>=-+*#~_`".contains(&byte));
    let in_word = is_word(at.checked_sub(1)) && is_word(Some(at));
    !(in_word || in_rule)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The old and the new lines a hunk becomes, and the number of the first.
    fn widened(file: &str, old: &[&str], new: &[&str]) -> Option<(Vec<String>, Vec<String>, Option<usize>)> {
        let hunk = widen(&Hunk::from_sides(old, new, 1), &Lines::new(file.as_bytes()))?;
        let owned = |lines: Vec<&str>| lines.into_iter().map(str::to_owned).collect();
        Some((owned(hunk.old_lines().collect()), owned(hunk.new_lines().collect()), hunk.line_hint))
    }

    #[track_caller]
    fn check(file: &str, sides: [&[&str]; 2], expected: [&[&str]; 2], line: usize) {
        let owned = |lines: &[&str]| lines.iter().copied().map(str::to_owned).collect();
        let expected = (owned(expected[0]), owned(expected[1]), Some(line));
        assert_eq!(widened(file, sides[0], sides[1]), Some(expected));
    }

    #[track_caller]
    fn check_refused(file: &str, old: &[&str], new: &[&str]) {
        assert_eq!(widened(file, old, new), None, "{file:?} {old:?}");
    }

    #[test]
    fn a_part_becomes_its_whole_lines() {
        let [before, after] = ["{ host: 1, port: 3000 }", "{ host: 1, port: 8080 }"];
        let file = format!("a\n{before}\nb\n");
        check(&file, [&["port: 3000"], &["port: 8080"]], [&[before], &[after]], 2);
        check("x: longer", [&["longer"], &["shorter"]], [&["x: longer"], &["x: shorter"]], 1);
        for ending in ["\n", "\r\n", "\r"] {
            let file = format!("x{ending}call(one,{ending}  two);{ending}");
            let sides: [&[&str]; 2] = [&["(one,", "  two)"], &["(two,", "  three,", "  one)"]];
            let whole: [&[&str]; 2] = [&["call(one,", "  two);"], &["call(two,", "  three,", "  one);"]];
            check(&file, sides, whole, 2);
        }
    }

    #[test]
    fn a_part_stands_once_and_cuts_no_word() {
        check_refused("port: 1, port: 1\n", &["port: 1"], &["port: 2"]);
        check_refused("let report = 1;\n", &["port = 1"], &["port = 2"]);
        check_refused("let port = 1;\n", &["let por"], &["let fla"]);
        check_refused("a --------- b\n", &["--------"], &["b"]);
    }

    /// Two letters, or a row of a few signs, are somewhere in most files.
    #[test]
    fn a_part_must_tell_something() {
        check_refused("f(ab)\n", &["ab"], &["cd"]);
        check("f(abc)\n", [&["abc"], &["cde"]], [&["f(abc)"], &["f(cde)"]], 1);
        check_refused("x ({[;;]) y\n", &["({[;;])"], &["()"]);
        check("x ({[;;]}) y\n", [&["({[;;]})"], &["()"]], [&["x ({[;;]}) y"], &["x () y"]], 1);
        check_refused("f(abc)\n", &["abc", ""], &["cde"]);
        check_refused("f(abc)\n", &["abc"], &["abc"]);
    }

    /// It is quoted from its beginning as if it were whole.
    #[test]
    fn a_line_that_goes_on_in_words_is_another_line() {
        check_refused("call(one); call(two);\n", &["call(one);"], &["call(three);"]);
        check("call(one);;\n", [&["call(one);"], &["call(two);"]], [&["call(one);;"], &["call(two);;"]], 1);
    }

    #[test]
    fn what_stands_beside_the_part_is_not_written_twice() {
        for (line, old, new) in [
            ("  foo(a);", "foo(a)", "foo(a, b);"),
            ("This is a sample text.", "This is a sample text", "This is a new text."),
            ("if (a) {", "if (a)", "if (a && b) {"),
            ("    def f(self):", "    def f(self)", "    def f(self, x):"),
            ("const total = sum(a);", "sum(a);", "const total = sum(a, b);"),
            ("    return compute(a)", "compute(a)", "return compute(a, b)"),
            ("name = \"old\"", "name = \"old", "name = \"new\""),
            ("name = \"old\"", "old", "\"new\""),
            ("x = foo(abc);", "foo(abc", "foo(abc, b)"),
            ("print(value);", "value", "int(value);"),
            ("let total = sum(a);", "sum(a)", "total = sum(a, b)"),
        ] {
            check_refused(&format!("{line}\n"), &[old], &[new]);
        }
        check_refused(
            "  alpha(1);\n  beta(2);\n",
            &["  alpha(1);", "  beta(2)"],
            &["  alpha(1);", "  beta(3);"],
        );
        // Written for lines of their own, or for the end of one.
        check_refused("x = compute(a)\n", &["compute(a)"], &["log()", "compute(a)"]);
        check_refused("call(one, two);\n", &["(one, two)"], &["(one, two)", "more(one)"]);
        for (line, old, new) in [
            ("  foo(a);", "foo(a)", "foo(a) // why"),
            ("self.x = compute(a)", "x = compute(a)", "# x = compute(a)"),
            ("f(one, two)", "one", "one /* first"),
        ] {
            check_refused(&format!("{line}\n"), &[old], &[new]);
        }
        check_refused("  foo(a);\n", &["foo(a)"], &[]);
        check_refused("    return compute(a)\n", &["compute(a)"], &[]);
        check("f(one, two)\n", [&[", two"], &[]], [&["f(one, two)"], &["f(one)"]], 1);
        check("f(one); // why\n", [&[" // why"], &[]], [&["f(one); // why"], &["f(one);"]], 1);
        check_refused("let text = f();\n", &["text = f();"], &["    if ready:", "        let text = f();"]);
        check_refused(
            "    x,\n    Editor,\n",
            &["    x,", "    Editor"],
            &["    x,", "    Editor,", "    more()"],
        );
        check_refused("    Ok(_) => {}\n", &["    Ok(_) =>"], &["    Ok(_) => {} # why"]);
        // Its own brackets and words are not those of the line.
        for (line, old, new, after) in [
            ("print(value)", "value", "int(value)", "print(int(value))"),
            ("x = {port: 3000}", "port: 3000", "port: {}", "x = {port: {}}"),
            ("use(one) and two", "(one)", "(and_one)", "use(and_one) and two"),
            ("a { color: #000; }", "#000", "#fff", "a { color: #fff; }"),
            ("get('http://a.b')", "http://a.b", "https://c.d", "get('https://c.d')"),
            ("f(one /* 1 */, 2)", "one /* 1 */", "two /* 2 */", "f(two /* 2 */, 2)"),
        ] {
            check(&format!("{line}\n"), [&[old], &[new]], [&[line], &[after]], 1);
        }
    }

    #[test]
    fn a_lost_indentation_is_put_back_where_the_other_lines_have_theirs() {
        let file = "    if a {\n        b();\n    }\n";
        let old = &["if a {", "        b();", "    }"];
        let after = &["    if x {", "        b();", "    }"];
        check(
            file,
            [old, &["if x {", "        b();", "    }"]],
            [&["    if a {", "        b();", "    }"], after],
            1,
        );
        check_refused(file, old, &["if x {", "b();", "    }"]);
        check_refused(file, old, &["    if x {", "        b();", "    }"]);
        // No old line shows how deep a new one belongs; a blank one does not either.
        check_refused("    a(one);\nb(two);\n", &["a(one);", "b(two);"], &["a(one);", "    c();"]);
        check_refused(
            "    a(one);\n    \nb(two);\n",
            &["a(one);", "    ", "b(two);"],
            &["a(one);", "    c();"],
        );
    }
}
