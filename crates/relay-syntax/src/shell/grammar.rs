//! Scripts, lists, pipelines and simple commands.

use super::MAX_BYTES;
use super::cursor::{Cursor, Read, ends_word, is_name};
use super::tree::{
    Assignment, Command, Compound, Function, Item, Joint, List, Pipeline, Script, Simple, Word,
};
use super::unparsed::{Reason, Unparsed};

/// Words that end a list where a block expects them.
const CLOSERS: [&str; 8] = ["then", "elif", "else", "fi", "do", "done", "esac", "}"];
/// Builtins whose arguments may be assignments of arrays.
const DECLARES: [&str; 5] = ["declare", "typeset", "export", "readonly", "local"];

pub(super) fn parse(text: &str, depth: usize) -> Read<Script> {
    if text.len() > MAX_BYTES {
        return Err(Unparsed::at(text, 0, Reason::TooLong));
    }
    if let Some((at, hidden)) = text.char_indices().find(|(_, character)| is_hidden(*character)) {
        return Err(Unparsed::at(text, at, Reason::Hidden(u32::from(hidden))));
    }
    let mut cursor = Cursor::new(text, depth);
    let script = cursor.nested(Cursor::script)?;
    if cursor.at < text.len() {
        return cursor.unexpected();
    }
    if cursor.jump.is_some() {
        return cursor.fail(Reason::Unsupported("a line end between `<<` and the end of its line"));
    }
    Ok(script)
}

/// Characters that a terminal or an editor hides or uses to reorder others.
fn is_hidden(character: char) -> bool {
    matches!(character,
        '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}'
        | '\u{e0000}'..='\u{e007f}')
}

impl Cursor<'_> {
    /// Commands up to the end, a `)`, a `;;`, or a word that closes a block.
    pub(super) fn script(&mut self) -> Read<Script> {
        let mut items = Vec::new();
        loop {
            self.skip_lines()?;
            if self.is_at_end_of_script() {
                return Ok(Script { items });
            }
            let list = self.list()?;
            self.skip_blanks();
            let background = self.peek() == Some('&');
            items.push(Item { list, background });
            let has_separator = match self.peek() {
                Some('&') => self.bump().is_some(),
                Some(';') if self.second() != Some(';') && self.second() != Some('&') => {
                    self.bump().is_some()
                }
                Some('\n') => self.take_newline()?,
                _ => false,
            };
            if !has_separator {
                return Ok(Script { items });
            }
        }
    }

    fn is_at_end_of_script(&self) -> bool {
        match self.peek() {
            None | Some(')') => true,
            Some(';') => matches!(self.second(), Some(';' | '&')),
            _ => self.keyword().is_some_and(|word| CLOSERS.contains(&word)),
        }
    }

    /// The unquoted word that is next, if it is made of letters, or one of `{ } ! [[ ]]`.
    pub(super) fn keyword(&self) -> Option<&str> {
        let rest = self.rest();
        let word = rest.get(..rest.find(ends_word).unwrap_or(rest.len()))?;
        let is_plain = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase());
        (is_plain || matches!(word, "{" | "}" | "!" | "[[" | "]]")).then_some(word)
    }

    pub(super) fn take_keyword(&mut self, word: &str) -> bool {
        let is_next = self.keyword() == Some(word);
        if is_next {
            self.at += word.len();
        }
        is_next
    }

    fn list(&mut self) -> Read<List> {
        let mut pipelines = vec![(None, self.pipeline()?)];
        loop {
            self.skip_blanks();
            let joint = if self.take("&&") {
                Joint::And
            } else if self.take("||") {
                Joint::Or
            } else {
                return Ok(List { pipelines });
            };
            self.skip_lines()?;
            pipelines.push((Some(joint), self.pipeline()?));
        }
    }

    fn pipeline(&mut self) -> Read<Pipeline> {
        let mut pipeline = Pipeline { negated: false, timed: false, stages: Vec::new() };
        loop {
            self.skip_blanks();
            if self.take_keyword("!") {
                pipeline.negated = !pipeline.negated;
            } else if !pipeline.timed && self.take_keyword("time") {
                pipeline.timed = true;
                self.skip_blanks();
                // `-p` is the one option of the keyword; another one would make it the program.
                if self.is_at("-p ") {
                    self.at += 3;
                } else if self.peek() == Some('-') {
                    return self.fail(Reason::Unsupported("an option of `time` other than `-p`"));
                }
            } else {
                break;
            }
        }
        loop {
            self.skip_blanks();
            let stage = self.command()?;
            pipeline.stages.push(stage);
            self.skip_blanks();
            let goes_on = self.take("|&") || (!self.is_at("||") && self.take("|"));
            if !goes_on {
                return Ok(pipeline);
            }
            self.skip_lines()?;
        }
    }

    fn command(&mut self) -> Read<Command> {
        if let Some(block) = self.nested(Self::block)? {
            return Ok(Command::Compound(Box::new(block)));
        }
        if self.take_keyword("function") {
            self.skip_blanks();
            let name =
                self.word()?.ok_or(()).or_else(|()| self.fail(Reason::Expected("a function's name")))?;
            return self.function(&name);
        }
        if let Some(word) = self
            .keyword()
            .filter(|word| CLOSERS.contains(word) || matches!(*word, "coproc" | "in" | "]]" | "!"))
        {
            let reason = Reason::Unexpected(word.to_owned());
            return self.fail(reason);
        }
        self.simple()
    }

    fn function(&mut self, name: &Word) -> Read<Command> {
        let Some(text) = name.literal().filter(|_| !name.quoted) else {
            return self.fail(Reason::Expected("a plain function name"));
        };
        self.skip_blanks();
        if self.take("(") {
            self.skip_blanks();
            if !self.take(")") {
                return self.unexpected();
            }
        }
        self.skip_lines()?;
        match self.nested(Self::block)? {
            Some(body) => Ok(Command::Function(Box::new(Function { name: text.to_owned(), body }))),
            None => self.fail(Reason::Expected("a function's body")),
        }
    }

    fn simple(&mut self) -> Read<Command> {
        let start = self.at;
        let mut simple = Simple::default();
        let mut end = start;
        loop {
            self.skip_blanks();
            if let Some(redirect) = self.redirect()? {
                simple.redirects.push(redirect);
            } else if let Some(assignment) = self.assignment_for(&simple)? {
                simple.assignments.push(assignment);
            } else if let Some(word) = self.word()? {
                let is_first =
                    simple.words.is_empty() && simple.assignments.is_empty() && simple.redirects.is_empty();
                simple.words.push(word);
                if is_first && self.is_function_ahead() {
                    let name = simple.words.remove(0);
                    return self.function(&name);
                }
            } else {
                break;
            }
            end = self.at;
        }
        if end == start {
            return self.unexpected();
        }
        simple.span = start..end;
        Ok(Command::Simple(simple))
    }

    fn is_function_ahead(&self) -> bool {
        let rest = self.rest().trim_start_matches([' ', '\t']);
        rest.strip_prefix('(').is_some_and(|rest| rest.trim_start_matches([' ', '\t']).starts_with(')'))
    }

    /// An assignment, in front of a command or as the argument of a builtin that declares variables.
    fn assignment_for(&mut self, simple: &Simple) -> Read<Option<Assignment>> {
        let declares =
            simple.words.first().and_then(Word::literal).is_some_and(|name| DECLARES.contains(&name));
        if simple.words.is_empty() || declares { self.assignment() } else { Ok(None) }
    }

    fn assignment(&mut self) -> Read<Option<Assignment>> {
        let start = self.at;
        let rest = self.rest();
        let length =
            rest.find(|next: char| !next.is_ascii_alphanumeric() && next != '_').unwrap_or(rest.len());
        let name = rest.get(..length).unwrap_or_default();
        if !is_name(name) {
            return Ok(None);
        }
        self.at += length;
        let index = if self.take("[") { Some(self.subscript()?) } else { None };
        if !self.take("=") && !self.take("+=") {
            self.at = start;
            return Ok(None);
        }
        let values = if self.take("(") { self.array()? } else { vec![self.value()?] };
        Ok(Some(Assignment { name: name.to_owned(), index, values }))
    }

    fn array(&mut self) -> Read<Vec<Word>> {
        let mut values = Vec::new();
        loop {
            self.skip_lines()?;
            if self.take(")") {
                return Ok(values);
            }
            match self.word()? {
                Some(word) => values.push(word),
                None => return self.fail(Reason::Open("(")),
            }
        }
    }

    /// A block with the redirections after it.
    pub(super) fn compound(&mut self, block: super::tree::Block) -> Read<Option<Compound>> {
        let mut redirects = Vec::new();
        loop {
            self.skip_blanks();
            match self.redirect()? {
                Some(redirect) => redirects.push(redirect),
                None => return Ok(Some(Compound { block, redirects })),
            }
        }
    }
}
