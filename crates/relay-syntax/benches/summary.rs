//! The first summary of a file of 2,000 lines in each language, in a process that has parsed nothing before, and the next one.
//!
//! The aim is 15 ms for the first.

#![allow(missing_docs, reason = "a program, not a library")]
#![allow(clippy::disallowed_methods, reason = "each language is measured in a process of its own")]
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark that cannot run should say so loudly"
)]

use std::process::Command;
use std::time::Instant;

use relay_syntax::{Language, SummarySettings, highlight, shell, summarise};

const SAMPLES: [(&str, &str); 8] = [
    (
        "rust",
        "pub fn work(x: u8) -> u8 {\n    let a = x + 1;\n    let b = a * 2;\n    if b > 3 {\n        return b;\n    }\n    a\n}\n\n",
    ),
    (
        "python",
        "def work(x):\n    a = x + 1\n    b = a * 2\n    if b > 3:\n        return b\n    c = 1\n    return a + c\n\n",
    ),
    (
        "typescript",
        "export function work(x: number): number {\n  const a = x + 1;\n  const b = a * 2;\n  if (b > 3) {\n    return b;\n  }\n  return a;\n}\n\n",
    ),
    (
        "go",
        "func work(x int) int {\n\ta := x + 1\n\tb := a * 2\n\tif b > 3 {\n\t\treturn b\n\t}\n\treturn a\n}\n\n",
    ),
    (
        "cpp",
        "int work(int x) {\n  int a = x + 1;\n  int b = a * 2;\n  if (b > 3) {\n    return b;\n  }\n  return a;\n}\n\n",
    ),
    (
        "csharp",
        "class C {\n  int Work(int x) {\n    int a = x + 1;\n    int b = a * 2;\n    int c = 3;\n    return a;\n  }\n}\n\n",
    ),
    ("ruby", "def work(x)\n  a = x + 1\n  b = a * 2\n  c = 3\n  d = 4\n  e = 5\n  a\nend\n\n"),
    (
        "kotlin",
        "fun work(x: Int): Int {\n  val a = x + 1\n  val b = a * 2\n  val c = 3\n  val d = 4\n  return a\n}\n\n",
    ),
];

fn main() {
    let wanted = std::env::args().nth(1).filter(|argument| !argument.starts_with('-'));
    if let Some((name, sample)) =
        wanted.and_then(|wanted| SAMPLES.into_iter().find(|(name, _)| *name == wanted))
    {
        return measure(name, sample);
    }
    println!("{:12} {:>10} {:>10} {:>12}", "2,000 lines", "first", "next", "highlight");
    for (name, _) in SAMPLES {
        let status = Command::new(std::env::current_exe().unwrap()).arg(name).status().unwrap();
        assert!(status.success());
    }
    let command = "cd src && git log --oneline | head -5; for f in *.rs; do wc -l \"$f\"; done";
    let start = Instant::now();
    for _ in 0..1_000 {
        let script = shell::parse(command).unwrap();
        assert!(!shell::verdict(&script, &shell::Unseen).findings.is_empty());
    }
    println!("a shell command is read and judged in {:.1} µs", start.elapsed().as_secs_f64() * 1_000.0);
}

fn measure(name: &str, sample: &str) {
    let text: String = sample.repeat(2_000 / sample.lines().count());
    let language = Language::of_name(name).unwrap();
    let timed = |work: &dyn Fn()| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64() * 1_000.0
    };
    let summary = || assert!(summarise(language, &text, &SummarySettings::default()).is_some());
    let (first, next) = (timed(&summary), timed(&summary));
    let colours = timed(&|| assert!(!highlight(language, &text).is_empty()));
    println!("{name:12} {first:>8.1}ms {next:>8.1}ms {colours:>10.1}ms");
}
