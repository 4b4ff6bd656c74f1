//! Which nodes of a grammar are functions, types, comments and containers of data.

use crate::Language;

/// The kinds of nodes that summaries and symbols go by.
pub(crate) struct Shape {
    /// Nodes whose body can be left out.
    pub(crate) functions: &'static [&'static str],
    /// Nodes that hold others and have a name.
    pub(crate) types: &'static [&'static str],
    /// Comments.
    pub(crate) comments: &'static [&'static str],
    /// Data in data; left out from the third level on.
    pub(crate) data: &'static [&'static str],
    /// Bodies that are not in a field named `body`.
    pub(crate) bodies: &'static [&'static str],
}

const SCRIPT_FUNCTIONS: &[&str] = &[
    "function_declaration",
    "generator_function_declaration",
    "function_expression",
    "arrow_function",
    "method_definition",
    "generator_function",
];
const SCRIPT_TYPES: &[&str] = &[
    "class_declaration",
    "class",
    "abstract_class_declaration",
    "interface_declaration",
    "enum_declaration",
    "type_alias_declaration",
    "internal_module",
    "module",
];

const fn shape(
    functions: &'static [&'static str],
    types: &'static [&'static str],
    comments: &'static [&'static str],
) -> Shape {
    Shape { functions, types, comments, data: &[], bodies: &[] }
}

// Long because it is one table: a row for each language.
pub(crate) fn of(language: Language) -> Shape {
    match language {
        Language::Rust => Shape {
            bodies: &["token_tree"],
            ..shape(
                &["function_item", "macro_definition"],
                &[
                    "struct_item",
                    "enum_item",
                    "union_item",
                    "trait_item",
                    "impl_item",
                    "mod_item",
                    "type_item",
                    "const_item",
                    "static_item",
                ],
                &["line_comment", "block_comment"],
            )
        },
        Language::Python => shape(&["function_definition"], &["class_definition"], &["comment"]),
        Language::JavaScript => shape(SCRIPT_FUNCTIONS, &["class_declaration", "class"], &["comment"]),
        Language::TypeScript | Language::Tsx => shape(SCRIPT_FUNCTIONS, SCRIPT_TYPES, &["comment"]),
        Language::Go => shape(
            &["function_declaration", "method_declaration", "func_literal"],
            &["type_spec"],
            &["comment"],
        ),
        Language::Java => shape(
            &["method_declaration", "constructor_declaration", "compact_constructor_declaration"],
            &[
                "class_declaration",
                "interface_declaration",
                "enum_declaration",
                "record_declaration",
                "annotation_type_declaration",
            ],
            &["line_comment", "block_comment"],
        ),
        Language::C => shape(
            &["function_definition"],
            &["struct_specifier", "enum_specifier", "union_specifier", "type_definition"],
            &["comment"],
        ),
        Language::Cpp => shape(
            &["function_definition", "lambda_expression"],
            &[
                "struct_specifier",
                "enum_specifier",
                "union_specifier",
                "class_specifier",
                "namespace_definition",
                "type_definition",
            ],
            &["comment"],
        ),
        Language::CSharp => shape(
            &[
                "method_declaration",
                "constructor_declaration",
                "destructor_declaration",
                "operator_declaration",
                "local_function_statement",
            ],
            &[
                "class_declaration",
                "interface_declaration",
                "struct_declaration",
                "enum_declaration",
                "record_declaration",
                "namespace_declaration",
            ],
            &["comment"],
        ),
        Language::Ruby => {
            shape(&["method", "singleton_method"], &["class", "module", "singleton_class"], &["comment"])
        }
        Language::Php => shape(
            &["function_definition", "method_declaration"],
            &[
                "class_declaration",
                "interface_declaration",
                "trait_declaration",
                "enum_declaration",
                "namespace_definition",
            ],
            &["comment"],
        ),
        Language::Kotlin => Shape {
            bodies: &["function_body"],
            ..shape(
                &["function_declaration", "secondary_constructor", "getter", "setter"],
                &["class_declaration", "object_declaration", "companion_object"],
                &["line_comment", "block_comment", "multiline_comment"],
            )
        },
        Language::Bash => shape(&["function_definition"], &[], &["comment"]),
        Language::Lua => shape(&["function_declaration", "function_definition"], &[], &["comment"]),
        Language::Html => {
            Shape { bodies: &["raw_text"], ..shape(&["script_element", "style_element"], &[], &["comment"]) }
        }
        Language::Css => {
            Shape { bodies: &["block"], ..shape(&["rule_set", "keyframes_statement"], &[], &["comment"]) }
        }
        Language::Json => Shape { data: &["object", "array"], ..shape(&[], &[], &["comment"]) },
        Language::Yaml => Shape {
            data: &["block_mapping", "block_sequence", "flow_mapping", "flow_sequence"],
            ..shape(&[], &[], &["comment"])
        },
        Language::Toml => Shape {
            data: &["array", "inline_table"],
            ..shape(&[], &["table", "table_array_element"], &["comment"])
        },
        Language::Markdown => shape(&[], &["section"], &[]),
    }
}
