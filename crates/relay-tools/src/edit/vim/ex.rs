//! Commands after a colon: `:%s/a/b/g`, `:3,5d`, `:g/x/m0`.

use super::keys::Keys;
use super::normal::Given;
use super::pattern::pattern;
use super::search::{find, typed_line, until};
use super::state::{Done, Vim, VimError, Wish};
use super::substitute::Substitute;
use super::text::Pos;

/// How deep `:g` may be inside `:g`.
const DEPTH: usize = 1;

/// The lines that a command is for, both included.
#[derive(Clone, Copy, Debug)]
pub struct Lines {
    pub first: usize,
    pub last: usize,
    /// How many addresses were written.
    pub given: usize,
}

impl Vim {
    /// Reads a command line and carries it out; a count before it means that many lines.
    pub fn command_line(&mut self, keys: &mut Keys, given: Given) -> Done {
        let lines = given.count.map(|count| match count {
            0 | 1 => ".".to_owned(),
            count => format!(".,.+{}", count - 1),
        });
        self.command_line_in(keys, &lines.unwrap_or_default())
    }

    /// The same with an address that is there already.
    pub fn command_line_in(&mut self, keys: &mut Keys, before: &str) -> Done {
        match typed_line(keys)? {
            Some(line) => self.ex(&format!("{before}{line}")),
            None => Ok(()),
        }
    }

    /// Carries out a command line.
    pub fn ex(&mut self, line: &str) -> Done {
        self.save_undo();
        let done = self.ex_command(line, 0);
        self.settle_undo();
        done
    }

    pub fn ex_command(&mut self, line: &str, depth: usize) -> Done {
        let line = line.trim_start_matches([':', ' ', '\t']);
        let (lines, rest) = self.addresses(line)?;
        let rest = rest.trim_start();
        let length = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        // `:s`, `:g` and `:v` take any sign as their delimiter, and `:k` and `:d` a name after them.
        let (name, arguments) = rest.split_at(length);
        let (name, arguments) = short(name, arguments);
        if name.is_empty() && arguments.is_empty() {
            if lines.given > 0 {
                self.go_to_line(lines.last);
            }
            return Ok(());
        }
        let (bang, arguments) = match arguments.strip_prefix('!') {
            Some(arguments) => (true, arguments),
            None => (false, arguments),
        };
        if let Some(done) = self.file_command(name, bang) {
            return done;
        }
        match name {
            "s" | "substitute" | "&" => self.substitute(lines.first, lines.last, arguments),
            "g" | "global" if depth < DEPTH => self.global(lines, arguments, !bang, depth),
            "v" | "vglobal" if depth < DEPTH => self.global(lines, arguments, false, depth),
            "d" | "de" | "del" | "delete" => {
                let (lines, register) = self.counted(lines, arguments)?;
                let stretch = super::operate::Stretch {
                    from: Pos::new(lines.first, 0),
                    to: Pos::new(lines.last, 0),
                    lines: true,
                    selected: true,
                };
                self.delete(stretch, register);
                Ok(())
            }
            "y" | "ya" | "yank" => {
                let (lines, register) = self.counted(lines, arguments)?;
                let taken = (lines.first..=lines.last).map(|line| self.text.line(line).to_vec()).collect();
                self.store(register, taken, true, true);
                Ok(())
            }
            "t" | "co" | "copy" => self.copy(lines, arguments),
            "m" | "move" => self.move_lines(lines, arguments),
            "pu" | "put" => self.put_lines(lines, bang, arguments),
            "j" | "join" => self.join_lines(lines, bang, arguments),
            "sor" | "sort" => self.sort(lines, bang, arguments),
            ">" | "<" => {
                let steps = 1 + arguments.chars().take_while(|c| name.starts_with(*c)).count();
                self.shift_lines(lines.first, lines.last, name == ">", steps);
                self.go_to_line(lines.last);
                Ok(())
            }
            "norm" | "normal" => {
                for line in lines.first..=lines.last {
                    if lines.given > 0 {
                        self.set_cursor(Pos::new(line, 0));
                    }
                    self.type_keys(&mut Keys::of(&arguments.trim_start().chars().collect::<Vec<_>>()))?;
                    self.leave();
                }
                Ok(())
            }
            "noh" | "nohlsearch" | "set" | "se" => Ok(()),
            _ => Err(VimError::failed(format!("Not an editor command: {rest}"))),
        }
    }

    /// Commands about the file; the owner of the file carries them out.
    fn file_command(&mut self, name: &str, bang: bool) -> Option<Done> {
        match name {
            "w" | "write" | "up" | "update" => self.wishes.push(Wish::Write),
            "wq" | "x" | "xit" | "exit" => self.wishes.extend([Wish::Write, Wish::Quit]),
            "q" | "quit" if !bang && self.is_modified() => {
                return Some(Err(VimError::failed("E37: No write since last change (add ! to override)")));
            }
            "q" | "quit" => self.wishes.push(if bang { Wish::Discard } else { Wish::Quit }),
            "e" | "edit" if !bang && self.is_modified() => {
                return Some(Err(VimError::failed("E37: No write since last change (add ! to override)")));
            }
            "e" | "edit" => self.reload(),
            _ => return None,
        }
        if self.wishes.contains(&Wish::Discard) {
            self.reload();
        }
        Some(Ok(()))
    }

    /// The lines that a command begins with, and the rest of it.
    fn addresses<'l>(&self, text: &'l str) -> Result<(Lines, &'l str), VimError> {
        if let Some(rest) = text.strip_prefix('%') {
            return Ok((Lines { first: 0, last: self.text.last(), given: 2 }, rest));
        }
        let (mut found, mut rest, mut base) = (Vec::new(), text, self.cursor.line);
        loop {
            let (address, after) = self.address(rest.trim_start(), base)?;
            rest = after.trim_start();
            let separator = rest.strip_prefix([',', ';']);
            match (address, separator) {
                (None, None) if found.is_empty() => break,
                (address, separator) => {
                    let line = address.unwrap_or(base);
                    found.push(line);
                    let Some(after) = separator else { break };
                    if rest.starts_with(';') {
                        base = line;
                    }
                    rest = after;
                }
            }
        }
        let lines: Vec<usize> = found.iter().rev().take(2).rev().copied().collect();
        let (first, last) = match lines.as_slice() {
            [] => (self.cursor.line, self.cursor.line),
            [one] => (*one, *one),
            [first, last, ..] => (*first.min(last), *first.max(last)),
        };
        if last > self.text.last() {
            return Err(VimError::failed("E16: Invalid range"));
        }
        Ok((Lines { first, last, given: found.len() }, rest))
    }

    /// One address, counted from 0; line 0 is the first one here.
    fn address<'l>(&self, text: &'l str, current: usize) -> Result<(Option<usize>, &'l str), VimError> {
        let (line, rest) = self.raw_address(text, current)?;
        Ok((line.map(|line| usize::try_from(line - 1).unwrap_or_default()), rest))
    }

    /// One address as it is written, counted from 1, so that 0 is before the first line.
    fn raw_address<'l>(&self, text: &'l str, current: usize) -> Result<(Option<i64>, &'l str), VimError> {
        let number = |text: &str| text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let of = |line: usize| i64::try_from(line).unwrap_or_default() + 1;
        let first = text.chars().next();
        let (mut line, mut rest) = match first {
            Some('.') => (Some(of(current)), text.get(1..).unwrap_or_default()),
            Some('$') => (Some(of(self.text.last())), text.get(1..).unwrap_or_default()),
            Some('0'..='9') => {
                let (digits, rest) = text.split_at(number(text));
                (digits.parse().ok(), rest)
            }
            Some('\'') => {
                let selected = self.last_selected.ok_or_else(|| VimError::failed("E20: Mark not set"))?;
                let (first, last) =
                    (selected.from.min(selected.to).line, selected.from.max(selected.to).line);
                match text.get(1..2) {
                    Some("<") => (Some(of(first)), text.get(2..).unwrap_or_default()),
                    Some(">") => (Some(of(last)), text.get(2..).unwrap_or_default()),
                    _ => return Err(VimError::failed("E20: Mark not set")),
                }
            }
            Some(delimiter @ ('/' | '?')) => {
                let (written, rest) = until(text.get(1..).unwrap_or_default(), delimiter);
                let written = if written.is_empty() { self.last_pattern()? } else { written };
                let regex = pattern(&written, false).map_err(VimError::failed)?;
                let from =
                    if delimiter == '/' { Pos::new(current, usize::MAX) } else { Pos::new(current, 0) };
                let found = find(&self.text, &regex, from, delimiter == '/');
                let found =
                    found.ok_or_else(|| VimError::failed(format!("E486: Pattern not found: {written}")))?;
                (Some(of(found.line)), rest.unwrap_or_default())
            }
            _ => (None, text),
        };
        while let Some(sign) = rest.chars().next().filter(|c| matches!(c, '+' | '-')) {
            let digits = rest.get(1..).unwrap_or_default();
            let (written, after) = digits.split_at(number(digits));
            let by: i64 = if written.is_empty() { 1 } else { written.parse().unwrap_or(i64::from(u32::MAX)) };
            line = Some(line.unwrap_or_else(|| of(current)) + if sign == '+' { by } else { -by });
            rest = after;
        }
        if line.is_some_and(|line| line < 0) {
            return Err(VimError::failed("E16: Invalid range"));
        }
        Ok((line, rest))
    }

    /// A register and a count after a command: `:d x 3`.
    fn counted(&self, lines: Lines, arguments: &str) -> Result<(Lines, Option<char>), VimError> {
        let mut words = arguments.split_whitespace().peekable();
        let register = words.next_if(|word| {
            word.len() == 1 && word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '"' || c == '_')
        });
        let count = words.next().map(|word| {
            word.parse::<usize>().map_err(|_| VimError::failed(format!("E488: Trailing characters: {word}")))
        });
        let lines = match count.transpose()? {
            Some(0) => return Err(VimError::failed("E939: Positive count required")),
            Some(count) => {
                Lines { first: lines.last, last: (lines.last + count - 1).min(self.text.last()), ..lines }
            }
            None => lines,
        };
        Ok((lines, register.and_then(|word| word.chars().next())))
    }

    /// The line below which `:t` and `:m` put something, counted from 1; 0 is above the first.
    fn target(&self, arguments: &str) -> Result<usize, VimError> {
        let (line, rest) = self.raw_address(arguments.trim(), self.cursor.line)?;
        let line = line
            .filter(|_| rest.trim().is_empty())
            .ok_or_else(|| VimError::failed("E14: Invalid address"))?;
        let line = usize::try_from(line).unwrap_or_default();
        if line > self.text.len() { Err(VimError::failed("E16: Invalid range")) } else { Ok(line) }
    }

    fn copy(&mut self, lines: Lines, arguments: &str) -> Done {
        let below = self.target(arguments)?;
        let copied: Vec<Vec<char>> =
            (lines.first..=lines.last).map(|line| self.text.line(line).to_vec()).collect();
        let last = below + copied.len() - 1;
        self.text.insert_lines(below, copied);
        self.go_to_line(last);
        Ok(())
    }

    fn move_lines(&mut self, lines: Lines, arguments: &str) -> Done {
        let below = self.target(arguments)?;
        if (lines.first + 1..=lines.last).contains(&below) {
            return Err(VimError::failed("E134: Cannot move a range of lines into itself"));
        }
        self.text.move_lines(lines.first, lines.last, below);
        let count = lines.last - lines.first + 1;
        self.go_to_line(if below > lines.last { below - 1 } else { below + count - 1 });
        Ok(())
    }

    fn put_lines(&mut self, lines: Lines, above: bool, arguments: &str) -> Done {
        let register = self.register(arguments.trim().chars().next())?;
        let at = if above { lines.last } else { lines.last + 1 };
        let count = register.text.len();
        self.text.insert_lines(at, register.text);
        self.go_to_line(at + count - 1);
        Ok(())
    }

    fn join_lines(&mut self, lines: Lines, plain: bool, arguments: &str) -> Done {
        let count = arguments.trim().parse::<usize>().ok();
        let (first, last) = match (count, lines.given) {
            (Some(count), _) => (lines.last, lines.last + count.saturating_sub(1)),
            (None, 0 | 1) => (lines.first, lines.first + 1),
            _ => (lines.first, lines.last),
        };
        // There is nothing to join with below the last line, which is not worth an error here.
        if first == last || first >= self.text.last() {
            return Ok(());
        }
        self.join(first, last - first + 1, !plain)
    }

    fn sort(&mut self, lines: Lines, reverse: bool, arguments: &str) -> Done {
        let (first, last) = if lines.given == 0 { (0, self.text.last()) } else { (lines.first, lines.last) };
        let flags = arguments.trim();
        if let Some(unknown) = flags.chars().find(|flag| !"niu ".contains(*flag)) {
            return Err(VimError::failed(format!("`:sort` does not know `{unknown}`")));
        }
        let has = |flag: char| flags.contains(flag);
        let mut sorted: Vec<String> = (first..=last).map(|line| self.text.string(line)).collect();
        let key = |line: &String| if has('i') { line.to_lowercase() } else { line.clone() };
        match has('n') {
            // Lines without a number come first, in their order.
            true => sorted.sort_by_key(|line| number_in(line)),
            false => sorted.sort_by_key(key),
        }
        if reverse {
            sorted.reverse();
        }
        if has('u') {
            match has('n') {
                true => sorted.dedup_by_key(|line| number_in(line)),
                false => sorted.dedup_by_key(|line| key(line)),
            }
        }
        self.text.replace_lines(first, last, sorted.into_iter().map(|line| line.chars().collect()));
        self.set_cursor(Pos::new(first, 0));
        Ok(())
    }
}

/// The first number in a line, as `:sort n` reads it.
fn number_in(line: &str) -> Option<i64> {
    let start = line.find(|c: char| c.is_ascii_digit())?;
    let digits: String = line.get(start..)?.chars().take_while(char::is_ascii_digit).collect();
    let number: i64 = digits.parse().ok()?;
    let is_negative = line.get(..start).is_some_and(|before| before.ends_with('-'));
    Some(if is_negative { -number } else { number })
}

/// Splits names that take their argument without a blank: `s/…`, `g/…`, `m0`, `t.`, `>>`.
fn short<'l>(name: &'l str, arguments: &'l str) -> (&'l str, &'l str) {
    match name {
        "" if arguments.starts_with(['>', '<', '&']) => arguments.split_at(1),
        _ => (name, arguments),
    }
}

impl Vim {
    fn substitute(&mut self, first: usize, last: usize, arguments: &str) -> Done {
        let substitute = Substitute::read(self, arguments)?;
        substitute.run(self, first, last)
    }
}
