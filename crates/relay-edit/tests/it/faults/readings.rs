//! Hunks that are read otherwise than they are written: each way is in the certificate, and only that way passes.

use relay_edit::{How, HunkLine, VerifyError};

use super::Planned;

const FILE: &str = "say(\"a\");\nif a < b {\n    go(1);\n\n    set(port: 3000, name: 2);\n}\n";

fn sections(old: &str, new: &str) -> String {
    let path = "{a.rs}";
    format!(
        "```rust // {path} multi-search-replace\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n```\n"
    )
}

fn diff(lines: &str) -> String {
    format!("--- a/a.rs\n+++ b/a.rs\n@@ -1 +1 @@\n{lines}")
}

/// A reply for each way to read a hunk, with the file it is for.
fn replies() -> Vec<(How, String, String)> {
    let of = |how: How, reply: String| (how, FILE.to_owned(), reply);
    vec![
        of(How::WithinLine, sections("port: 3000\n", "port: 8080\n")),
        of(How::WithoutMargins, sections("\n    go(1);\n\n\n", "\n    go(2);\n\n\n")),
        of(How::WithoutRule, sections("-------\n    go(1);\n", "    go(2);\n")),
        of(How::WithoutNumbers, sections("3 |     go(1);\n", "3 |     go(2);\n")),
        of(How::WithoutEscapes, sections("say(\\\"a\\\");\n", "say(\\\"b\\\");\n")),
        of(How::WithoutEntities, sections("if a &lt; b {\n", "if a &gt; b {\n")),
        of(How::Plain, sections("say(\u{201d}a\u{201d});\n", "say(\u{201d}b\u{201d});\n")),
        of(
            How::WithContext,
            diff(" if a < b {\n+    go(1);\n-\n+    more();\n     set(port: 3000, name: 2);\n"),
        ),
        (How::WithoutLastBlank, FILE.to_owned(), diff("     set(port: 3000, name: 2);\n-}\n+};\n-\n")),
        of(How::WithoutAnchors, sections("    go(1);\n", "3ab|    go(2);\n4cd|    go(3);\n")),
        (
            How::WithoutMark,
            format!("\u{feff}{FILE}"),
            sections("\u{feff}say(\"a\");\n", "\u{feff}say(\"b\");\n"),
        ),
        (How::Rewritten, "go(1);  \nstop();\n".to_owned(), sections("go(1);\n", "go(1);\nrun();\ngo(1);\n")),
    ]
}

#[test]
fn only_the_certified_reading_passes() {
    let all: Vec<How> = replies().iter().map(|(how, ..)| *how).chain([How::WithoutProse]).collect();
    for (how, before, reply) in replies() {
        let name = format!("{how:?}");
        let planned = Planned::of_reply(&name, &before, &reply);
        let [reading] = planned.certificate.placements[0].readings.as_slice() else {
            panic!("{name}: {planned:#?}")
        };
        assert_eq!(reading.how, how, "{planned:#?}");
        let check = |what: &str, lie: &dyn Fn(&mut Planned)| {
            let mut planted = planned.clone();
            lie(&mut planted);
            assert_ne!(planted.certificate, planned.certificate, "{name}: {what}");
            match planted.verdict() {
                Err(error) => error,
                Ok(()) => panic!("{name}: {what} was accepted: {planted:#?}"),
            }
        };
        // A blank line at the end is one of those around a hunk, and the byte order mark is not a plain character.
        let also = [(How::WithoutLastBlank, How::WithoutMargins), (How::WithoutMark, How::Plain)];
        let is_lie = |other: &&How| **other != how && !also.contains(&(how, **other));
        for other in all.iter().filter(is_lie) {
            let error = check(&format!("{other:?}"), &|planted| {
                planted.certificate.placements[0].readings[0].how = *other;
            });
            assert_eq!(error, VerifyError::WrongReading { hunk: 0 }, "{name}: {other:?}");
        }
        check("as it is written", &|planted| planted.certificate.placements[0].readings.clear());
        for at in 0..reading.lines.len() {
            for changed in ["evil", ""] {
                let mut lines = reading.lines.clone();
                let text = lines[at].text().to_owned();
                let other = if changed.is_empty() { "//".to_owned() + &text } else { text.clone() + changed };
                let is_added = matches!(lines[at], HunkLine::Added(_));
                lines[at] = match &lines[at] {
                    HunkLine::Context(_) => HunkLine::Context(other.clone()),
                    HunkLine::Removed(_) => HunkLine::Removed(other.clone()),
                    HunkLine::Added(_) => HunkLine::Added(other.clone()),
                };
                let after = String::from_utf8(planned.after.clone()).expect("text");
                let after = if is_added { after.replacen(&text, &other, 1) } else { after };
                let error = check(&format!("line {at} is {other:?}"), &|planted| {
                    planted.certificate.placements[0].readings[0].lines = lines.clone();
                    planted.after = after.clone().into_bytes();
                });
                assert_eq!(error, VerifyError::WrongReading { hunk: 0 }, "{name}: {other:?}");
            }
        }
        check("twice", &|planted| {
            let again = reading.clone();
            planted.certificate.placements[0].readings.push(again);
        });
    }
}
