//! Certificates that lie, each with the result that follows from the lie, in every dialect: all of them must be refused.

use relay_edit::{Applied, Certificate, How, HunkLine, Proof, Reading, Reindent, Tie, Tier, VerifyError};

use super::{FILE, Planned, families, hunk};

const TIERS: [Tier; 11] = [
    Tier::Exact,
    Tier::LineEndings,
    Tier::TrailingWhitespace,
    Tier::Indentation,
    Tier::Spacing,
    Tier::LookAlikes,
    Tier::BlankLines,
    Tier::Fuzzy,
    Tier::Anchors,
    Tier::Seen,
    Tier::LinesUnverified,
];
const TIES: [Tie; 4] = [Tie::LineNumber, Tie::Scope, Tie::Order, Tie::EndOfFile];

impl Planned {
    /// Plants a fault, and the result that would follow from it.
    #[track_caller]
    fn plant(&self, what: &str, after: &str, lie: impl FnOnce(&mut Planned)) -> VerifyError {
        let mut planted = self.clone();
        planted.after = after.as_bytes().to_vec();
        lie(&mut planted);
        assert!(
            planted.certificate != self.certificate || planted.after != self.after,
            "{what}: this is not a fault"
        );
        match planted.verdict() {
            Err(error) => error,
            Ok(()) => panic!("{what} was accepted: {:#?}", planted.certificate),
        }
    }
}

/// The reply of each dialect that changes `beta`, planned.
fn all() -> impl Iterator<Item = (&'static str, Planned)> {
    families().into_iter().map(|(name, reply)| (name, Planned::of_reply(name, FILE, &reply)))
}

#[test]
fn indentation_that_nothing_shows_is_caught() {
    let with = |text: &str| FILE.replace("    beta();", text);
    let white = |spaces: usize| vec![b' '; spaces];
    let rules = [
        (Reindent::Add(b"import os; ".to_vec()), with("import os;     changed();")),
        (Reindent::Add(b"\n".to_vec()), with("\n    changed();")),
        (Reindent::Add(white(8)), with("            changed();")),
        (Reindent::Add(b"\t".to_vec()), with("\t    changed();")),
        (Reindent::Add(Vec::new()), with("    changed();")),
        (Reindent::Strip(white(4)), with("changed();")),
        (Reindent::Strip(b"    changed".to_vec()), with("();")),
        (Reindent::Units { reply: white(4), file: white(12) }, with("            changed();")),
        (Reindent::Units { reply: white(4), file: white(2) }, with("  changed();")),
        (Reindent::Units { reply: white(4), file: b"\t".to_vec() }, with("\tchanged();")),
        (Reindent::Units { reply: white(4), file: b"x".to_vec() }, with("xchanged();")),
        (Reindent::Units { reply: Vec::new(), file: white(4) }, with("    changed();")),
        (Reindent::Written(b"x".to_vec()), with("    changed();")),
    ];
    for (name, planned) in all() {
        for (rule, after) in &rules {
            let error = planned.plant(&format!("{name}: {rule:?}"), after, |planted| {
                planted.certificate.placements[0].reindent = rule.clone();
            });
            assert_eq!(error, VerifyError::WrongIndentation { hunk: 0 }, "{name}: {rule:?}");
        }
    }
}

/// Where the lines are indented otherwise than in the file, there is one rule for that and no other.
#[test]
fn indentation_is_the_one_that_the_lines_show() {
    let planned = Planned::new("if x:\n    one()\n    two()\n", vec![hunk(" one()\n-two()\n+three()\n")]);
    assert_eq!(planned.certificate.placements[0].reindent, Reindent::Add(b"    ".to_vec()));
    for (rule, line) in [
        (Reindent::Keep, "three()"),
        (Reindent::Add(b"        ".to_vec()), "        three()"),
        (Reindent::Add(b"\t".to_vec()), "\tthree()"),
        (Reindent::Add(b"   #".to_vec()), "   #three()"),
    ] {
        let after = format!("if x:\n    one()\n{line}\n");
        let error = planned.plant(line, &after, |planted| planted.certificate.placements[0].reindent = rule);
        assert_eq!(error, VerifyError::WrongIndentation { hunk: 0 }, "{line}");
    }
}

#[test]
fn a_tier_that_the_lines_do_not_need_is_caught() {
    for (name, planned) in all() {
        let good = String::from_utf8(planned.after.clone()).expect("text");
        let claimed = planned.certificate.placements[0].tier;
        for tier in TIERS.into_iter().filter(|tier| *tier != claimed) {
            // That the author saw the lines is known to neither the file nor the hunk.
            if (claimed, tier) == (Tier::LinesUnverified, Tier::Seen) {
                continue;
            }
            planned.plant(&format!("{name}: {tier}"), &good, |planted| {
                planted.certificate.placements[0].tier = tier;
            });
        }
    }
}

#[test]
fn a_wrong_count_and_an_unjustified_choice_are_caught() {
    for (name, planned) in all() {
        let good = String::from_utf8(planned.after.clone()).expect("text");
        for candidates in [0, 2, 7, 65, usize::MAX] {
            for tie in std::iter::once(None).chain(TIES.map(Some)) {
                planned.plant(&format!("{name}: {candidates} {tie:?}"), &good, |planted| {
                    planted.certificate.placements[0].candidates = candidates;
                    planted.certificate.placements[0].tie = tie;
                });
            }
        }
        for tie in TIES {
            planned.plant(&format!("{name}: {tie:?}"), &good, |planted| {
                planted.certificate.placements[0].tie = Some(tie);
            });
        }
    }
}

#[test]
fn the_second_of_two_equal_places_is_not_the_only_one() {
    let twice = FILE.replace("gamma", "alpha").replace("delta", "beta");
    let (first, second) = twice.split_at(twice.find("fn two").expect("there"));
    let after = format!("{first}{}", second.replace("beta", "changed"));
    for (name, planned) in all() {
        let lie = |planted: &mut Planned| {
            let placement = &mut planted.certificate.placements[0];
            placement.map.iter_mut().flatten().for_each(|line| *line += 5);
            placement.insert_at += 5;
            planted.before = twice.as_bytes().to_vec();
            planted.certificate.file = Certificate::fingerprint(twice.as_bytes());
        };
        let error = planned.plant(name, &after, lie);
        let named = planned.certificate.placements[0].tier >= Tier::Anchors;
        let expected = match named {
            true => VerifyError::WrongTie { hunk: 0 },
            false => VerifyError::WrongCount { hunk: 0, places: 2 },
        };
        assert_eq!(error, expected, "{name}");
        // Nor is it chosen by anything.
        for tie in TIES {
            planned.plant(&format!("{name}: {tie:?}"), &after, |planted| {
                lie(planted);
                planted.certificate.placements[0].candidates = 2;
                planted.certificate.placements[0].tie = Some(tie);
            });
        }
    }
}

/// Two places each, one of them chosen for a reason: the same reason for the other place is a lie, and so is any other reason.
#[test]
fn what_chooses_one_place_does_not_choose_the_other() {
    let twice = "fn one() {\n    alpha();\n    beta();\n}\n\nfn two() {\n    alpha();\n    beta();\n}\n";
    let change = "     alpha();\n-    beta();\n+    changed();\n";
    let diff = |header: &str, more: &str| format!("--- a/a.rs\n+++ b/a.rs\n{header}\n{change}{more}");
    let patch = |header: &str, more: &str| {
        format!("*** Begin Patch\n*** Update File: a.rs\n{header}\n{change}{more}*** End Patch\n")
    };
    let after_two = format!("{twice}fn three() {{\n    last();\n}}\n");
    for (name, before, reply, tie) in [
        ("diff", twice, diff("@@ -7,2 +7,2 @@", ""), Tie::LineNumber),
        (
            "new-unified",
            twice,
            format!("```rust // {{a.rs}} new-unified\n@@ -2,2 +2,2 @@\n{change}```\n"),
            Tie::LineNumber,
        ),
        ("apply-patch", twice, patch("@@ fn two() {", ""), Tie::Scope),
        ("apply-patch", twice, patch("@@", " }\n*** End of File\n"), Tie::EndOfFile),
        ("diff", after_two.as_str(), diff("@@ @@\n fn two() {\n+    // new\n@@ @@", ""), Tie::Order),
    ] {
        let planned = Planned::of_reply(name, before, &reply);
        let at = planned.certificate.placements.iter().position(|placement| placement.tie.is_some());
        let at = at.unwrap_or_else(|| panic!("{name}: {planned:#?}"));
        assert_eq!(planned.certificate.placements[at].tie, Some(tie), "{name}");
        let good = String::from_utf8(planned.after.clone()).expect("text");
        let start = planned.certificate.placements[at].first_line();
        let other = good.replace("changed", "beta");
        let mut lines: Vec<String> = other.lines().map(str::to_owned).collect();
        let from = if start > 4 { 2 } else { 7 };
        lines[from] = lines[from].replace("beta", "changed");
        let wrong = lines.join("\n") + "\n";
        let shift = |planted: &mut Planned| {
            let placement = &mut planted.certificate.placements[at];
            placement.insert_at = if start > 4 { start - 5 } else { start + 5 };
            placement.map.iter_mut().flatten().for_each(|line| {
                *line = if start > 4 { *line - 5 } else { *line + 5 };
            });
        };
        for claimed in TIES {
            planned.plant(&format!("{name}: {tie:?} as {claimed:?}"), &wrong, |planted| {
                shift(planted);
                planted.certificate.placements[at].tie = Some(claimed);
            });
            if claimed != tie {
                planned.plant(&format!("{name}: {tie:?} called {claimed:?}"), &good, |planted| {
                    planted.certificate.placements[at].tie = Some(claimed);
                });
            }
        }
        let error = planned.plant(name, &good, |planted| {
            planted.certificate.placements[at].tie = None;
            planted.certificate.placements[at].candidates = 1;
        });
        assert_eq!(
            error,
            VerifyError::WrongCount { hunk: planned.certificate.placements[at].hunk, places: 2 }
        );
    }
}

#[test]
fn a_reading_that_is_not_the_authors_is_caught() {
    let foreign = [
        How::WithoutMark,
        How::WithinLine,
        How::WithoutMargins,
        How::WithoutRule,
        How::WithoutNumbers,
        How::WithoutEscapes,
        How::WithoutEntities,
        How::Plain,
        How::WithContext,
        How::WithoutProse,
        How::WithoutLastBlank,
        How::Rewritten,
        How::Quoted { above: 0, below: 0 },
        How::Quoted { above: 1, below: 0 },
    ];
    let after = FILE.replace("beta", "evil");
    for (name, planned) in all() {
        for how in foreign {
            let lines = vec![
                HunkLine::Context("    alpha();".to_owned()),
                HunkLine::Removed("    beta();".to_owned()),
                HunkLine::Added("    evil();".to_owned()),
            ];
            let error = planned.plant(&format!("{name}: {how:?}"), &after, |planted| {
                planted.certificate.placements[0].readings = vec![Reading { how, lines }];
                planted.certificate.placements[0].map = vec![Some(1), Some(2), None];
            });
            assert_eq!(error, VerifyError::WrongReading { hunk: 0 }, "{name}: {how:?}");
        }
    }
}

#[test]
fn a_hunk_that_is_not_applied_is_not_called_so() {
    for (name, planned) in all() {
        let count = planned.hunks[0].lines.len();
        let line = |at: usize| if at + 1 < count { Some(at + 1) } else { None };
        let maps = [
            Vec::new(),
            vec![None; count],
            (0..count).map(Some).collect(),
            (0..count).map(line).collect(),
            (0..count).map(|at| Some(at + 1)).collect(),
            planned.certificate.placements[0].map.clone(),
        ];
        let proofs = maps.iter().map(|map| Proof::Lines { map: map.clone() });
        let repeats = [0, 1, usize::MAX]
            .into_iter()
            .flat_map(|hunk| maps.iter().map(move |map| Proof::Repeats { hunk, map: map.clone() }));
        for proof in proofs.chain(repeats).chain([Proof::ChangesNothing]) {
            let error = planned.plant(&format!("{name}: {proof:?}"), FILE, |planted| {
                let applied = Applied { hunk: 0, readings: Vec::new(), proof: proof.clone() };
                planted.certificate.placements.clear();
                planted.certificate.applied.push(applied);
            });
            assert_eq!(error, VerifyError::NotApplied { hunk: 0 }, "{name}: {proof:?}");
        }
        for empty in [0..0, 0..1, 1..1, 0..2] {
            let error = planned.plant(&format!("{name}: nothing"), FILE, |planted| {
                planted.certificate.placements.clear();
                planted.certificate.hunks = empty;
            });
            assert!(matches!(error, VerifyError::NotOnce { .. }), "{name}: {error:?}");
        }
    }
}

/// A second time every quoted change is found applied, and that is certified as well.
#[test]
fn an_applied_hunk_is_certified_by_its_lines() {
    let done = FILE.replace("beta", "changed");
    for (name, reply) in families().into_iter().filter(|(name, _)| !matches!(*name, "hashline" | "commands"))
    {
        let planned = Planned::of_reply(name, &done, &reply);
        assert_eq!(planned.after, planned.before, "{name}");
        let [applied] = planned.certificate.applied.as_slice() else { panic!("{name}: {planned:#?}") };
        let Proof::Lines { map } = applied.proof.clone() else { panic!("{name}: {applied:?}") };
        let set = |planted: &mut Planned, map: Vec<Option<usize>>| {
            planted.certificate.applied[0].proof = Proof::Lines { map };
        };
        for shift in [1, 5] {
            let moved = map.iter().map(|line| line.map(|line| line + shift)).collect();
            planned.plant(&format!("{name}: moved"), &done, |planted| set(planted, moved));
        }
        for at in 0..map.len() {
            let mut missing = map.clone();
            missing[at] = match missing[at] {
                Some(_) => None,
                None => Some(2),
            };
            planned.plant(&format!("{name}: without {at}"), &done, |planted| set(planted, missing));
        }
        // The result must be the file as it was.
        planned.plant(&format!("{name}: changed"), &done.replace("gamma", "delta"), |_| {});
        planned.plant(&format!("{name}: twice"), &done, |planted| {
            let twice = planted.certificate.applied[0].clone();
            planted.certificate.applied.push(twice);
        });
    }
}

#[test]
fn old_lines_that_are_still_there_are_not_replaced() {
    let applied = |hunk: &str, before: &str, map: Vec<Option<usize>>| {
        let certificate = Certificate {
            file: Certificate::fingerprint(before.as_bytes()),
            hunks: 0..1,
            placements: Vec::new(),
            applied: vec![Applied { hunk: 0, readings: Vec::new(), proof: Proof::Lines { map } }],
            moved: 0,
        };
        relay_edit::verify(before.as_bytes(), &[super::hunk(hunk)], &certificate, before.as_bytes())
    };
    let refused = Err(VerifyError::NotApplied { hunk: 0 });
    let change = "-let a = old;\n+let a = new;\n";
    assert_eq!(applied(change, "x\nlet a = new;\n", vec![None, Some(1)]), Ok(()));
    // Beside the new line, and elsewhere.
    assert_eq!(applied(change, "let a = old;\nlet a = new;\n", vec![None, Some(1)]), refused);
    assert_eq!(applied(change, "let a = new;\nx\nlet a = old;\n", vec![None, Some(0)]), refused);
    // A line that may be there for any reason.
    assert_eq!(applied("-foo()\n+pass\n", "x\npass\n", vec![None, Some(1)]), refused);
    // A deletion leaves nothing that shows it.
    assert_eq!(applied(" a\n-b\n c\n", "a\nc\n", vec![Some(0), None, Some(1)]), refused);
    assert_eq!(applied("-b\n", "a\nc\n", vec![None]), refused);
}

#[test]
fn swapped_and_dropped_hunks_are_caught() {
    let two =
        vec![hunk("     alpha();\n-    beta();\n+    changed();\n"), hunk("     gamma();\n-    delta();\n")];
    let planned = Planned::new(FILE, two);
    let good = String::from_utf8(planned.after.clone()).expect("text");
    planned.plant("swapped", &good, |planted| {
        planted.certificate.placements[0].hunk = 1;
        planted.certificate.placements[1].hunk = 0;
    });
    planned.plant("places swapped", &good, |planted| {
        let map = planted.certificate.placements[0].map.clone();
        planted.certificate.placements[0].map = planted.certificate.placements[1].map.clone();
        planted.certificate.placements[1].map = map;
    });
    let error = planned.plant("dropped", &FILE.replace("beta", "changed"), |planted| {
        planted.certificate.placements.pop();
    });
    assert_eq!(error, VerifyError::NotOnce { hunk: 1 });
    // The same change at another place is not the same change.
    let twice = FILE.replace("gamma", "alpha2").replace("delta", "beta");
    let same = vec![
        hunk(" fn one() {\n     alpha();\n-    beta();\n+    changed();\n"),
        hunk(" fn two() {\n     alpha2();\n-    beta();\n+    changed();\n"),
    ];
    let planned = Planned::new(&twice, same);
    let maps = [
        planned.certificate.placements[0].map.clone(),
        planned.certificate.placements[1].map.clone(),
        Vec::new(),
    ];
    for map in maps {
        let error = planned.plant("repeated", &twice.replacen("beta", "changed", 1), |planted| {
            planted.certificate.placements.pop();
            let proof = Proof::Repeats { hunk: 0, map: map.clone() };
            planted.certificate.applied.push(Applied { hunk: 1, readings: Vec::new(), proof });
        });
        assert_eq!(error, VerifyError::NotApplied { hunk: 1 });
    }
}
