//! The table of everything that can make git start a program.

const TABLE: &str = include_str!("../../fixtures/git-programs.tsv");

/// Where git finds what it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Setting,
    Hook,
    Variable,
}

/// One way to make git start a program.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub kind: Kind,
    pub name: &'static str,
    pub value: &'static str,
    /// A plain git command that starts it, where there is one.
    pub trigger: Option<&'static str>,
}

/// All rows of the table.
pub fn rows() -> Vec<Row> {
    TABLE.lines().filter(|line| !line.starts_with('#')).map(row).collect()
}

fn row(line: &'static str) -> Row {
    let fields: Vec<&'static str> = line.split('\t').collect();
    let [kind, name, value, trigger] = fields[..] else { panic!("not four fields: {line}") };
    let kind = match kind {
        "setting" => Kind::Setting,
        "hook" => Kind::Hook,
        "variable" => Kind::Variable,
        _ => panic!("no such kind: {line}"),
    };
    Row { kind, name, value, trigger: (trigger != "-").then_some(trigger) }
}
