//! Random numbers that repeat, and the damage they do to text.

/// Tokens that mean something in one dialect or another.
const TOKENS: &[&str] = &[
    "```",
    "````",
    "~~~",
    "```ts // {a.ts}",
    "```diff",
    "new-unified",
    "// START",
    "// END",
    "//TODO: delete this file",
    "--- a/x",
    "+++ b/x",
    "--- /dev/null",
    "@@ -1,2 +1,3 @@",
    "@@ -0,0 +1 @@",
    "@@ -99999999999999999999,1 +1 @@",
    "@@",
    "@@ ... @@",
    "\\ No newline at end of file",
    "diff --git a/x b/x",
    "rename from x",
    "new file mode 100755",
    "old mode 120000",
    "<<<<<<< SEARCH",
    "=======",
    ">>>>>>> REPLACE",
    "------- SEARCH",
    "+++++++ REPLACE",
    ":start_line:18446744073709551616",
    "*** Begin Patch",
    "*** End Patch",
    "*** Update File: a.ts",
    "*** Add File: ",
    "*** Move to: /",
    "*** End of File",
    "*** Abort",
    "««« EDIT",
    "═══════ REPL",
    "»»» EDIT END",
    "§a.ts",
    "»1aa",
    "«EOF",
    "≔1aa..0zz",
    "≔18446744073709551616aa",
    "[CREATE_FILE path=\"a\"]",
    "[/CREATE_FILE]",
    "[EDIT_FILE path=\"a\" start_line=\"9\" end_line=\"1\"]",
    "[/EDIT_FILE]",
    "projectId: x",
    "uuid: ",
    "changeSummary:",
    "&a [*a, *a]",
    "...",
    "// ... existing code ...",
    "\u{feff}",
    "\r",
    "\0",
    "\u{2028}",
    "\u{202e}",
    "é",
    "😀",
    "\t",
    "    ",
    "}",
    "-",
    "+",
    " ",
];

/// A small generator that gives the same numbers for the same seed on every machine.
#[derive(Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 0x9e37_79b9_7f4a_7c15)
    }

    /// Splitmix64.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ word >> 31
    }

    /// A number below `limit`, which must not be 0.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    pub fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }

    /// A line of a file; many are alike.
    pub fn line(&mut self) -> String {
        let indent = *self.pick(&["", "", "    ", "\t", "        "]);
        let text = match self.below(8) {
            0 => String::new(),
            1 => "}".to_owned(),
            2 => "\u{201c}q\u{201d}: \u{2014}".to_owned(),
            3 => format!("call_{}({}, \"value\");", self.below(4), self.below(3)),
            4 => "...".to_owned(),
            _ => self.pick(&["a", "b", "c", "let x = 1;", "return value;", "# note"]).to_string(),
        };
        format!("{indent}{text}")
    }

    /// A line as a model misremembers it.
    pub fn blurred(&mut self, line: &str) -> String {
        match self.below(5) {
            0 => line.trim().to_owned(),
            1 => format!("{line}  "),
            2 => line.replace('\t', "    "),
            3 => line.replace(['\u{201c}', '\u{201d}'], "\""),
            _ => damaged(line, self).replace(['\n', '\r'], " "),
        }
    }
}

/// The text with a few things broken.
pub fn damaged(text: &str, random: &mut Random) -> String {
    let mut text = text.to_owned();
    for _ in 0..1 + random.below(6) {
        text = once(&text, random);
    }
    text
}

fn once(text: &str, random: &mut Random) -> String {
    let mut lines: Vec<&str> = text.split('\n').collect();
    let at = random.below(lines.len());
    let other = random.below(lines.len());
    match random.below(10) {
        0 => drop(lines.remove(at)),
        1 => lines.insert(at, lines[other]),
        2 => lines.swap(at, other),
        3 => lines.insert(at, random.pick::<&str>(TOKENS)),
        4 => lines.truncate(at + 1),
        5 => lines.splice(at..at, std::iter::repeat_n(lines[other], 1 + random.below(30))).for_each(drop),
        6 => return text.replace('\n', "\r\n"),
        7 => lines.extend(super::samples::SAMPLES[random.below(super::samples::SAMPLES.len())].1.split('\n')),
        8 => {
            let cut = text.ceil_char_boundary(random.below(text.len() + 1));
            return format!("{}{}{}", &text[..cut], random.pick(TOKENS), &text[cut..]);
        }
        _ => {
            // One byte becomes another; what is no text then is replaced.
            let mut bytes = text.as_bytes().to_vec();
            if !bytes.is_empty() {
                let at = random.below(bytes.len());
                bytes[at] = random.below(256) as u8;
            }
            return String::from_utf8_lossy(&bytes).into_owned();
        }
    }
    lines.join("\n")
}
