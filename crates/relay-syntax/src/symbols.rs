//! The declarations of a file: functions, types, sections.

use tree_sitter::Node;

use crate::Language;
use crate::shape::Shape;

/// The most symbols of one file.
pub const MAX_SYMBOLS: usize = 10_000;
const MAX_DEPTH: usize = 200;

/// What a symbol is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SymbolKind {
    /// A function or method.
    Function,
    /// A class, struct, interface, module, namespace, table.
    Type,
    /// A section of a document.
    Section,
}

/// A declaration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: SymbolKind,
    /// Its first line, from 1.
    pub first: usize,
    /// Its last line.
    pub last: usize,
    /// How many other symbols it is in.
    pub depth: usize,
}

/// The declarations of a text, in order.
#[must_use]
pub fn symbols(language: Language, text: &str) -> Vec<Symbol> {
    let Some(tree) = Some(text)
        .filter(|text| text.len() <= crate::summary::MAX_SUMMARY_BYTES)
        .and_then(|text| language.parse(text))
    else {
        return Vec::new();
    };
    let mut finder = Finder { text, language, shape: language.shape(), found: Vec::new() };
    finder.node(tree.root_node(), 0, 0);
    finder.found
}

struct Finder<'a> {
    text: &'a str,
    language: Language,
    shape: Shape,
    found: Vec<Symbol>,
}

impl Finder<'_> {
    fn node(&mut self, node: Node<'_>, level: usize, depth: usize) {
        if level > MAX_DEPTH || self.found.len() >= MAX_SYMBOLS {
            return;
        }
        let kind = node.kind();
        let symbol = if self.shape.functions.contains(&kind) {
            Some(SymbolKind::Function)
        } else if self.shape.types.contains(&kind) {
            Some(if self.language.is_prose() { SymbolKind::Section } else { SymbolKind::Type })
        } else {
            None
        };
        let mut inner = depth;
        if let Some((kind, name)) = symbol.and_then(|kind| Some((kind, self.name(node)?))) {
            let last = node.start_position().row + self.slice(node).trim_end().matches('\n').count() + 1;
            self.found.push(Symbol { name, kind, first: node.start_position().row + 1, last, depth });
            inner += 1;
        }
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            self.node(child, level + 1, inner);
        }
    }

    fn slice(&self, node: Node<'_>) -> &str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// The name of a declaration, wherever its grammar keeps it.
    fn name(&self, node: Node<'_>) -> Option<String> {
        let direct = node.child_by_field_name("name").or_else(|| self.declarator(node));
        let by_type = || node.child_by_field_name("type").filter(|_| node.kind() == "impl_item");
        // `const f = () => {}`: the name is that of the variable or property.
        let by_parent = || {
            let parent = node.parent()?;
            parent.child_by_field_name("name").or_else(|| parent.child_by_field_name("key"))
        };
        let found = direct.or_else(by_type).or_else(by_parent).or_else(|| self.first_named(node))?;
        let text = self.slice(found).lines().next().unwrap_or_default().trim();
        let text =
            if self.language == Language::Markdown { text.trim_start_matches('#').trim() } else { text };
        (!text.is_empty()).then(|| text.chars().take(200).collect())
    }

    /// `int *f(void)`: the name is inside its declarators.
    fn declarator<'t>(&self, node: Node<'t>) -> Option<Node<'t>> {
        let mut found = node.child_by_field_name("declarator")?;
        for _ in 0..MAX_DEPTH {
            match found.child_by_field_name("declarator") {
                Some(inner) => found = inner,
                None => break,
            }
        }
        Some(found)
    }

    /// Headings, tables and selectors have no field for their name.
    fn first_named<'t>(&self, node: Node<'t>) -> Option<Node<'t>> {
        let has_title = matches!(
            node.kind(),
            "section"
                | "table"
                | "table_array_element"
                | "rule_set"
                | "keyframes_statement"
                | "macro_definition"
        );
        let mut cursor = node.walk();
        node.named_children(&mut cursor).next().filter(|_| has_title)
    }
}
