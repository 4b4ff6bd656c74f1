//! Documents as text: pdf, docx, xlsx, pptx, epub and rtf; older Office formats where a converter is installed.
//!
//! A document is the most hostile input there is, and its readers fail in every way. So no document is ever parsed in
//! Relay's own process: [`convert`] starts a second `relay` (`relay __convert pdf`) in the sandbox, with limits on time,
//! memory and output, gives it the bytes and takes text; that process calls [`text_of`].

mod epub;
mod html;
mod markup;
mod package;
mod pdf;
mod rtf;
mod sheets;
mod slides;
mod words;

use std::path::{Path, PathBuf};
use std::time::Duration;

use relay_agent::tool::Call;
use relay_diagnostics::display::visible_line;
use relay_exec::sandbox::{self, Confined};
use relay_exec::{End, Program, find_program};
use relay_workspace::{FILE_LIMIT_BYTES, Facts, File, read_opened};

/// The hidden command by which Relay starts itself to convert a document.
pub const COMMAND: &str = "__convert";
/// How long a conversion may take.
const TIME: Duration = Duration::from_secs(30);
/// How much text is taken of it.
const TEXT_BYTES: usize = 8 << 20;

/// A kind of document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Kind {
    Pdf,
    Docx,
    Xlsx,
    Pptx,
    Epub,
    Rtf,
    Doc,
    Xls,
    Ppt,
}

impl Kind {
    const ALL: [(Self, &'static str); 9] = [
        (Self::Pdf, "pdf"),
        (Self::Docx, "docx"),
        (Self::Xlsx, "xlsx"),
        (Self::Pptx, "pptx"),
        (Self::Epub, "epub"),
        (Self::Rtf, "rtf"),
        (Self::Doc, "doc"),
        (Self::Xls, "xls"),
        (Self::Ppt, "ppt"),
    ];

    /// The kind of a file, by its name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        Self::of_ending(name.rsplit_once('.')?.1)
    }

    /// The kind that files with this ending have.
    #[must_use]
    pub fn of_ending(ending: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known)| known.eq_ignore_ascii_case(ending)).map(|(kind, _)| *kind)
    }

    /// What its files end in.
    #[must_use]
    pub fn ending(self) -> &'static str {
        Self::ALL.iter().find(|(kind, _)| *kind == self).map_or("", |(_, ending)| ending)
    }

    /// Programs that convert it, with their arguments. Each reads its standard input, so that none opens a path.
    fn converters(self) -> &'static [(&'static str, &'static [&'static str])] {
        match self {
            Self::Doc => &[("catdoc", &["-d", "utf-8"]), ("antiword", &["-m", "UTF-8.txt", "-"])],
            Self::Xls => &[("xls2csv", &["-d", "utf-8"])],
            Self::Ppt => &[("catppt", &["-d", "utf-8"])],
            _ => &[],
        }
    }
}

/// The text of a document, worked out in another process.
///
/// # Errors
/// It is damaged, too large, or takes too long; in words for the model.
pub fn convert(call: &Call<'_>, kind: Kind, (file, facts): (&File, &Facts)) -> Result<String, String> {
    let relay = call.services.relay.as_deref().ok_or("this Relay cannot start itself to convert it")?;
    let text = |arguments: &[&str], program: &str, stdin: Option<&[u8]>| {
        let program = Program {
            program,
            args: arguments,
            cwd: Path::new("/"),
            timeout: TIME,
            output_limit_bytes: TEXT_BYTES,
            env: &[],
            stdin,
        };
        run(call, relay, program)
    };
    let bytes = read_opened(file, facts, FILE_LIMIT_BYTES).map_err(|error| match error.kind() {
        std::io::ErrorKind::FileTooLarge => format!("it has more than {} MiB", FILE_LIMIT_BYTES >> 20),
        _ => error.to_string(),
    })?;
    if matches!(kind, Kind::Doc | Kind::Xls | Kind::Ppt) {
        let installed = kind.converters().iter().find(|(program, _)| find_program(program).is_some());
        let Some((program, arguments)) = installed else {
            let names: Vec<&str> = kind.converters().iter().map(|(program, _)| *program).collect();
            return Err(format!("no converter is installed; install {}", names.join(" or ")));
        };
        return text(arguments, program, Some(&bytes));
    }
    text(&[COMMAND, kind.ending()], &relay.display().to_string(), Some(&bytes))
}

fn run(call: &Call<'_>, relay: &Path, program: Program<'_>) -> Result<String, String> {
    let nowhere: [PathBuf; 0] = [];
    let output = match sandbox::strength() {
        sandbox::Strength::Nothing => program.run(call.cancel),
        _ => Confined { relay, writable: &nowhere, network: false, program }.stream(call.cancel, &mut |_| {}),
    };
    match output.end {
        End::Exited(0) => {
            let mut text = output.stdout.text();
            if output.stdout.omitted_bytes > 0 {
                text.insert_str(0, "[The beginning of this long document is left out]\n");
            }
            Ok(text)
        }
        End::TimedOut => Err(format!("the conversion took more than {} seconds", TIME.as_secs())),
        End::Cancelled => Err("the call was aborted".to_owned()),
        // A panic's message is for developers; that it is damaged is what the model can use.
        End::Exited(1) => {
            let said = output.stderr.text();
            let line = said.lines().last().unwrap_or_default().trim();
            Err(if line.is_empty() { "it is damaged".to_owned() } else { visible_line(line).into_owned() })
        }
        End::Exited(_) | End::Signalled(_) => Err("it is damaged, or needs too much memory".to_owned()),
        End::NotStarted(error) => Err(format!("the converter could not be started: {error}")),
    }
}

/// The text of a document, worked out here: for the process that was started for it.
///
/// # Errors
/// It is damaged or not of that kind.
pub fn text_of(ending: &str, bytes: &[u8]) -> Result<String, String> {
    let text = match Kind::of_ending(ending) {
        Some(Kind::Pdf) => pdf::text(bytes),
        Some(Kind::Docx) => words::text(bytes),
        Some(Kind::Xlsx) => sheets::text(bytes),
        Some(Kind::Pptx) => slides::text(bytes),
        Some(Kind::Epub) => epub::text(bytes),
        Some(Kind::Rtf) => rtf::text(bytes),
        _ => Err(format!("`{ending}` is not a kind of document that can be converted")),
    }?;
    Ok(text.chars().filter(|character| !character.is_control() || matches!(character, '\n' | '\t')).collect())
}

#[cfg(test)]
mod tests;
