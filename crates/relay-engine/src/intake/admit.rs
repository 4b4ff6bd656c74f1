//! Admission: may this reply become a transaction here? Decided from the control block and the ledger alone.

use relay_diagnostics::Diagnostic;
use relay_edit::{Control, Reply};
use uuid::Uuid;

use crate::codes;
use crate::engine::Engine;
use crate::outcome::Status;
use crate::outcome::stop::Stop;

/// An admitted reply.
pub(crate) struct Admitted<'t> {
    /// The transaction's name: the reply's, or a new one.
    pub uuid: Uuid,
    /// The reply's text.
    text: &'t str,
    /// Where the control block, which has the uuid, begins in the reply.
    pub line: Option<usize>,
    /// Notes for the person.
    pub warnings: Vec<Diagnostic>,
}

impl Admitted<'_> {
    /// Identifies the reply's text, to distinguish a repeated reply from a repeated uuid.
    pub fn digest(&self) -> String {
        reply_digest(self.text)
    }
}

/// Checks project and uuid.
pub(crate) fn admit<'t>(engine: &Engine, reply: &Reply, text: &'t str) -> Result<Admitted<'t>, Stop> {
    let Some(control) = &reply.control else {
        return Ok(Admitted { uuid: Uuid::new_v4(), text, line: None, warnings: Vec::new() });
    };
    let mut errors = Vec::new();
    let mut warnings = check_project(engine, control, &mut errors);
    let uuid = check_uuid(control, &mut errors);
    warnings.extend(uuid.and_then(|uuid| not_random(uuid, control)));
    match uuid {
        Some(uuid) if errors.is_empty() => {
            check_new(engine, uuid, text, Some(control.line))?;
            Ok(Admitted { uuid, text, line: Some(control.line), warnings })
        }
        _ => Err(Stop::Refused(errors)),
    }
}

/// Checks that a submission with a known uuid has not landed yet.
pub(crate) fn under<'t>(engine: &Engine, uuid: Uuid, text: &'t str) -> Result<Admitted<'t>, Stop> {
    check_new(engine, uuid, text, None)?;
    Ok(Admitted { uuid, text, line: None, warnings: Vec::new() })
}

fn check_project(engine: &Engine, control: &Control, errors: &mut Vec<Diagnostic>) -> Vec<Diagnostic> {
    match (&engine.config().project_id, &control.project_id) {
        (Some(ours), Some(theirs)) if ours != theirs => errors.push(
            Diagnostic::error(
                codes::WRONG_PROJECT,
                format!("the reply is for the project `{theirs}`, this one is `{ours}`"),
            )
            .at(control.line)
            .hinted(format!(
                "Run relay in the project it belongs to, or correct `projectId` to `{ours}` if it was meant for this one."
            )),
        ),
        (Some(ours), None) => errors.push(
            Diagnostic::error(codes::MISSING_PROJECT_ID, "the control block does not name its project")
                .at(control.line)
                .hinted(format!("Add `projectId: {ours}` to the control block.")),
        ),
        (None, Some(theirs)) => {
            return vec![
                Diagnostic::warning(
                    codes::PROJECT_UNCHECKED,
                    format!("there is no project config here, so `projectId: {theirs}` was not checked"),
                )
                .at(control.line)
                .hinted("`relay init` makes one."),
            ];
        }
        (Some(_), Some(_)) | (None, None) => {}
    }
    Vec::new()
}

fn check_uuid(control: &Control, errors: &mut Vec<Diagnostic>) -> Option<Uuid> {
    let fresh = Uuid::new_v4();
    let Some(written) = &control.uuid else {
        errors.push(
            Diagnostic::error(codes::MISSING_UUID, "the control block has no uuid")
                .at(control.line)
                .hinted(format!("Add a new one, for example `uuid: {fresh}`.")),
        );
        return None;
    };
    match Uuid::try_parse(written.trim()) {
        Ok(uuid) if !uuid.is_nil() => Some(uuid),
        _ => {
            errors.push(
                Diagnostic::error(codes::INVALID_UUID, format!("`{written}` is not a UUID"))
                    .at(control.line)
                    .hinted(format!("Use a new one, for example `uuid: {fresh}`.")),
            );
            None
        }
    }
}

/// A uuid that was incremented or copied from an example will be used again for another change; a random one will
/// not.
fn not_random(uuid: Uuid, control: &Control) -> Option<Diagnostic> {
    let is_random = uuid.get_version_num() == 4 && uuid.get_variant() == uuid::Variant::RFC4122;
    (!is_random).then(|| {
        Diagnostic::warning(codes::UUID_NOT_V4, format!("the uuid {uuid} is not a random one (version 4)"))
            .at(control.line)
            .hinted(format!("Ask for a random uuid in every reply, such as {}.", Uuid::new_v4()))
    })
}

/// Checks again for a reply with nothing left to do: another process may have landed it meanwhile.
pub(crate) fn still_new(engine: &Engine, admitted: &Admitted<'_>) -> Result<(), Stop> {
    check_new(engine, admitted.uuid, admitted.text, admitted.line)
}

fn check_new(engine: &Engine, uuid: Uuid, text: &str, line: Option<usize>) -> Result<(), Stop> {
    let Some(record) = engine.ledger().find(uuid)? else { return Ok(()) };
    let when = record.created_at.strftime("%Y-%m-%d %H:%M UTC");
    if record.header.submission.as_ref() == Some(&reply_digest(text)) {
        let note = Diagnostic::warning(
            codes::ALREADY_PROCESSED,
            format!("this reply has already landed ({uuid}, {when})"),
        )
        .hinted(format!(
            "`relay show {short}` shows it. If it was undone, `relay redo {short}` reapplies it.",
            short = crate::ledger::history::short(uuid)
        ));
        return Err(Stop::Done(Status::AlreadyProcessed, Box::new(Diagnostic { line, ..note })));
    }
    let reused = Diagnostic::error(
        codes::UUID_REUSED,
        format!(
            "the uuid {uuid} belongs to another change, which landed on {when}; this reply is a different one"
        ),
    )
    .hinted(format!("Give this reply a new uuid, for example {}.", Uuid::new_v4()));
    Err(Stop::refused(Diagnostic { line, ..reused }))
}

/// A digest of the reply that ignores line endings and surrounding whitespace, which a clipboard may change.
#[must_use]
pub fn reply_digest(text: &str) -> String {
    blake3::hash(text.replace("\r\n", "\n").trim().as_bytes()).to_hex().to_string()
}
