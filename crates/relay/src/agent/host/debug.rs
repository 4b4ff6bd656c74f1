//! For debugging: what the provider sent, the log, facts about this machine, and a report without secrets.

use std::io::{Read as _, Write as _};

use flate2::Compression;
use flate2::write::GzEncoder;
use jiff::Timestamp;
use relay_agent::secrets::{Masker, Own};
use relay_settings::Source;
use relay_store::{Artifacts, Folder};
use serde_json::{Value, json};

use super::{Binary, flag, needed};
use crate::agent::journal;

/// How much of the log is shown, and how much of it is in a report.
const LOG_LINES: usize = 5_000;
const LOG_BYTES: usize = 2 << 20;
const REPORTED_LINES: usize = 1_000;
/// How much of each artifact is in a report, and how many there are at most.
const ARTIFACT_BYTES: u64 = 1 << 20;
const ARTIFACTS: usize = 200;
/// How many of the newest subagent answers a report includes.
const SUBAGENTS: usize = 10;
/// How much of a session is in a report.
const SESSION_BYTES: u64 = 32 << 20;
/// Artifacts older than this can be deleted.
const OLD_DAYS: u64 = 30;

impl Binary {
    pub(super) fn about_faults(&self, command: &str, arguments: &Value) -> Option<Result<Value, String>> {
        Some(match command {
            "debug_raw" => Ok(raw()),
            "debug_log" => self.log(arguments),
            "debug_memory" => Ok(memory()),
            "debug_system" => self.system().map(|text| json!({ "text": text })),
            "debug_artifacts" => self.artifacts(arguments),
            "debug_artifact" => self.artifact(arguments),
            "debug_report" => self.report(arguments),
            "debug_clear" => self.clear(arguments),
            _ => return None,
        })
    }

    fn log(&self, arguments: &Value) -> Result<Value, String> {
        // Those of all processes: the front end shows one, or all.
        let lines = journal::last_lines(&self.reach.store, LOG_LINES, LOG_BYTES, None);
        let lines = lines.map_err(|error| error.to_string())?;
        Ok(json!({ "own": flag(arguments, "own"), "pid": std::process::id(), "lines": lines }))
    }

    /// The artifacts of the session that the front end names.
    fn shelf(&self, arguments: &Value) -> Result<Artifacts, String> {
        let session = needed(arguments, "session")?;
        Ok(self.reach.store.sessions().artifacts(&self.path_of(session)?))
    }

    fn artifacts(&self, arguments: &Value) -> Result<Value, String> {
        let shelf = self.shelf(arguments)?;
        let listed = shelf.list().map_err(|error| error.to_string())?;
        let entry = |artifact: &relay_store::Artifact| {
            let name = artifact.path.file_name().map(|name| name.to_string_lossy().into_owned());
            json!({ "name": name, "tool": artifact.tool, "bytes": artifact.bytes })
        };
        Ok(json!({ "folder": shelf.path(), "artifacts": listed.iter().map(entry).collect::<Vec<_>>() }))
    }

    fn artifact(&self, arguments: &Value) -> Result<Value, String> {
        let name = needed(arguments, "name")?;
        let read =
            self.shelf(arguments)?.read_named(name, ARTIFACT_BYTES).map_err(|error| error.to_string())?;
        let bytes = read.ok_or_else(|| format!("there is no artifact `{name}`"))?;
        Ok(json!({ "name": name, "text": String::from_utf8_lossy(&bytes) }))
    }

    /// Deletes artifacts that are old, or says how many there are.
    fn clear(&self, arguments: &Value) -> Result<Value, String> {
        let is_dry = flag(arguments, "dryRun");
        let age = std::time::Duration::from_secs(OLD_DAYS * 24 * 3600);
        let found = self.reach.store.sessions().clear_artifacts(age, is_dry);
        let (count, bytes) = found.map_err(|error| error.to_string())?;
        Ok(json!({ "dryRun": is_dry, "count": count, "bytes": bytes }))
    }

    /// Facts about this machine and the changed settings, without secrets.
    fn system(&self) -> Result<String, String> {
        let variable = |name: &str| std::env::var(name).unwrap_or_else(|_| "-".to_owned());
        let mut text = format!(
            "relay {}\nos {} {}\nsandbox {:?}\nshell {}\nterminal {} {} {}\n",
            env!("CARGO_PKG_VERSION"),
            std::env::consts::OS,
            std::env::consts::ARCH,
            relay_exec::sandbox::strength(),
            variable("SHELL"),
            variable("TERM"),
            variable("TERM_PROGRAM"),
            variable("COLORTERM"),
        );
        text.push_str("\nsettings that differ from their defaults\n");
        for listed in self.current_settings().all() {
            let Some(setting) = listed.setting.filter(|setting| setting.source != Source::Default) else {
                continue;
            };
            text.push_str(&format!("  {} = {}\n", listed.key, setting.value));
        }
        let mut masker = self.masker()?;
        Ok(masker.mask("system", &text))
    }

    fn masker(&self) -> Result<Masker, String> {
        let mut own = Own::default();
        let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        };
        own.add_environment(std::env::vars_os().filter_map(text));
        if let Some(text) =
            self.reach.store.settings_file(relay_agent::secrets::FILE).map_err(|error| error.to_string())?
        {
            own.add_file(&text);
        }
        let key = self.reach.store.ledger_key().map_err(|error| error.to_string())?;
        Ok(Masker::new(&key, own))
    }

    /// Writes everything useful for debugging into one file below the state folder.
    fn report(&self, arguments: &Value) -> Result<Value, String> {
        let mut bundle = Bundle { masker: self.masker()?, keys: self.stored_keys()?, files: Vec::new() };
        bundle.text("system.txt", &self.system()?);
        bundle.text("environment.txt", &environment());
        let log = journal::last_lines(&self.reach.store, REPORTED_LINES, LOG_BYTES, None);
        bundle.text("relay.log", &log.map_err(|error| error.to_string())?.join("\n"));
        bundle.text("raw.json", &format!("{:#}", raw()));
        if let Ok(path) = needed(arguments, "session").and_then(|session| self.path_of(session)) {
            let sessions = self.reach.store.sessions();
            if let Some(bytes) = sessions.read(&path, SESSION_BYTES).map_err(|error| error.to_string())? {
                bundle.text("session.jsonl", &String::from_utf8_lossy(&bytes));
            }
            add_artifacts(&mut bundle, &sessions.artifacts(&path))?;
        }
        let bytes = bundle.packed().map_err(|error| error.to_string())?;
        let folder = Folder::create(&self.reach.store.state_dir().join("reports"))
            .map_err(|error| error.to_string())?;
        let stamp: String =
            Timestamp::now().to_string().chars().filter(char::is_ascii_alphanumeric).take(15).collect();
        let name = format!("relay-report-{stamp}.tar.gz");
        let written = folder.lock().and_then(|writer| writer.replace(&name, &bytes));
        written.map_err(|error| error.to_string())?;
        Ok(json!({ "path": folder.path().join(&name), "bytes": bytes.len() }))
    }

    /// The stored keys, which must never appear in a report.
    fn stored_keys(&self) -> Result<Vec<String>, String> {
        let known = self.reach.store.credentials().map_err(|error| error.to_string())?;
        Ok(known.values().flatten().map(|credential| credential.key().to_owned()).collect())
    }
}

/// How much memory this process takes, as far as the system says so, and how much of that is kept for `/debug`.
fn memory() -> Value {
    let mut status = String::new();
    let read = std::fs::File::open("/proc/self/status").and_then(|mut file| file.read_to_string(&mut status));
    let number = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).filter(|_| read.is_ok());
        line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or_default()
    };
    let frames = journal::raw().map(|frames| frames.all()).unwrap_or_default();
    json!({
        "residentKb": number("VmRSS:"), "peakKb": number("VmHWM:"), "threads": number("Threads:"),
        "frames": frames.len(), "frameBytes": frames.iter().map(|frame| frame.text.len()).sum::<usize>(),
    })
}

/// What the provider sent last.
fn raw() -> Value {
    let frames = journal::raw().map(|frames| frames.all()).unwrap_or_default();
    let frame = |frame: &relay_llm::RawFrame| {
        let at = Timestamp::now().checked_sub(frame.at.elapsed());
        json!({ "at": at.ok().map(|at| at.to_string()), "from": frame.from, "text": frame.text, "cut": frame.cut })
    };
    json!({ "frames": frames.iter().map(frame).collect::<Vec<_>>() })
}

/// The names of all variables; values only of those that reveal nothing personal.
fn environment() -> String {
    const SHOWN: [&str; 12] = [
        "TERM",
        "TERM_PROGRAM",
        "COLORTERM",
        "LANG",
        "LC_ALL",
        "SHELL",
        "TMUX",
        "STY",
        "WAYLAND_DISPLAY",
        "DISPLAY",
        "NO_COLOR",
        "CI",
    ];
    let mut lines: Vec<String> = std::env::vars_os()
        .map(|(name, value)| {
            let name = name.to_string_lossy().into_owned();
            let is_shown = SHOWN.contains(&name.as_str());
            let value = if is_shown { value.to_string_lossy().into_owned() } else { "[removed]".to_owned() };
            format!("{name}={value}")
        })
        .collect();
    lines.sort();
    lines.join("\n")
}

/// Artifacts by number, and the newest answers of subagents.
fn add_artifacts(bundle: &mut Bundle, shelf: &Artifacts) -> Result<(), String> {
    let listed = shelf.list().map_err(|error| error.to_string())?;
    for artifact in listed.iter().rev().take(ARTIFACTS) {
        let Some(name) = artifact.path.file_name().and_then(|name| name.to_str()) else { continue };
        if let Some(bytes) = shelf.read(artifact.id, ARTIFACT_BYTES).map_err(|error| error.to_string())? {
            bundle.bytes(&format!("artifacts/{name}"), &bytes);
        }
    }
    let names = shelf.names().map_err(|error| error.to_string())?;
    let mut answers: Vec<String> = names
        .into_iter()
        .filter(|name| {
            std::path::Path::new(name).extension().is_some_and(|ending| ending == "md" || ending == "jsonl")
        })
        .collect();
    answers.sort();
    for name in answers.iter().rev().take(SUBAGENTS) {
        if let Some(bytes) = shelf.read_named(name, ARTIFACT_BYTES).map_err(|error| error.to_string())? {
            bundle.bytes(&format!("subagents/{name}"), &bytes);
        }
    }
    Ok(())
}

/// The files of a report. Secrets are removed from text files; other files are left as they are.
struct Bundle {
    masker: Masker,
    keys: Vec<String>,
    files: Vec<(String, Vec<u8>)>,
}

impl Bundle {
    fn text(&mut self, name: &str, text: &str) {
        let without_keys =
            self.keys.iter().fold(text.to_owned(), |text, key| text.replace(key.as_str(), "[key]"));
        let masked = self.masker.mask(name, &without_keys);
        self.files.push((name.to_owned(), masked.into_bytes()));
    }

    fn bytes(&mut self, name: &str, bytes: &[u8]) {
        match std::str::from_utf8(bytes) {
            Ok(text) => self.text(name, text),
            Err(_) => self.files.push((name.to_owned(), bytes.to_vec())),
        }
    }

    fn packed(self) -> std::io::Result<Vec<u8>> {
        let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::default()));
        for (name, bytes) in &self.files {
            let mut header = tar::Header::new_gnu();
            header.set_size(u64::try_from(bytes.len()).unwrap_or_default());
            header.set_mode(0o600);
            archive.append_data(&mut header, name, bytes.as_slice())?;
        }
        let mut packed = archive.into_inner()?;
        packed.flush()?;
        packed.finish()
    }
}
