//! Everything an agent needs, from the command line, the user's settings and the project.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use relay_agent::driver::{AgentBuilder, Asker, Replay, Watching};
use relay_agent::policy::{Class, Confinement, Level, Places, Policy, Present, Rules};
use relay_agent::resources::{Resources, RuleTexts};
use relay_agent::rules::stream::{Monitor, StreamRules};
use relay_agent::secrets::{Masker, Own};
use relay_agent::session::{Recent, SessionError, SessionLog};
use relay_agent::tool::{Blind, Registry, Selection, Services, Ui};
use relay_agent::turn::{Delivery, Settings as LoopSettings};
use relay_diagnostics::Diagnostic;
use relay_engine::Engine;
use relay_exec::sandbox::Strength;
use relay_settings::Settings;
use relay_store::Store;
use relay_workspace::Kind;
use serde_json::{Value, json};

use super::awake::Awake;
use super::reach::Reach;
use super::vision::Eyes;
use crate::cli::{AgentArgs, SessionFlags};
use crate::failure::{BAD_USAGE, Failure};
use crate::instructions::SkillTexts;
use crate::{open as project, user};

/// Which session.
#[derive(Clone, Debug)]
pub enum Which {
    /// A new one.
    New,
    /// The newest one of the project.
    Newest,
    /// This one.
    Named(String),
    /// A copy of this one.
    Fork(String),
    /// One that is not stored.
    Unkept,
}

impl From<&SessionFlags> for Which {
    fn from(flags: &SessionFlags) -> Self {
        match flags {
            SessionFlags { session: Some(id), .. } => Self::Named(id.clone()),
            SessionFlags { fork: Some(id), .. } => Self::Fork(id.clone()),
            SessionFlags { resume_newest: true, .. } => Self::Newest,
            SessionFlags { no_session: true, .. } => Self::Unkept,
            _ => Self::New,
        }
    }
}

/// What a front end brings.
pub struct Front {
    /// Answers questions.
    pub ui: Arc<dyn Ui>,
    /// Make no connections.
    pub offline: bool,
    /// Whether a person is watching and can answer at any time.
    pub interactive: bool,
}

/// An assembled agent that has not started yet, and what its front end may want to know.
pub struct Opened {
    /// The agent's parts.
    pub builder: AgentBuilder,
    /// The user's data and settings, and the models.
    pub reach: Reach,
    /// Skills, by name.
    pub skills: Arc<SkillTexts>,
    /// How waiting messages are delivered.
    pub delivery: (Delivery, Delivery),
    /// The prompt from which a model will name the session.
    pub untitled: Option<String>,
    /// Whether plan mode is on from the start.
    pub plans: bool,
    /// The recording to replay, if any.
    pub replay: Option<Arc<Replay>>,
    /// What keeps the machine awake.
    pub awake: Awake,
    /// What a person should know.
    pub notes: Vec<String>,
    /// The files of instructions that the model is given: `path` and `text` of each.
    pub instructions: Vec<Value>,
}

/// Puts an agent together.
pub fn open(root: Option<&Path>, args: &AgentArgs, which: &Which, front: Front) -> Result<Opened, Failure> {
    let store = store(args)?;
    let settings = settings(&store, args)?;
    let engine = Arc::new(project::engine(root)?.without_checks());
    let mut notes: Vec<String> = engine.warnings().iter().map(|warning| warning.message.clone()).collect();
    let log = session(&store, engine.workspace().root(), which, &mut notes)?;
    let replay = args
        .ask
        .model
        .as_deref()
        .and_then(|model| model.strip_prefix("replay:"))
        .map(recording)
        .transpose()?;
    let (reach, asker, thinking) = match &replay {
        Some(replay) => {
            let reach = Reach::beside_a_recording(&store, &settings, front.offline);
            (reach, Arc::clone(replay) as Arc<dyn Asker>, None)
        }
        None => Reach::open(&store, &settings, args, &log, front.offline)?,
    };
    let can_call = asker.model().capabilities.tools;
    let mut services = services(&store, &engine, &log, &settings, front.ui);
    services.added = folders(&args.add_dir)?;
    let registry = tools(&store, &services, &mut notes)?;
    let mut builder = AgentBuilder::new(log, asker, registry, services);
    builder.selection = selection(args);
    builder.policy = policy(&settings, args, &engine, &builder.services.added)?;
    let selector = builder.asking.asker.model().selector();
    let material = super::system::material(&engine, &store, args, skills(&settings), &selector)?;
    builder.asking.system = relay_agent::prompt::compose(&material).text();
    let skills = Arc::new(SkillTexts::new(Arc::clone(&engine), &store, &material));
    let instructions = material.user.iter().chain(&material.project);
    let instructions = instructions.map(|file| json!({ "path": file.path, "text": file.text })).collect();
    let resources = &builder.services.resources;
    resources.add(Arc::clone(&skills) as Arc<dyn relay_agent::resources::Scheme>);
    resources.add(Arc::new(RuleTexts::new(material.rules.clone())));
    resources.add(Arc::new(super::manual::Manual));
    builder.asking.others = Arc::new(super::others::Configured(reach.clone()));
    builder.asking.cache_key.clone_from(&args.ask.provider_session_id);
    builder.new_session = Some(new_session(&store));
    builder.services.vision = Arc::new(Eyes::new(reach.clone(), &builder.asking.asker));
    let (rules, skipped) = StreamRules::new(&material.rules, stream_settings(&settings));
    notes.extend(skipped.iter().map(|skipped| format!("{}: {}", skipped.path, skipped.reason)));
    builder.rules = Box::new(Watching::new(Monitor::new(rules)));
    builder.masker = masker(&store, &settings, &mut notes)?;
    builder.compaction = compaction(&settings);
    builder.asking.thinking = thinking;
    builder.settings = LoopSettings {
        keep_interrupted: settings.text("ttsr.contextMode").as_deref() == Some("keep"),
        steering_waits: settings.text("interruptMode").as_deref() == Some("wait"),
        text_edits: args.text_edits || !can_call,
        goal_continues: continues(&settings, front.interactive),
        todo_reminders: todo_reminders(&settings),
        ..LoopSettings::default()
    };
    builder.time = args.limits.max_time.and_then(|bound| bound.0);
    let delivery = (delivery(&settings, "steeringMode"), delivery(&settings, "followUpMode"));
    Ok(Opened {
        builder,
        reach,
        skills,
        delivery,
        untitled: None,
        plans: args.plan,
        replay,
        awake: Awake::of(&settings),
        notes,
        instructions,
    })
}

/// How waiting messages are delivered.
fn delivery(settings: &Settings, key: &str) -> Delivery {
    match settings.text(key).as_deref() {
        Some("all") => Delivery::All,
        _ => Delivery::OneAtATime,
    }
}

/// The tools that the command line selects.
fn selection(args: &AgentArgs) -> Selection {
    match (&args.tools, args.without.no_tools) {
        (_, true) => Selection::Nothing,
        (Some(names), _) => Selection::Named(names.clone()),
        (None, _) => Selection::All,
    }
}

/// The user's data, with sessions in the folder that the command line names.
fn store(args: &AgentArgs) -> Result<Store, Failure> {
    project::store_with(args.session_dir.as_deref())
}

/// The user's settings, overridden by the command line.
fn settings(store: &Store, args: &AgentArgs) -> Result<Settings, Failure> {
    let mut settings = user::settings(store)?;
    let given = [
        ("modelRoles.smol", args.ask.smol.as_deref()),
        ("modelRoles.slow", args.ask.slow.as_deref()),
        ("lsp.enabled", args.without.no_lsp.then_some("false")),
        ("bash.noPty", args.without.no_pty.then_some("true")),
    ];
    for (name, value) in given {
        if let Some(value) = value {
            settings.give(name, value)?;
        }
    }
    Ok(settings)
}

/// The folders of `--add-dir`, canonicalised.
fn folders(given: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let folder = |path: &PathBuf| {
        let failed = |why: String| {
            Failure::usage(Diagnostic::error(BAD_USAGE, format!("--add-dir {}: {why}", path.display())))
        };
        let whole = std::fs::canonicalize(path).map_err(|error| failed(error.to_string()))?;
        if whole.is_dir() { Ok(whole) } else { Err(failed("it is not a folder".to_owned())) }
    };
    given.iter().map(folder).collect()
}

/// Creates the session that continues after a handoff.
fn new_session(store: &Store) -> relay_agent::driver::NewSession {
    let store = store.clone();
    Arc::new(move |log: &SessionLog| {
        let parent = log.path().map(|path| path.display().to_string());
        Ok(match parent {
            Some(parent) => SessionLog::create_after(&store, log.cwd(), &parent),
            None => SessionLog::in_memory(log.cwd()),
        })
    })
}

/// Whether the agent continues on its own until a goal is reached.
fn continues(settings: &Settings, interactive: bool) -> bool {
    let modes = settings.list("goal.continuationModes");
    let wanted = if interactive { "interactive" } else { "run" };
    settings.flag("goal.enabled") && modes.iter().any(|mode| mode == wanted)
}

/// The available tools, and notes for the person about the files they were configured from.
fn tools(store: &Store, services: &Services, notes: &mut Vec<String>) -> Result<Registry, Failure> {
    let ssh =
        super::ssh::setup(store, &services.engine, notes).map_err(|error| Failure::environment(&error))?;
    let (tools, warnings) = relay_tools::built_in(services, Some(ssh));
    notes.extend(warnings);
    Ok(Registry::new(tools))
}

/// How many times a model that stops with open tasks is reminded of them.
fn todo_reminders(settings: &Settings) -> u32 {
    match settings.flag("todo.enabled") && settings.flag("todo.reminders") {
        true => settings.count("todo.reminders.max").unwrap_or(3),
        false => 0,
    }
}

/// Reads the recording to replay.
fn recording(path: &str) -> Result<Arc<Replay>, Failure> {
    let failed = |why: String| Failure::usage(Diagnostic::error(BAD_USAGE, format!("replay:{path}: {why}")));
    let text = super::prompt::text(Path::new(path)).map_err(|error| failed(error.to_string()))?;
    Ok(Arc::new(Replay::parse(&text).map_err(|error| failed(error.to_string()))?))
}

fn session(store: &Store, cwd: &Path, which: &Which, notes: &mut Vec<String>) -> Result<SessionLog, Failure> {
    let log = match which {
        Which::New => SessionLog::create(store, cwd),
        Which::Unkept => SessionLog::in_memory(cwd),
        Which::Named(id) => SessionLog::resume(store, id, cwd).map_err(|error| no_session(&error))?,
        Which::Fork(id) => {
            let path = match SessionLog::find(store, id, cwd) {
                Err(SessionError::OtherProject { path, .. }) => Ok(path),
                found => found,
            };
            let copied = path.and_then(|path| SessionLog::fork_from(store, &path, cwd));
            copied.map_err(|error| no_session(&error))?
        }
        Which::Newest => {
            let (log, recent) =
                SessionLog::continue_recent(store, cwd).map_err(|error| no_session(&error))?;
            if matches!(recent, Recent::New) {
                notes.push("there is no session in this project yet; this is a new one".to_owned());
            }
            log
        }
    };
    notes.extend(log.damage().iter().map(|damage| format!("the session is damaged: {damage}")));
    Ok(log)
}

fn no_session(error: &SessionError) -> Failure {
    Failure::usage(
        Diagnostic::error(BAD_USAGE, error.to_string()).hinted("`relay sessions list` lists them."),
    )
}

pub fn services(
    store: &Store,
    engine: &Arc<Engine>,
    log: &SessionLog,
    settings: &Settings,
    ui: Arc<dyn Ui>,
) -> Services {
    let values = settings.clone();
    let keeper = store.clone();
    let jobs = relay_agent::jobs::Jobs::new(settings.count("async.maxJobs").unwrap_or(100) as usize);
    let root = engine.workspace().root().to_owned();
    // A session that leaves nothing behind leaves no jobs either.
    jobs.enter_session(log.artifacts().map(|_| log.id()));
    super::published::publish(store, &jobs, &root.display().to_string());
    let trusting = store.clone();
    Services {
        engine: Arc::clone(engine),
        session: log.id().to_owned(),
        artifacts: log.artifacts(),
        resources: Resources::default(),
        ui,
        relay: std::env::current_exe().ok(),
        temp: std::env::temp_dir(),
        added: Vec::new(),
        settings: Arc::new(move |key| match key {
            // Hooks run if the user enabled them and trusts exactly these.
            "bash.gitHooks" => Some((values.flag(key) && super::hooks::are_trusted(&trusting, &root)).into()),
            "shellMinimizer.rules" => super::files::minimiser(&values),
            key => value(&values, key),
        }),
        jobs,
        keep_rule: Arc::new(move |rule| {
            // The answer applies to this session in any case; if the file cannot be written, only later sessions lack
            // it.
            if let Err(error) = user::add_policy_rule(&keeper, rule) {
                crate::terminal::note(&format!("the rule could not be kept: {error}"));
            }
        }),
        home: std::env::home_dir(),
        vision: Arc::new(Blind),
        gate: super::gate::gate(store, settings),
    }
}

/// `ttsr.*`.
fn stream_settings(settings: &Settings) -> relay_agent::rules::stream::Settings {
    let mut names = serde_json::Map::new();
    for name in ["contextMode", "interruptMode", "repeatMode"] {
        names.extend(
            settings.text(&format!("ttsr.{name}")).map(|text| (name.to_owned(), Value::String(text))),
        );
    }
    let stream: relay_agent::rules::stream::Settings =
        serde_json::from_value(Value::Object(names)).unwrap_or_default();
    relay_agent::rules::stream::Settings {
        enabled: settings.flag("ttsr.enabled"),
        repeat_gap: settings.count("ttsr.repeatGap").unwrap_or(10).into(),
        ..stream
    }
}

/// What masks secrets: those from the environment, those the user names, and whatever looks like one.
fn masker(store: &Store, settings: &Settings, notes: &mut Vec<String>) -> Result<Masker, Failure> {
    if !settings.flag("secrets.enabled") {
        return Ok(Masker::off());
    }
    let mut own = Own::default();
    own.add_environment(
        std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?))),
    );
    let file = store.settings_file(relay_agent::secrets::FILE)?;
    if let Some(text) = file {
        let faults = own.add_file(&text);
        notes.extend(faults.iter().map(|fault| format!("{}: {fault}", relay_agent::secrets::FILE)));
    }
    let key = store.ledger_key()?;
    Ok(Masker::new(&key, own))
}

/// A setting as a JSON value; text that parses as a number or a flag becomes one.
fn value(settings: &Settings, key: &str) -> Option<Value> {
    match key {
        "edit.modelVariants" => return serde_json::to_value(settings.map(key)).ok(),
        // Rules that are not tables were reported when the settings were read.
        "bashInterceptor.patterns" => return settings.rules::<Value>(key).ok().map(Value::Array),
        "shellMinimizer.only" | "shellMinimizer.except" => return Some(settings.list(key).into()),
        _ => {}
    }
    let text = settings.text(key)?;
    Some(match text.as_str() {
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        _ => text
            .parse::<f64>()
            .ok()
            .and_then(serde_json::Number::from_f64)
            .map_or(Value::String(text), Value::Number),
    })
}

/// `skills.*`.
pub fn skills(settings: &Settings) -> relay_agent::skills::Settings {
    relay_agent::skills::Settings {
        enabled: settings.flag("skills.enabled"),
        enable_skill_commands: settings.flag("skills.enableSkillCommands"),
        enable_codex_user: settings.flag("skills.enableCodexUser"),
        enable_claude_user: settings.flag("skills.enableClaudeUser"),
        enable_pi_user: settings.flag("skills.enablePiUser"),
        enable_pi_project: settings.flag("skills.enablePiProject"),
        custom_directories: settings.list("skills.customDirectories"),
        ignored_skills: settings.list("skills.ignoredSkills"),
        include_skills: settings.list("skills.includeSkills"),
        ..relay_agent::skills::Settings::default()
    }
}

fn compaction(settings: &Settings) -> relay_agent::compact::Settings {
    let whole =
        |key: &str| settings.integer(key).and_then(|number| u64::try_from(number).ok()).unwrap_or_default();
    let strategy = match settings.text("compaction.strategy").as_deref() {
        Some("handoff") => relay_agent::compact::Strategy::Handoff,
        Some("off") => relay_agent::compact::Strategy::Off,
        _ => relay_agent::compact::Strategy::ContextFull,
    };
    relay_agent::compact::Settings {
        enabled: settings.flag("compaction.enabled"),
        strategy,
        threshold_percent: settings.number("compaction.thresholdPercent").unwrap_or(-1.0),
        threshold_tokens: settings.integer("compaction.thresholdTokens").unwrap_or(-1),
        handoff_save_to_disk: settings.flag("compaction.handoffSaveToDisk"),
        remote_enabled: settings.flag("compaction.remoteEnabled"),
        reserve_tokens: whole("compaction.reserveTokens"),
        keep_recent_tokens: whole("compaction.keepRecentTokens"),
        auto_continue: settings.flag("compaction.autoContinue"),
        remote_endpoint: settings.text("compaction.remoteEndpoint"),
        idle_enabled: settings.flag("compaction.idleEnabled"),
        idle_threshold_tokens: whole("compaction.idleThresholdTokens"),
        idle_timeout_seconds: whole("compaction.idleTimeoutSeconds"),
    }
}

fn policy(
    settings: &Settings,
    args: &AgentArgs,
    engine: &Arc<Engine>,
    added: &[PathBuf],
) -> Result<Policy, Failure> {
    let usage = |message: String| Failure::usage(Diagnostic::error(BAD_USAGE, message));
    let level = match &args.policy {
        Some(name) => name.parse().map_err(usage)?,
        None => settings.text("policy.level").and_then(|name| name.parse().ok()).unwrap_or(Level::Auto),
    };
    let mut granted = std::collections::BTreeSet::new();
    for name in &args.allow {
        let class = Class::GRANTABLE.into_iter().find(|class| class.name() == name).ok_or_else(|| {
            let names = Class::GRANTABLE.map(Class::name).join(", ");
            usage(format!("--allow takes {names}, not `{name}`"))
        })?;
        granted.insert(class);
    }
    let rules = settings.rules("policy.rules")?;
    let rules = Rules::new(rules).map_err(|error| usage(error.to_string()))?;
    let folders = std::iter::once(engine.workspace().root().to_owned()).chain(added.iter().cloned());
    let strength = relay_exec::sandbox::strength();
    let is_kept = strength == Strength::Full;
    let network = settings.text("sandbox.network");
    if network.as_deref() == Some("on") {
        granted.insert(Class::Network);
    }
    let confinement = Confinement {
        writes: is_kept,
        network: is_kept,
        domains: is_kept && network.as_deref() == Some("allowlist") && super::gate::can_gate(),
        nothing: strength == Strength::Nothing,
    };
    let engine = Arc::clone(engine);
    let beside = added.to_vec();
    let look = move |path: &str| {
        let workspace = engine.workspace();
        let facts = match workspace.path(path) {
            Ok(path) => Some(workspace.facts(&path)),
            // Files in a folder that the user added are visible as well.
            Err(_) => {
                let place = workspace.place(path, None).ok();
                let place =
                    place.filter(|place| beside.iter().any(|folder| place.absolute().starts_with(folder)));
                place.map(|place| place.facts())
            }
        };
        match facts {
            Some(Ok(None)) => Present::Missing,
            Some(Ok(Some(facts))) if facts.kind == Kind::Directory => Present::Folder,
            Some(Ok(Some(_))) => Present::File,
            _ => Present::Unknown,
        }
    };
    let places = Places::new(folders).seen_by(Arc::new(look));
    Ok(Policy { level, granted, rules, confinement, places })
}
