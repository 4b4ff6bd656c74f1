//! Blocks: subshells, groups, conditions, loops, `case`.

use super::cursor::{Cursor, Read, is_name};
use super::tree::{Arm, Block, Compound, Script, Word};
use super::unparsed::Reason;

impl Cursor<'_> {
    /// The block that is next, if one is.
    pub(super) fn block(&mut self) -> Read<Option<Compound>> {
        let block = if self.take("((") {
            Block::Arithmetic(self.arithmetic()?)
        } else if self.take("(") {
            let script = self.some_script()?;
            if !self.take(")") {
                return self.fail(Reason::Open("("));
            }
            Block::Subshell(script)
        } else {
            let Some(keyword) = self.keyword().map(str::to_owned) else { return Ok(None) };
            if !matches!(keyword.as_str(), "{" | "[[" | "if" | "while" | "until" | "for" | "select" | "case")
            {
                return Ok(None);
            }
            self.at += keyword.len();
            match keyword.as_str() {
                "{" => {
                    let script = self.some_script()?;
                    self.expect("}", "{")?;
                    Block::Group(script)
                }
                "[[" => Block::Condition(self.condition()?),
                "if" => self.branches()?,
                "while" | "until" => {
                    let condition = self.some_script()?;
                    Block::Loop { condition, body: self.do_body()? }
                }
                "case" => self.case()?,
                _ => self.for_loop()?,
            }
        };
        self.compound(block)
    }

    /// A script that may not be empty.
    fn some_script(&mut self) -> Read<Script> {
        let script = self.script()?;
        if script.items.is_empty() { self.fail(Reason::Expected("a command")) } else { Ok(script) }
    }

    fn expect(&mut self, keyword: &'static str, opened_by: &'static str) -> Read<()> {
        self.skip_lines()?;
        if self.take_keyword(keyword) { Ok(()) } else { self.fail(Reason::Open(opened_by)) }
    }

    fn branches(&mut self) -> Read<Block> {
        let mut branches = Vec::new();
        let mut otherwise = None;
        loop {
            let condition = self.some_script()?;
            self.expect("then", "if")?;
            branches.push((condition, self.some_script()?));
            if self.take_keyword("elif") {
                continue;
            }
            if self.take_keyword("else") {
                otherwise = Some(self.some_script()?);
            }
            self.expect("fi", "if")?;
            return Ok(Block::If { branches, otherwise });
        }
    }

    fn do_body(&mut self) -> Read<Script> {
        self.expect("do", "while")?;
        let body = self.some_script()?;
        self.expect("done", "do")?;
        Ok(body)
    }

    fn for_loop(&mut self) -> Read<Block> {
        self.skip_blanks();
        if self.take("((") {
            let header = self.arithmetic()?;
            self.skip_blanks();
            self.take(";");
            self.skip_lines()?;
            return Ok(Block::Count { header, body: self.do_body()? });
        }
        let name = self.plain_name()?;
        self.skip_lines()?;
        let mut words = Vec::new();
        if self.take_keyword("in") {
            loop {
                self.skip_blanks();
                match self.word()? {
                    Some(word) => words.push(word),
                    None => break,
                }
            }
            if !self.take(";") && !self.take_newline()? {
                return self.unexpected();
            }
        } else {
            self.take(";");
        }
        self.skip_lines()?;
        if self.keyword() == Some("{") {
            return self.fail(Reason::Unsupported("braces around the body of a loop"));
        }
        Ok(Block::For { name, words, body: self.do_body()? })
    }

    fn plain_name(&mut self) -> Read<String> {
        match self.word()? {
            Some(word) if is_name(&word.text) && !word.quoted => Ok(word.text),
            _ => self.fail(Reason::Expected("a variable's name after `for`")),
        }
    }

    fn case(&mut self) -> Read<Block> {
        self.skip_blanks();
        let Some(word) = self.word()? else { return self.fail(Reason::Expected("a word after `case`")) };
        self.expect("in", "case")?;
        let mut arms = Vec::new();
        loop {
            self.skip_lines()?;
            if self.take_keyword("esac") {
                return Ok(Block::Case { word, arms });
            }
            self.take("(");
            let patterns = self.patterns()?;
            let body = self.script()?;
            arms.push(Arm { patterns, body });
            if !(self.take(";;&") || self.take(";;") || self.take(";&")) {
                self.expect("esac", "case")?;
                return Ok(Block::Case { word, arms });
            }
        }
    }

    fn patterns(&mut self) -> Read<Vec<Word>> {
        let mut patterns = Vec::new();
        loop {
            self.skip_blanks();
            match self.word()? {
                Some(word) => patterns.push(word),
                None => return self.unexpected(),
            }
            self.skip_blanks();
            if self.take(")") {
                return Ok(patterns);
            }
            if !self.take("|") {
                return self.unexpected();
            }
        }
    }
}
