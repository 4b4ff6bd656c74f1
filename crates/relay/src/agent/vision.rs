//! A model that looks at pictures for a session: the user's `modelRoles.vision`, else one that can.

use std::sync::Arc;

use relay_agent::driver::Asker;
use relay_agent::tool::{Picture, Vision};
use relay_diagnostics::Cancel;
use relay_llm::{Block, Event, Image, Message, Request};

use super::reach::Reach;

/// Chooses a model when it is first needed.
pub struct Eyes {
    reach: Reach,
    /// The session's own model, which may be a recording.
    active: Arc<dyn Asker>,
}

impl Eyes {
    /// With the session's own model.
    pub fn new(reach: Reach, active: &Arc<dyn Asker>) -> Self {
        Self { reach, active: Arc::clone(active) }
    }

    /// Tries the role `vision`, then `default`, the session's model, and the first model with a key; uses the first
    /// that accepts images.
    fn model(&self) -> Result<Arc<dyn Asker>, String> {
        let mut blind = Vec::new();
        for role in ["modelRoles.vision", "modelRoles.default"] {
            let Some(selector) = self.reach.settings.text(role) else { continue };
            match self.asker(&selector)? {
                Some(asker) => return Ok(asker),
                None if role == "modelRoles.vision" => {
                    return Err(format!(
                        "The model of `modelRoles.vision`, {selector}, does not look at pictures. Set it to one that does."
                    ));
                }
                None => blind.push(selector),
            }
        }
        if self.active.model().capabilities.images {
            return Ok(Arc::clone(&self.active));
        }
        blind.push(self.active.model().selector());
        let known = self.reach.known().map_err(|failure| failure.message())?;
        let usable = known.catalog.providers().iter().filter(|provider| known.has_key(provider));
        let sees =
            usable.flat_map(|provider| provider.models.iter()).find(|entry| entry.model.capabilities.images);
        if let Some(entry) = sees
            && let Some(asker) = self.asker(&entry.model.selector())?
        {
            return Ok(asker);
        }
        Err(format!(
            "No model that looks at pictures is set up ({} cannot). Set `modelRoles.vision` to one that does.",
            blind.join(", ")
        ))
    }

    /// A model that is ready to be asked; `None` if it does not accept images.
    fn asker(&self, selector: &str) -> Result<Option<Arc<dyn Asker>>, String> {
        let known = self.reach.known().map_err(|failure| failure.message())?;
        let selected = known.select(selector).map_err(|error| error.to_string())?;
        if !selected.model.capabilities.images {
            return Ok(None);
        }
        self.reach.live(&selected, true).map(Some).map_err(|failure| failure.message())
    }
}

impl Vision for Eyes {
    fn look(&self, question: &str, picture: &Picture, cancel: &Cancel) -> Result<(String, String), String> {
        let asker = self.model()?;
        let image = Image { media_type: picture.mime_type.clone(), data: picture.data.clone() };
        let request = Request {
            system: include_str!("vision.md").trim().to_owned(),
            messages: vec![Message::user(vec![Block::Image(image), Block::text(question)])],
            ..Request::default()
        };
        let (mut answer, mut failed) = (String::new(), None);
        asker.ask(&request, cancel, &mut |event| match event {
            Event::Done { turn } => {
                let text = turn.content.iter().filter_map(|block| match block {
                    Block::Text { text, .. } => Some(text.as_str()),
                    _ => None,
                });
                answer = text.collect::<Vec<_>>().join("\n");
            }
            Event::Error { error, .. } => failed = Some(error.to_string()),
            _ => {}
        });
        let name = asker.model().selector();
        match failed {
            Some(error) => Err(format!("{name} could not look at the picture: {error}")),
            None if answer.trim().is_empty() => {
                Err(format!("{name} returned no description of the picture."))
            }
            None => Ok((name, answer)),
        }
    }
}
