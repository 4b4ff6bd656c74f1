//! Landlock: rights over files that a process gives up for itself and all it starts.

use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::Command;

use landlock::{
    ABI, AccessFs, BitFlags, CompatLevel, Compatible as _, PathBeneath, PathFd, Ruleset, RulesetAttr as _,
    RulesetCreatedAttr as _, RulesetStatus,
};

use super::{SandboxError, Strength};

/// The first version that covers every way to write: truncating by name came last.
const COMPLETE: ABI = ABI::V3;

/// Everything that changes the content or the name of a file. Devices answer to their own rules.
fn writing() -> BitFlags<AccessFs> {
    AccessFs::from_write(COMPLETE)
}

pub(super) fn strength() -> Strength {
    let supports = |abi| {
        Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::from_write(abi))
            .and_then(Ruleset::create)
            .is_ok()
    };
    match (supports(COMPLETE), supports(ABI::V1)) {
        (true, _) => Strength::Full,
        (false, true) => Strength::Part,
        (false, false) => Strength::Nothing,
    }
}

pub(super) fn give_up_writing(writable: &[PathBuf]) -> Result<(), SandboxError> {
    let unsupported = |error: landlock::RulesetError| SandboxError::Unsupported { reason: error.to_string() };
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(writing())
        .and_then(Ruleset::create)
        .map_err(unsupported)?;
    for folder in writable {
        // A folder that is not there cannot be written to, and one that appears later was not promised.
        let Ok(handle) = PathFd::new(folder) else { continue };
        rules = rules.add_rule(PathBeneath::new(handle, writing())).map_err(unsupported)?;
    }
    let status = rules.restrict_self().map_err(unsupported)?;
    if status.ruleset == RulesetStatus::NotEnforced {
        return Err(SandboxError::Unsupported { reason: "the kernel has no Landlock".to_owned() });
    }
    Ok(())
}

pub(super) fn become_program(place: PathBuf, args: &[OsString]) -> SandboxError {
    let source = Command::new(&place).args(args).exec();
    SandboxError::NotStarted { program: place, source }
}
