//! The shell of a session, and shells for calls that may do more than it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use relay_agent::policy::Permit;
use relay_agent::tool::Services;
use relay_diagnostics::Cancel;
use relay_engine::{Copies, Engine, Guarded};
use relay_exec::sandbox::{Limits, Network, Rules};
use relay_exec::{Boot, Keeper, KeeperError, Rule, Session, Start, Turn};

use super::urls::quoted;

/// Variables that keep programs from waiting for a person.
const QUIET: [(&str, &str); 14] = [
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("MANPAGER", "cat"),
    ("SYSTEMD_PAGER", "cat"),
    ("EDITOR", "true"),
    ("VISUAL", "true"),
    ("GIT_EDITOR", "true"),
    ("GIT_SEQUENCE_EDITOR", "true"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_ASKPASS", "false"),
    ("SSH_ASKPASS", "false"),
    ("DEBIAN_FRONTEND", "noninteractive"),
    ("PYTHONUNBUFFERED", "1"),
    ("npm_config_fund", "false"),
];

/// Variables by which programs find a proxy.
const PROXIES: [&str; 6] =
    ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "npm_config_proxy", "npm_config_https_proxy"];

/// Variables that a confined shell could use to run something in a shell with more rights.
const NOT_CARRIED: [&str; 22] = [
    "PATH",
    "IFS",
    "ENV",
    "CDPATH",
    "PERL5OPT",
    "PERL5LIB",
    "RUBYOPT",
    "RUBYLIB",
    "NODE_OPTIONS",
    "NODE_PATH",
    "JAVA_TOOL_OPTIONS",
    "PROMPT_COMMAND",
    "PS1",
    "PS2",
    "PS4",
    "SHELL",
    "HOME",
    "TMPDIR",
    "RELAY",
    "_",
    "PWD",
    "SHLVL",
];
/// The beginnings of such names.
const NOT_CARRIED_BEGINNINGS: [&str; 10] =
    ["LD_", "DYLD_", "BASH", "GIT_", "PYTHON", "RELAY_", "XDG_", "CARGO_", "RUST", "npm_config_"];

/// What one shell is: two calls share it only if this is equal.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Key {
    session: String,
    program: String,
    permit: Permit,
    login: bool,
    ci: bool,
    /// Whether hooks of the repository run, which the user has to trust first.
    hooks: bool,
}

impl Key {
    fn of(services: &Services, permit: Permit) -> Self {
        Self {
            session: services.session.clone(),
            program: services.text("shellPath", "bash"),
            permit,
            login: services.is_on("bash.login", false),
            ci: !services.is_on("bash.noCi", false),
            hooks: services.is_on("bash.gitHooks", false),
        }
    }
}

/// Whether one permit lets a command do nothing that the other does not.
fn is_within(one: Permit, other: Permit) -> bool {
    (one.confined || !other.confined) && (!one.network || other.network) && (!one.writes || other.writes)
}

/// The shells of an agent.
pub struct Shells {
    key: Option<Key>,
    keeper: Keeper<Session>,
    folder: Option<PathBuf>,
    root: PathBuf,
    /// The user's aliases and functions, once they were asked for.
    snapshot: Option<Option<String>>,
    /// The ledger, where the system cannot keep commands from it.
    copies: Copies,
}

impl Default for Shells {
    fn default() -> Self {
        Self {
            key: None,
            keeper: Keeper::new(Rule::default()),
            folder: None,
            root: PathBuf::new(),
            snapshot: None,
            copies: Copies::default(),
        }
    }
}

/// A shell for one command.
pub struct Lent {
    /// The shell.
    pub session: Session,
    /// Whether it is the one of the session.
    pub is_own: bool,
}

impl Shells {
    /// Where the shell of a session is.
    pub fn folder(&self, session: &str) -> Option<PathBuf> {
        let is_of = self.key.as_ref().is_some_and(|key| key.session == session);
        self.folder.clone().filter(|folder| is_of && folder.is_dir())
    }

    /// Looks at what a command must leave as it is.
    pub fn guard(&mut self, engine: &Engine) -> Guarded {
        Guarded::read(engine, (!relay_exec::sandbox::can_mount()).then_some(&mut self.copies))
    }

    /// Where the shell is, from the workspace's root where it is below; `None` at the root itself.
    pub fn place(&self) -> Option<String> {
        let folder = self.folder.as_deref()?;
        let below = folder.strip_prefix(&self.root).unwrap_or(folder);
        (!below.as_os_str().is_empty()).then(|| below.display().to_string())
    }

    /// Lends a shell for a command: the session's own where the permit is its own, else a new one with its folder and
    /// variables. `aside` leaves the session's shell to others.
    pub fn lend(
        &mut self,
        services: &Services,
        permit: Permit,
        aside: bool,
        cancel: &Cancel,
    ) -> Result<Lent, String> {
        self.root = services.engine.workspace().root().to_owned();
        let key = Key::of(services, permit);
        let is_other = self.key.as_ref().is_none_or(|known| {
            known.session != key.session
                || (known.permit != key.permit && is_within(key.permit, known.permit))
        });
        let is_changed = self.key.as_ref().is_some_and(|known| known.permit == key.permit && *known != key);
        if is_other || is_changed {
            if self.key.as_ref().is_some_and(|known| known.session != key.session) {
                self.folder = None;
            }
            drop(self.keeper.take());
            self.key = Some(key.clone());
        }
        if self.key.as_ref() != Some(&key) || aside {
            let carried = self.carried(cancel);
            let session = self.start(services, &key, &carried, cancel)?;
            return Ok(Lent { session, is_own: false });
        }
        self.keeper.tidy();
        if let Some(session) = self.keeper.take() {
            return Ok(Lent { session, is_own: true });
        }
        let mut keeper = std::mem::replace(&mut self.keeper, Keeper::new(Rule::default()));
        let started = keeper.get(|| self.start(services, &key, &[], cancel)).map(|_| ());
        self.keeper = keeper;
        started.map_err(|error| match error {
            KeeperError::NotStarted(error) => error,
            error @ KeeperError::Crashing { .. } => format!("the shell cannot be used: {error}"),
        })?;
        let session = self.keeper.take().ok_or("the shell ended at once")?;
        Ok(Lent { session, is_own: true })
    }

    /// Takes a shell back after a command that left it in order.
    pub fn give_back(&mut self, lent: Lent) {
        if lent.is_own {
            self.folder = Some(lent.session.folder().to_owned());
            self.keeper.put_back(lent.session);
        }
    }

    /// The variables of the session's shell, as far as a shell with other rights may have them.
    fn carried(&mut self, cancel: &Cancel) -> Vec<(String, String)> {
        let Some(mut session) = self.keeper.take() else { return Vec::new() };
        let mut listed = Vec::new();
        let ran = session.run(Turn {
            before: "",
            command: "/usr/bin/env -0",
            after: "",
            timeout: Some(std::time::Duration::from_secs(5)),
            cancel,
            on_output: &mut |bytes| listed.extend_from_slice(bytes),
        });
        if ran.is_kept {
            self.keeper.put_back(session);
        }
        let text = String::from_utf8_lossy(&listed);
        let variables: BTreeMap<String, String> = text
            .split('\0')
            .filter_map(|variable| variable.split_once('='))
            .filter(|(name, _)| may_be_carried(name))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        variables.into_iter().collect()
    }

    fn start(
        &mut self,
        services: &Services,
        key: &Key,
        carried: &[(String, String)],
        cancel: &Cancel,
    ) -> Result<Session, String> {
        let root = services.engine.workspace().root();
        let cwd = self.folder.clone().filter(|folder| folder.is_dir()).unwrap_or_else(|| root.to_owned());
        let env = environment(services, key, carried);
        let without = relay_exec::shell_variables();
        let start = Start {
            relay: services.relay.as_deref(),
            rules: rules(services, key.permit)?,
            program: &key.program,
            args: &[],
            cwd: &cwd,
            env: &env,
            without: &without,
        };
        let wants_snapshot = services.is_on("bash.snapshot", true);
        let snapshot = self.snapshot.get_or_insert_with(|| {
            if wants_snapshot { relay_exec::snapshot(&key.program, cancel) } else { None }
        });
        let boot = Boot { snapshot: snapshot.as_deref(), login: key.login };
        Session::start(&start, boot, cancel).map_err(|error| error.to_string())
    }
}

fn may_be_carried(name: &str) -> bool {
    !NOT_CARRIED.contains(&name)
        && !NOT_CARRIED_BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
}

/// The variables a shell starts with.
fn environment(services: &Services, key: &Key, carried: &[(String, String)]) -> Vec<(String, String)> {
    let own = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    let mut env: Vec<(String, String)> = carried.to_vec();
    env.extend(QUIET.map(own));
    if key.ci {
        env.push(own(("CI", "1")));
    }
    if services.gate.is_some() && !key.permit.network {
        env.extend(PROXIES.map(|name| (name.to_owned(), relay_exec::sandbox::PROXY.to_owned())));
        env.extend(["NO_PROXY", "no_proxy"].map(|name| own((name, "localhost,127.0.0.1,::1"))));
    }
    env.extend(git(services, key.hooks));
    env
}

/// What keeps git from starting what a repository names.
pub fn git(services: &Services, with_hooks: bool) -> Vec<(String, String)> {
    let mut env = relay_exec::git::without_repository_programs(with_hooks);
    env.extend(services.relay.as_deref().and_then(relay_exec::git::plain::function));
    env
}

/// What a command may do, from its permit and the user's settings.
pub fn rules(services: &Services, permit: Permit) -> Result<Rules, String> {
    let root = services.engine.workspace().root().to_owned();
    let mut writable = vec![services.temp.clone()];
    if permit.writes {
        writable.push(root.clone());
        writable.extend(services.added.iter().cloned());
        // A linked work tree's commits are in the repository that it belongs to.
        writable.extend(relay_exec::git::linked_to(&root).map(|linked| linked.common_dir));
    }
    let network = match (permit.network, &services.gate) {
        (true, _) => Network::On,
        (false, Some(gate)) => Network::Gate(gate.socket(services)?),
        (false, None) => Network::Off,
    };
    Ok(Rules {
        writable,
        protected: relay_engine::protected_places(&services.engine),
        network,
        limits: Limits::usual(),
        scrub: permit.confined,
        terminal: false,
        is_open: !permit.confined,
    })
}

/// What runs before and after a command, for its own folder and variables.
pub fn around(cwd: Option<&Path>, stays: bool, env: &[(String, String)]) -> (String, String) {
    let (mut before, mut after) = (String::new(), String::new());
    for (at, (name, value)) in env.iter().enumerate() {
        before.push_str(&format!(
            "__relay_has{at}=${{{name}+x}}; __relay_was{at}=${{{name}-}}; export {name}={};",
            quoted(value)
        ));
        after.push_str(&format!(
            "if [ -n \"$__relay_has{at}\" ]; then {name}=$__relay_was{at}; else unset {name}; fi; unset __relay_has{at} __relay_was{at};"
        ));
    }
    if let Some(cwd) = cwd {
        let folder = quoted(&cwd.to_string_lossy());
        if stays {
            before.push_str(&format!("builtin cd -- {folder};"));
        } else {
            before.push_str(&format!("__relay_folder=$PWD; builtin cd -- {folder};"));
            after.push_str("builtin cd -- \"$__relay_folder\"; unset __relay_folder;");
        }
    }
    (before, after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_run_something_is_not_carried() {
        for name in
            ["PATH", "LD_PRELOAD", "BASH_ENV", "GIT_SSH_COMMAND", "PYTHONPATH", "RELAY_RUN", "NODE_OPTIONS"]
        {
            assert!(!may_be_carried(name), "{name}");
        }
        assert!(may_be_carried("MY_SETTING") && may_be_carried("LANG"));
    }

    #[test]
    fn a_stricter_permit_is_within_a_laxer_one() {
        let strict = Permit { confined: true, network: false, writes: true };
        let lax = Permit { confined: true, network: true, writes: true };
        let open = Permit { confined: false, network: true, writes: true };
        assert!(
            is_within(strict, lax)
                && is_within(lax, open)
                && !is_within(open, lax)
                && !is_within(lax, strict)
        );
    }
}
