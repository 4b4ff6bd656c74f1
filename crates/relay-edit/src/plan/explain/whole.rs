//! Why whole content is refused.

use super::super::whole::{Missing, Partial};
use super::Explain;
use crate::{Diagnostic, codes};

impl Explain<'_> {
    /// Content that is to replace a file is hardly the whole of it.
    pub fn partial(&self, partial: &Partial) -> Diagnostic {
        let path = &self.edit.path;
        let Partial { why, lost, of, region } = partial;
        let message = match (why, region) {
            (Missing::Closing, _) => {
                format!("this is not the whole of `{path}`: it ends inside a bracket, a string or a comment")
            }
            (_, Some(region)) => format!(
                "this is not the whole of `{path}`, which has {of} lines; it seems to be a new version of lines {} to {}",
                region.start(),
                region.end()
            ),
            (Missing::Start, None) => {
                format!("this lacks the beginning of `{path}`: {lost} lines would be lost")
            }
            (Missing::End, None) => format!("this lacks the end of `{path}`: {lost} lines would be lost"),
            (Missing::Middle, None) => {
                format!("{lost} lines of `{path}` are missing from this, with nothing in their place")
            }
            (Missing::Most, None) => {
                format!("this has little in common with `{path}`: {lost} of its lines would be lost")
            }
        };
        self.finding(codes::PART_OF_FILE, message, None).hinted(
            "send the changed lines as a diff or a SEARCH/REPLACE section; if this is the whole file, pass --allow-shrink",
        )
    }

    /// A file that prose speaks of does not exist, and nothing says that it is new.
    pub fn missing_whole(&self) -> Diagnostic {
        let path = &self.edit.path;
        self.finding(
            codes::MISSING_FILE,
            format!("`{path}` does not exist, and nothing says that it is new"),
            None,
        )
        .hinted(format!(
            "to make a new file, write \"Create `{path}`:\" above it; otherwise write the path of the file"
        ))
    }
}
