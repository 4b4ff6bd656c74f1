//! What a process remembers from one captured command to the next: its last scan, and where that is written down.
//!
//! An agent runs command after command, and mostly nothing happens in between. From its second command on, a lookout
//! notices whether something does; if not, the last scan is also the one before the next command. It is used for that
//! alone. What a command did is found out by looking at everything, because a lookout cannot promise that much: a program
//! can write through a memory map or under another name of a file.
//!
//! Nothing here is needed for correctness. Whatever is doubtful means another scan.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use relay_workspace::{Ignored, Included, Lookout, Pulse, Workspace};

use super::folder::CaptureFolder;
use super::journal::{self, Base};
use super::{Scan, scan};
use crate::disk::Disk;
use crate::error::{At, TxnError};
use crate::layout::CAPTURE;
use crate::protocol::Protocol;

/// What is remembered.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Whether a command was captured already. A process that captures only one needs no lookout.
    has_looked: bool,
    lookout: Option<Arc<Lookout>>,
    last: Option<Last>,
    base: Option<Arc<Base>>,
}

/// The last scan, without what is asked for anew each time.
#[derive(Debug, Clone)]
struct Last {
    scan: Scan,
    /// How much the lookout had noticed before the scan.
    pulse: Option<Pulse>,
}

impl Memory {
    /// Looks at the workspace before a command.
    pub(crate) fn before(
        &self,
        protocol: &Protocol<Disk>,
        workspace: &Workspace,
        ignored: &Ignored,
    ) -> Result<Scan, TxnError> {
        let (lookout, last) = self.turn();
        let lookout = lookout.as_deref();
        if *ignored != Ignored::Not {
            return scan(protocol, workspace, None, ignored, None);
        }
        if let (Some(lookout), Some(last)) = (lookout, &last)
            && let Some(scan) = still(protocol, workspace, last, lookout)?
        {
            return Ok(scan);
        }
        let pulse = lookout.and_then(Lookout::pulse);
        let earlier = last.as_ref().map(|last| &last.scan).filter(|_| lookout.is_some());
        let mut found = scan(protocol, workspace, earlier, ignored, lookout)?;
        // What was ignored earlier is of no interest here.
        if earlier.is_some() && !found.survey.is_as_if_first(workspace) {
            found = scan(protocol, workspace, None, ignored, lookout)?;
        }
        self.remember(&found, pulse);
        Ok(found)
    }

    /// Looks at it after a command.
    pub(crate) fn after(
        &self,
        protocol: &Protocol<Disk>,
        workspace: &Workspace,
        before: &Scan,
    ) -> Result<Scan, TxnError> {
        let lookout = self.lock().lookout.clone();
        let pulse = lookout.as_deref().and_then(Lookout::pulse);
        let after = scan(protocol, workspace, Some(before), &Ignored::Not, lookout.as_deref())?;
        // Ignored files that were asked for then are not asked for next time.
        if before.included == Included::default() {
            self.remember(&after, pulse);
        }
        Ok(after)
    }

    /// Where a scan is written down, if it is and still can be read.
    pub(super) fn base_of(&self, scan: &Scan, place: &CaptureFolder) -> Option<Arc<Base>> {
        self.lock().base.clone().filter(|base| base.is_of(scan) && base.is_in(place))
    }

    /// Whether what is written down is used again.
    pub(super) fn wants_base(&self) -> bool {
        self.lock().lookout.is_some()
    }

    /// Remembers where a scan is written down.
    pub(super) fn keep_base(&self, base: Base) {
        let earlier = self.lock().base.replace(Arc::new(base));
        // Removing its file takes a while.
        drop(earlier);
    }

    fn turn(&self) -> (Option<Arc<Lookout>>, Option<Last>) {
        let mut state = self.lock();
        if state.has_looked && state.lookout.is_none() {
            state.lookout = Some(Arc::new(Lookout::start()));
        }
        state.has_looked = true;
        (state.lookout.clone(), state.last.clone())
    }

    fn remember(&self, found: &Scan, pulse: Option<Pulse>) {
        let scan = Scan { known: std::collections::BTreeSet::new(), git: None, ..found.clone() };
        self.lock().last = Some(Last { scan, pulse });
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Every change is one assignment.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The last scan as the one of now, if nothing happened since.
fn still(
    protocol: &Protocol<Disk>,
    workspace: &Workspace,
    last: &Last,
    lookout: &Lookout,
) -> Result<Option<Scan>, TxnError> {
    if last.pulse.is_none() || lookout.pulse() != last.pulse {
        return Ok(None);
    }
    protocol.ensure_state(CAPTURE)?;
    let known = protocol.record_names()?;
    let place = CaptureFolder::new(workspace).at("open", CAPTURE)?;
    // The processes of a command that is still running can write in ways that no lookout notices.
    let is_alone = || Ok(!place.names()?.iter().any(|name| name.starts_with(journal::PREFIX)));
    let is_still = last.scan.pack.is_in(&place)
        && last.scan.mounts == workspace.mounts()
        && is_alone().at("list", CAPTURE)?
        && last.scan.survey.still_holds(workspace);
    let git = is_still.then(|| workspace.git_programs(&last.scan.survey.repositories));
    // Last of all, so that whatever happened during these questions counts.
    if !is_still || lookout.pulse() != last.pulse {
        return Ok(None);
    }
    Ok(Some(Scan { known, git, is_reused: true, ..last.scan.clone() }))
}
