//! Drift between pack and paste: 500 commits meet 500 replies, and no line goes astray.
//!
//! Real source files, commits as people make them (words, lines, blocks copied, moved into a condition, doubled), half of
//! them within five lines of what the reply changes. Two judges that know nothing of Relay: the composition of both
//! changes by their places in the common ancestor, where a line lies between them, and `git merge-file`.

use super::history::{Case, Hunk, Judged, judge};

/// Numbers, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).unwrap() % limit.max(1)
    }
}

const SOURCES: [&str; 8] = [
    include_str!("../mod.rs"),
    include_str!("../resolve.rs"),
    include_str!("../../../pipeline.rs"),
    include_str!("../../../plan/contain.rs"),
    include_str!("../../../outcome/mod.rs"),
    include_str!("../../../checks/lint/mod.rs"),
    include_str!("../../../../../../README.md"),
    include_str!("../../../project/config.rs"),
];

/// A change as a person makes one, at a place of a file.
fn change(random: &mut Random, lines: &[&str], start: usize) -> Hunk {
    let line = lines[start];
    let indent: String = line.chars().take_while(|c| *c == ' ').collect();
    let reworded = |line: &str, word: usize| match line.split(' ').rfind(|part| part.len() > 3) {
        Some(part) => line.replacen(part, &format!("{part}{word}"), 1),
        None => format!("{line} // {word}"),
    };
    let number = random.below(1000);
    let until = |count: usize| (start + count).min(lines.len());
    let own = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<String>>();
    let (end, new) = match random.below(9) {
        0 | 1 => (start + 1, vec![reworded(line, number)]),
        2 => (start, vec![format!("{indent}log(\"step {number}\");")]),
        3 => (until(1 + random.below(3)), Vec::new()),
        4 => {
            // A block from elsewhere in the file, with a word of its own.
            let from = random.below(lines.len().saturating_sub(8));
            let mut block = own(&lines[from..from + 3 + random.below(5)]);
            block[0] = reworded(&block[0], number);
            (start, block)
        }
        // The same lines again: a duplicate.
        5 => (start, own(&lines[start..until(2 + random.below(4))])),
        6 => {
            let end = until(2);
            let mut block = vec![format!("{indent}if ready_{number} {{")];
            block.extend(lines[start..end].iter().map(|line| format!("    {line}")));
            block.push(format!("{indent}}}"));
            (end, block)
        }
        7 => (start, vec![format!("{indent}// Because of {number}."), String::new()]),
        _ => {
            let end = until(3);
            let mut block = own(&lines[start..end]);
            block.reverse();
            block.push(format!("{indent}finish({number});"));
            (end, block)
        }
    };
    Hunk { start, end, new }
}

/// A file, a reply's change, and what others changed meanwhile.
fn case(random: &mut Random, number: usize) -> Case {
    let source = SOURCES[number % SOURCES.len()];
    let text = if number.is_multiple_of(5) {
        format!("password = \"hunter{number}-and-more\"\n{source}")
    } else {
        source.to_owned()
    };
    let lines: Vec<&str> = text.lines().collect();
    let edit = loop {
        let start = 10 + random.below(lines.len() - 20);
        let edit = change(random, &lines, start);
        if !lines[start].trim().is_empty() {
            break edit;
        }
    };
    let is_near = number.is_multiple_of(2);
    let mut drift: Vec<Hunk> = Vec::new();
    let wanted = 1 + random.below(4);
    while drift.len() < wanted {
        let start = if is_near && drift.is_empty() {
            let reach = random.below(6);
            if random.below(2) == 0 { edit.end + reach } else { edit.start.saturating_sub(reach + 1) }
        } else {
            random.below(lines.len() - 2)
        };
        let hunk = change(random, &lines, start.min(lines.len() - 1));
        let is_apart = drift.iter().all(|other| hunk.end < other.start || other.end < hunk.start);
        let is_far = hunk.start > edit.end + 5 || hunk.end + 5 < edit.start;
        if is_apart && (is_near && drift.is_empty() || is_far) {
            drift.push(hunk);
        }
    }
    Case {
        name: format!("case {number}"),
        file: "src/a.toml".to_owned(),
        text,
        edit: vec![edit],
        drift,
        is_near,
    }
}

#[test]
fn five_hundred_drifts() {
    let mut random = Random(0x00d1_21f7);
    let mut judged = Judged::default();
    for number in 0..500 {
        judged.add(&judge(&case(&mut random, number), number));
    }
    println!("{judged}");
    assert_eq!(judged.wrong, Vec::<String>::new());
    assert!(judged.near >= 250 && judged.masked >= 90, "{judged}");
    assert!(judged.landed * 100 >= judged.mergeable * 95, "{judged}");
    // A judge that finds no conflict anywhere judges nothing.
    assert!(judged.conflicts >= 25, "{judged}");
}
