//! Commands that run others elsewhere or in another way: on a host, many times, in a recorded terminal.

use super::super::grammar;
use super::super::tree::Word;
use super::Cause;
use super::judge::Opinion;
use super::shells;
use super::wrapper::{Inner, Seen, after_options};

/// `ssh host command`: what runs there is judged as if it ran here, beside the connection.
pub(super) fn ssh(arguments: &[Word]) -> Seen {
    let mut notes = vec![("ssh".to_owned(), Opinion::network("`ssh` talks to other machines"))];
    let flags = "46AaCfGgKkMNnqsTtVvXxYy";
    let Some(rest) = after_options(arguments, flags, "BbcDEeFIiJLlmOopQRSWw", &[]) else {
        return Seen::Command;
    };
    let command = match rest.get(1..) {
        None | Some([]) => return Seen::Command,
        Some([first, more @ ..]) if first.text == "--" => more,
        Some(command) => command,
    };
    // The words are joined and read again by the shell of that host.
    let words = command.iter().map(Word::literal).collect::<Option<Vec<_>>>();
    let script = match words.map(|words| grammar::parse(&words.join(" "), 0)) {
        Some(Ok(script)) => vec![Inner::Elsewhere(script)],
        Some(Err(_)) | None => {
            let why = "the command that `ssh` runs is only known when it runs";
            notes.push(("ssh".to_owned(), Opinion::unknown(Cause::Dynamic, why)));
            Vec::new()
        }
    };
    Seen::Wrapped { inner: script, notes }
}

/// `parallel command ::: arguments`: the command once for every argument.
pub(super) fn parallel(arguments: &[Word]) -> Seen {
    let unknown = |why: &str| Seen::note("parallel", Opinion::unknown(Cause::Dynamic, why));
    let long =
        ["jobs=", "dry-run", "bar", "keep-order", "halt=", "null", "quote", "verbose", "will-cite", "group"];
    let Some(rest) = after_options(arguments, "0kmqtuvX", "jNnLIaS", &long) else {
        return unknown("`parallel` has options that are not known here, so what it runs cannot be said");
    };
    let is_mark = |word: &Word| matches!(word.text.as_str(), ":::" | "::::" | ":::+" | "::::+");
    let length = rest.iter().position(is_mark).unwrap_or(rest.len());
    let command = rest.get(..length).unwrap_or_default();
    let words = command.iter().map(Word::literal).collect::<Option<Vec<_>>>();
    let Some(words) = words.filter(|words| !words.is_empty()) else {
        return unknown("what `parallel` runs is only known when it runs");
    };
    let line = words.join(" ");
    // Arguments take the place of `{}`, or come last; a shell reads the line.
    let line = if line.contains('{') { line.replace("{}", "\"$x\"") } else { format!("{line} \"$x\"") };
    let word = Word { text: line, ..Word::default() };
    shells::text_of(Some(&word), "parallel")
}

/// `script -c command file`.
pub(super) fn script(arguments: &[Word]) -> Seen {
    // `-c text`, `-qc text`, `-ctext`, `--command text`, `--command=text`.
    let is_cluster = |text: &str| text.starts_with('-') && !text.starts_with("--") && text.ends_with('c');
    let at = arguments.iter().position(|word| word.text == "--command" || is_cluster(&word.text));
    let given = arguments.iter().find_map(|word| {
        let text = word.literal()?;
        let text = text
            .strip_prefix("--command=")
            .or_else(|| text.strip_prefix("-c").filter(|text| !text.is_empty()))?;
        Some(Word { text: text.to_owned(), ..Word::default() })
    });
    let word = at.and_then(|at| arguments.get(at + 1).cloned()).or(given);
    let Some(word) = word else { return Seen::Command };
    let records = Opinion::unknown(Cause::Options, "`script` writes what is shown to a file");
    match shells::text_of(Some(&word), "script") {
        Seen::Wrapped { inner, mut notes } => {
            notes.push(("script".to_owned(), records));
            Seen::Wrapped { inner, notes }
        }
        Seen::Command => Seen::Command,
    }
}
