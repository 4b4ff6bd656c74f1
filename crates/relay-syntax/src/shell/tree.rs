//! The tree of a shell command: what [`super::parse`] returns.
//!
//! It keeps what a decision needs and drops what only a printer would: blanks, comments, which quotes were used.

use std::ops::Range;

/// Commands in the order in which they are written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Script {
    /// One for each `;`, `&` or line end.
    pub items: Vec<Item>,
}

/// One list of commands, up to a `;`, `&` or line end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// What runs.
    pub list: List,
    /// Whether it ends in `&`.
    pub background: bool,
}

/// Pipelines joined by `&&` and `||`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct List {
    /// The pipelines, each with what joins it to the one before; the first one has none.
    pub pipelines: Vec<(Option<Joint>, Pipeline)>,
}

/// What joins two pipelines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Joint {
    /// `&&`
    And,
    /// `||`
    Or,
}

/// Commands whose output is the next one's input. A single command is a pipeline of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pipeline {
    /// Whether it begins with `!`.
    pub negated: bool,
    /// Whether it begins with `time`.
    pub timed: bool,
    /// The commands.
    pub stages: Vec<Command>,
}

/// One stage of a pipeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// A program, a builtin, or assignments and redirections alone.
    Simple(Simple),
    /// A block, a loop, a condition.
    Compound(Box<Compound>),
    /// A function definition.
    Function(Box<Function>),
}

/// A program or builtin with its words.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Simple {
    /// Assignments in front of it, or on their own.
    pub assignments: Vec<Assignment>,
    /// Its name and arguments; empty when there are only assignments or redirections.
    pub words: Vec<Word>,
    /// Its redirections.
    pub redirects: Vec<Redirect>,
    /// Where it is in the text, in bytes.
    pub span: Range<usize>,
}

/// `NAME=value`, `NAME+=value`, `NAME[i]=value` or `NAME=(values)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    /// The variable.
    pub name: String,
    /// What is in its brackets, if it has some. The shell evaluates that.
    pub index: Option<Word>,
    /// One value, or those of an array.
    pub values: Vec<Word>,
}

/// A word as the shell splits them, with its quotes resolved.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Word {
    /// The text without its quotes. What is only known when it runs appears as it is written, for people.
    pub text: String,
    /// How much of the text, from its beginning, is certain.
    pub known: usize,
    /// Whether part of it is the value of a variable, a substitution or arithmetic.
    pub expands: bool,
    /// Whether it has `*`, `?` or `[` that the shell matches with file names.
    pub globs: bool,
    /// Whether it has braces that make several words of it.
    pub braces: bool,
    /// Whether it begins with a `~` that the shell replaces.
    pub home: bool,
    /// Whether it has a quoted part. A quoted word is never a keyword.
    pub quoted: bool,
    /// Whether arithmetic in it reads a variable, whose value the shell evaluates in turn.
    pub evaluates: bool,
    /// Whether a quoted part of it would run a command if it were evaluated: `'$(date)'`.
    pub dormant: bool,
    /// Commands that run while the word is made: `$(…)`, backquotes, `<(…)`, `>(…)`.
    pub scripts: Vec<Script>,
    /// Where it is in the text, in bytes.
    pub span: Range<usize>,
}

impl Word {
    /// The text, if it is the same however and wherever the command runs.
    #[must_use]
    pub fn literal(&self) -> Option<&str> {
        let is_static = !(self.expands || self.globs || self.braces || self.home);
        is_static.then_some(self.text.as_str())
    }

    /// Whether the word, once expanded, may begin with a `-`, disappear, or become several words.
    #[must_use]
    pub fn may_be_option(&self) -> bool {
        match self.literal() {
            Some(text) => text.starts_with('-') && text.len() > 1,
            None => !self.home && (self.known == 0 || self.text.starts_with('-') || self.braces),
        }
    }
}

/// A redirection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirect {
    /// The descriptor in front of it, if there is one.
    pub descriptor: Option<u32>,
    /// What it does.
    pub kind: RedirectKind,
    /// The file, the descriptor, or the text of a here-document or here-string.
    pub target: Word,
}

/// What a redirection does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedirectKind {
    /// `<`
    Read,
    /// `>`, `>|`, `&>` or `>&` with a file: the file is emptied first.
    Truncate,
    /// `>>` or `&>>`
    Append,
    /// `<>`
    ReadWrite,
    /// `<&` or `>&` with a descriptor or `-`
    Duplicate,
    /// `<<` or `<<-`
    HereDocument,
    /// `<<<`
    HereString,
}

/// A command made of commands, with the redirections around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compound {
    /// What it is.
    pub block: Block,
    /// Redirections of all of it.
    pub redirects: Vec<Redirect>,
}

/// The kinds of compound command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Block {
    /// `( … )`: what it sets ends with it.
    Subshell(Script),
    /// `{ …; }`
    Group(Script),
    /// `if`, with each condition and its body, and the last `else`.
    If {
        /// `if` and each `elif`.
        branches: Vec<(Script, Script)>,
        /// `else`.
        otherwise: Option<Script>,
    },
    /// `while` and `until`.
    Loop {
        /// What is tried before each round.
        condition: Script,
        /// What runs in each round.
        body: Script,
    },
    /// `for` and `select` over words.
    For {
        /// The variable.
        name: String,
        /// What it takes; none means the arguments of the script.
        words: Vec<Word>,
        /// What runs for each.
        body: Script,
    },
    /// `for ((…))`
    Count {
        /// What is in its parentheses.
        header: Word,
        /// What runs in each round.
        body: Script,
    },
    /// `case`
    Case {
        /// What is compared.
        word: Word,
        /// Its arms.
        arms: Vec<Arm>,
    },
    /// `[[ … ]]`: its words, operators among them.
    Condition(Vec<Word>),
    /// `(( … ))`
    Arithmetic(Word),
}

/// One arm of a `case`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arm {
    /// Its patterns.
    pub patterns: Vec<Word>,
    /// What runs.
    pub body: Script,
}

/// `name() { …; }`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Its body.
    pub body: Compound,
}
