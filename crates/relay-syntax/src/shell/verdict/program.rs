//! Which rule judges which program.

use super::super::tree::Word;
use super::judge::{Judge, Opinion};
use super::{Cause, archive, git, interpreter, network, overwrite, project, reads, remove, system};

/// Folders whose programs are the ones everyone knows by name.
const FOLDERS: [&str; 8] = [
    "/bin/",
    "/usr/bin/",
    "/sbin/",
    "/usr/sbin/",
    "/usr/local/bin/",
    "/usr/local/sbin/",
    "/opt/homebrew/bin/",
    "/run/current-system/sw/bin/",
];

/// The name of a program that is called by its path in a system's folder; other paths stay as they are.
pub(super) fn base_name(name: &str) -> &str {
    FOLDERS
        .iter()
        .find_map(|folder| name.strip_prefix(folder))
        .filter(|base| !base.contains('/'))
        .unwrap_or(name)
}

/// What a program would do.
pub(super) fn judge(judge: &Judge<'_>, name: &str, arguments: &[Word]) -> Opinion {
    let name = base_name(name);
    if name.contains('/') {
        return Opinion::unknown(Cause::Code, format!("runs `{name}`, whose code was not looked at"));
    }
    if is_version_request(arguments) && !name.is_empty() && !matches!(name, "rm" | "mv" | "cp" | "dd") {
        return Opinion::reads("prints its version or help");
    }
    reads::judge(judge, name, arguments)
        .or_else(|| git::judge(judge, name, arguments))
        .or_else(|| remove::judge(judge, name, arguments))
        .or_else(|| overwrite::judge(judge, name, arguments))
        .or_else(|| archive::judge(judge, name, arguments))
        .or_else(|| project::judge(name, arguments))
        .or_else(|| network::judge(name, arguments))
        .or_else(|| interpreter::judge(name, arguments))
        .or_else(|| system::judge(name, arguments))
        .unwrap_or_else(|| {
            Opinion::unknown(Cause::Program, format!("`{name}` is not a program that is known here"))
        })
}

/// `--version` or `--help` as the only argument. `-v` and `-h` mean other things too often.
fn is_version_request(arguments: &[Word]) -> bool {
    matches!(arguments, [word] if matches!(word.literal(), Some("--version" | "--help")))
}
