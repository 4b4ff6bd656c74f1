//! Landlock: rights over files, signals and sockets that a process gives up for itself and all it starts.

use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access as _, AccessFs, BitFlags, CompatLevel, Compatible as _, PathBeneath, PathFd, Ruleset,
    RulesetAttr as _, RulesetCreatedAttr as _, RulesetStatus, Scope,
};

use super::Strength;

/// The first version that covers every way to write: truncating by name came last.
const COMPLETE: ABI = ABI::V3;

/// The newest version that this was written for. What an older kernel does not know it does not enforce.
const NEWEST: ABI = ABI::V8;

/// The devices that hold nothing: every program may write to them.
const DEVICES: [&str; 5] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// The newest version of those that matter here and that the kernel has; 0 is none.
pub(super) fn version() -> u32 {
    let matters = [(ABI::V6, 6), (ABI::V5, 5), (ABI::V3, 3), (ABI::V2, 2), (ABI::V1, 1)];
    matters.into_iter().find(|(abi, _)| supports(*abi)).map_or(0, |(_, version)| version)
}

pub(super) fn strength() -> Strength {
    match (supports(COMPLETE), supports(ABI::V1)) {
        (true, _) => Strength::Full,
        (false, true) => Strength::Part,
        (false, false) => Strength::Nothing,
    }
}

fn supports(abi: ABI) -> bool {
    let rules = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    let rules = rules.handle_access(AccessFs::from_write(abi)).and_then(|rules| match Scope::from_all(abi) {
        scope if scope.is_empty() => Ok(rules),
        scope => rules.scope(scope),
    });
    rules.and_then(Ruleset::create).is_ok()
}

/// Gives up writing outside these places, and signals and abstract sockets of whoever is not confined in the same way.
pub(super) fn give_up_writing(writable: &[PathBuf]) -> Result<(), String> {
    let failed = |error: landlock::RulesetError| error.to_string();
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_write(NEWEST))
        .and_then(|rules| rules.scope(Scope::from_all(NEWEST)))
        .and_then(Ruleset::create)
        .map_err(failed)?;
    let devices = DEVICES.map(PathBuf::from);
    for place in writable.iter().chain(&devices) {
        // What is not there cannot be written to, and what appears later was not promised.
        let Ok(handle) = PathFd::new(place) else { continue };
        rules = rules.add_rule(PathBeneath::new(handle, rights(place))).map_err(failed)?;
    }
    let status = rules.restrict_self().map_err(failed)?;
    if status.ruleset == RulesetStatus::NotEnforced {
        return Err("the kernel has no Landlock".to_owned());
    }
    Ok(())
}

/// What may be done below a place. Creating devices is never allowed: with its own device node, root could bypass
/// every rule.
fn rights(place: &Path) -> BitFlags<AccessFs> {
    let all = AccessFs::from_write(NEWEST);
    if place.starts_with("/dev") {
        all & !(AccessFs::MakeChar | AccessFs::MakeBlock)
    } else {
        all & !(AccessFs::MakeChar | AccessFs::MakeBlock | AccessFs::IoctlDev)
    }
}
