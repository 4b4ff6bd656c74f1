//! The topics of `relay help`: what does not belong to a single command.

/// The topics by name, each with its text.
pub const TOPICS: [(&str, &str); 3] =
    [("dialects", DIALECTS), ("exit-codes", EXIT_CODES), ("environment", ENVIRONMENT)];

/// The topic of this name.
pub fn topic(name: &str) -> Option<&'static str> {
    TOPICS.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
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
                   trusted them, like --trust
  RELAY_PAGER      the pager of `relay log` and `relay show`; empty or `cat`
                   for none
  PAGER            the same, if RELAY_PAGER is not set; else `less` is used
  RELAY_EDIT_VARIANT
                   how models write edits: hashline, replace, patch,
                   apply_patch or vim
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
  XDG_CACHE_HOME   what can be made again (default ~/.cache)

`relay config show --sources` lists the settings that come from the
environment. Nothing in a repository, including a .env file, can set any of
these.
";

#[cfg(test)]
mod tests {
    use super::*;

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
