//! The topics of `relay help`: what does not belong to a single command.

/// The topics by name, each with its text.
pub const TOPICS: [(&str, &str); 3] =
    [("dialects", DIALECTS), ("exit-codes", EXIT_CODES), ("environment", ENVIRONMENT)];

/// The topic of this name.
pub fn topic(name: &str) -> Option<&'static str> {
    TOPICS.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// Lines that begin this far in continue a row.
const SECOND_COLUMN: usize = 9;

/// A topic for a terminal that is narrower than its lines: each paragraph and each row of a list on one line, so that
/// wrapping does not break lines that are broken already.
pub fn unbroken(text: &str) -> String {
    let mut joined = String::new();
    // Where the lines begin that belong to the paragraph or row before them.
    let mut goes_on_at = None;
    for line in text.lines() {
        let content = line.trim_start();
        let indent = line.len() - content.len();
        if goes_on_at == Some(indent) && !content.is_empty() {
            joined.push(' ');
            joined.push_str(content);
            continue;
        }
        if !joined.is_empty() {
            joined.push('\n');
        }
        joined.push_str(line);
        goes_on_at = match content.split_once("  ") {
            _ if content.is_empty() => None,
            Some((name, about)) if indent > 0 => {
                Some(line.len() - about.trim_start().len()).filter(|_| !name.is_empty())
            }
            // A row may have its name on a line of its own, and then its text in the second column.
            _ => Some(indent).filter(|indent| *indent == 0 || *indent >= SECOND_COLUMN),
        };
    }
    joined.push('\n');
    joined
}

const DIALECTS: &str = "\
Dialects: the ways a model can write edits

Relay detects the dialect of each block, and one reply may mix them.
`--dialect NAME` reads only one, `relay prompt --dialect NAME` prints
instructions that teach it, and `relay translate --to NAME` writes it.

  fenced          ```ts // {src/a.ts} and a control block; the default
  unified         unified and git diffs, bare or fenced
  search-replace  <<<<<<< SEARCH … ======= … >>>>>>> REPLACE below a path
  apply-patch     *** Begin Patch … *** End Patch
  edit-repl       ««« EDIT … ═══════ REPL … »»» EDIT END below a path
  hashline        §path and the line anchors of `relay read --anchors`
  commands        [CREATE_FILE path=\"…\"], [EDIT_FILE …]; for `relay mail`
  whole-file      a path above a fence, or in the fence's info string

Relay also reads replies in none of these forms: whole files named in a
sentence, tool calls of other agents, replacements in prose, here-documents.
`relay apply --explain reply.md` shows how it reads a reply.

More: docs/replies.md and docs/formats/dialects.md
";

const EXIT_CODES: &str = "\
Exit codes

    0  landed, or nothing to do: already applied, already processed,
       or a dry run that passed
    1  refused or rolled back; the workspace is unchanged
    2  bad usage, or input that cannot be read
    3  landed in part: --partial, or edits deferred by --context or a
       receipt; the report lists what is missing
    4  a limit was reached (`relay run`); `relay resume` continues the session
  130  interrupted and rolled back

`relay wrap` exits as its command does, and with 1 if the command succeeded
but its changes were rolled back. `relay review` exits with 0 for ship, 1 for
iterate, and 2 if there is no verdict. `relay doctor` exits with 1 if
something is broken.

With --json, standard output holds exactly one JSON document, also on failure;
everything for people goes to standard error.

More: docs/formats/json-output.md
";

const ENVIRONMENT: &str = "\
Environment variables

  RELAY_TRUST=1    run the project's commands this time even if you never
                   trusted them, like --trust; the agent does not ask about
                   a new folder
  RELAY_PAGER      the pager of `relay log` and `relay show`; empty or `cat`
                   for none
  PAGER            the same, if RELAY_PAGER is not set; else `less` is used
  RELAY_EDIT_VARIANT
                   how models write edits: hashline, replace, patch,
                   apply_patch or vim
  RELAY_IMAGE_PROTOCOL
                   how the terminal shows pictures: kitty, iterm2, sixel or
                   none, whatever it says itself
  NO_COLOR         no colours; `--color always` still shows them
  VISUAL, EDITOR   the editor that `relay config edit` opens
  TZ               the time zone in which times are shown

  ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY, OPENROUTER_API_KEY, …
                   API keys, used before those stored with `relay auth login`;
                   `relay auth status` lists them
  OLLAMA_HOST      where Ollama listens, if not at its usual address
  HTTPS_PROXY, HTTP_PROXY, NO_PROXY
                   proxies for connections to models

  XDG_CONFIG_HOME  settings and models.toml (default ~/.config)
  XDG_DATA_HOME    keys, trust, views (default ~/.local/share)
  XDG_STATE_HOME   jobs, conversations, locks (default ~/.local/state)
  XDG_CACHE_HOME   what can be rebuilt (default ~/.cache)

`relay config show --sources` lists the settings that come from the
environment. Nothing in a repository, including a .env file, can set any of
these. The variables PHONE_A_FRIEND_* still work under their old names.
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_and_rows_are_joined_for_narrow_terminals() {
        let text = "Title\n\nOne\ntwo.\n\n    0  first\n       and more\n    1  second\n  NAME\n         about\n         it\n";
        let expected =
            "Title\n\nOne two.\n\n    0  first and more\n    1  second\n  NAME\n         about it\n";
        assert_eq!(unbroken(text), expected);
    }

    #[test]
    fn topics_fit_80_columns_and_name_every_dialect() {
        for (name, text) in TOPICS {
            let long: Vec<&str> = text.lines().filter(|line| crate::terminal::columns(line) > 80).collect();
            assert!(long.is_empty(), "{name}: {long:?}");
        }
        let dialects = topic("dialects").unwrap_or_default();
        for dialect in relay_edit::Dialect::ALL {
            assert!(dialects.contains(&format!("  {} ", dialect.name())), "{}", dialect.name());
        }
    }
}
