//! The languages that are known, how their files are named, and their grammars.
//!
//! Grammars are tables in the binary; using one costs nothing before the first file of its language is parsed.

use std::ops::ControlFlow;

use tree_sitter::{ParseOptions, Parser, Tree};

use crate::shape::{self, Shape};

/// A language with a grammar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Language {
    Bash,
    C,
    CSharp,
    Cpp,
    Css,
    Go,
    Html,
    Java,
    JavaScript,
    Json,
    Kotlin,
    Lua,
    Markdown,
    Php,
    Python,
    Ruby,
    Rust,
    Toml,
    Tsx,
    TypeScript,
    Yaml,
}

/// A language's name, what its files end in, and other names for it.
struct Entry(Language, &'static str, &'static [&'static str], &'static [&'static str]);

const ENTRIES: [Entry; 21] = [
    Entry(
        Language::Bash,
        "bash",
        &["sh", "bash", "zsh", "ksh"],
        &["sh", "shell", "shellscript", "zsh", "console"],
    ),
    Entry(Language::C, "c", &["c", "h"], &[]),
    Entry(Language::CSharp, "csharp", &["cs", "csx"], &["c#", "cs"]),
    Entry(Language::Cpp, "cpp", &["cc", "cpp", "cxx", "hpp", "hh", "hxx", "ino"], &["c++", "cxx"]),
    Entry(Language::Css, "css", &["css"], &[]),
    Entry(Language::Go, "go", &["go"], &["golang"]),
    Entry(Language::Html, "html", &["html", "htm", "xhtml", "vue", "svelte"], &["xhtml"]),
    Entry(Language::Java, "java", &["java"], &[]),
    Entry(Language::JavaScript, "javascript", &["js", "mjs", "cjs", "jsx"], &["js", "jsx", "node"]),
    Entry(Language::Json, "json", &["json", "jsonc", "webmanifest"], &["jsonc", "json5"]),
    Entry(Language::Kotlin, "kotlin", &["kt", "kts"], &["kt"]),
    Entry(Language::Lua, "lua", &["lua"], &[]),
    Entry(Language::Markdown, "markdown", &["md", "markdown", "mdx"], &["md"]),
    Entry(Language::Php, "php", &["php", "phtml"], &[]),
    Entry(Language::Python, "python", &["py", "pyi", "pyw"], &["py", "python3"]),
    Entry(Language::Ruby, "ruby", &["rb", "rake", "gemspec"], &["rb"]),
    Entry(Language::Rust, "rust", &["rs"], &["rs"]),
    Entry(Language::Toml, "toml", &["toml"], &[]),
    Entry(Language::Tsx, "tsx", &["tsx"], &[]),
    Entry(Language::TypeScript, "typescript", &["ts", "mts", "cts"], &["ts"]),
    Entry(Language::Yaml, "yaml", &["yaml", "yml"], &["yml"]),
];

/// Files whose name says more than its ending.
const NAMES: [(&str, Language); 12] = [
    (".bashrc", Language::Bash),
    (".profile", Language::Bash),
    (".zshrc", Language::Bash),
    ("Cargo.lock", Language::Toml),
    ("Gemfile", Language::Ruby),
    ("Jenkinsfile", Language::Java),
    ("PKGBUILD", Language::Bash),
    ("Pipfile", Language::Toml),
    ("Rakefile", Language::Ruby),
    ("poetry.lock", Language::Toml),
    ("uv.lock", Language::Toml),
    ("composer.lock", Language::Json),
];

/// How often a parser may report before it is given up: enough for any real file of two megabytes.
const PARSE_BUDGET: usize = 400_000;

impl Language {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        ENTRIES.iter().map(|entry| entry.0)
    }

    /// The language of a file, by its name.
    #[must_use]
    pub fn of_path(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or(path);
        if let Some((_, language)) = NAMES.iter().find(|(known, _)| *known == name) {
            return Some(*language);
        }
        let (_, ending) = name.rsplit_once('.')?;
        let ending = ending.to_ascii_lowercase();
        ENTRIES.iter().find(|entry| entry.2.contains(&ending.as_str())).map(|entry| entry.0)
    }

    /// The language of a name, an ending or another name, as after the fence of a code block.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        let name = name.trim().to_ascii_lowercase();
        let is_named = |entry: &&Entry| {
            entry.1 == name || entry.3.contains(&name.as_str()) || entry.2.contains(&name.as_str())
        };
        ENTRIES.iter().find(is_named).map(|entry| entry.0)
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        ENTRIES.iter().find(|entry| entry.0 == self).map_or("text", |entry| entry.1)
    }

    /// Whether files of it are text for people rather than code.
    #[must_use]
    pub fn is_prose(self) -> bool {
        self == Self::Markdown
    }

    pub(crate) fn grammar(self) -> tree_sitter::Language {
        match self {
            Self::Bash => tree_sitter_bash::LANGUAGE.into(),
            Self::C => tree_sitter_c::LANGUAGE.into(),
            Self::CSharp => tree_sitter_c_sharp::LANGUAGE.into(),
            Self::Cpp => tree_sitter_cpp::LANGUAGE.into(),
            Self::Css => tree_sitter_css::LANGUAGE.into(),
            Self::Go => tree_sitter_go::LANGUAGE.into(),
            Self::Html => tree_sitter_html::LANGUAGE.into(),
            Self::Java => tree_sitter_java::LANGUAGE.into(),
            Self::JavaScript => tree_sitter_javascript::LANGUAGE.into(),
            Self::Json => tree_sitter_json::LANGUAGE.into(),
            Self::Kotlin => tree_sitter_kotlin_ng::LANGUAGE.into(),
            Self::Lua => tree_sitter_lua::LANGUAGE.into(),
            Self::Markdown => tree_sitter_md::LANGUAGE.into(),
            Self::Php => tree_sitter_php::LANGUAGE_PHP.into(),
            Self::Python => tree_sitter_python::LANGUAGE.into(),
            Self::Ruby => tree_sitter_ruby::LANGUAGE.into(),
            Self::Rust => tree_sitter_rust::LANGUAGE.into(),
            Self::Toml => tree_sitter_toml_ng::LANGUAGE.into(),
            Self::Tsx => tree_sitter_typescript::LANGUAGE_TSX.into(),
            Self::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
            Self::Yaml => tree_sitter_yaml::LANGUAGE.into(),
        }
    }

    pub(crate) fn shape(self) -> Shape {
        shape::of(self)
    }

    /// The tree of a text; nothing if the parser gives up.
    pub(crate) fn parse(self, text: &str) -> Option<Tree> {
        let mut parser = Parser::new();
        parser.set_language(&self.grammar()).ok()?;
        let mut left = PARSE_BUDGET;
        let mut progress = |_: &tree_sitter::ParseState| {
            left = left.saturating_sub(1);
            if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let options = ParseOptions::new().progress_callback(&mut progress);
        let bytes = text.as_bytes();
        parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(options))
    }
}
