//! Commands about tools: those the model has, and tools and addresses that the client brings.

use std::sync::{Arc, PoisonError};

use relay_agent::resources::Scheme;
use relay_agent::tool::{Selection, Tool};
use serde_json::{Value, json};

use super::{Answer, Session};
use crate::rpc::host_tool::HostTool;
use crate::rpc::host_uri::HostUri;
use crate::rpc::{session, with_agent};

impl Session {
    pub(super) fn about_tools(&self, kind: &str, command: &Value) -> Option<Answer> {
        Some(match kind {
            "set_host_tools" => self.set_host_tools(command),
            "set_host_uri_schemes" => self.set_host_schemes(command),
            "get_tools" => with_agent(&self.remote, |agent| session::tools(agent)).map(Some),
            "set_tools" => self.set_tools(command),
            _ => return None,
        })
    }

    /// Offers these tools by name; without names all of them.
    fn set_tools(&self, command: &Value) -> Answer {
        let names = command.get("tools").and_then(Value::as_array);
        let selection = match names {
            Some(names) => {
                Selection::Named(names.iter().filter_map(Value::as_str).map(str::to_owned).collect())
            }
            None => Selection::All,
        };
        let selected = with_agent(&self.remote, move |agent| agent.select_tools(&selection))?;
        selected.map(|()| None).map_err(|error| error.to_string())
    }

    fn set_host_tools(&self, command: &Value) -> Answer {
        let definitions = command.get("tools").and_then(Value::as_array).cloned().unwrap_or_default();
        let tools: Vec<HostTool> = definitions
            .iter()
            .map(|definition| HostTool::parse(definition, &self.outlet))
            .collect::<Result<_, String>>()?;
        let names: Vec<String> = tools.iter().map(|tool| tool.spec().name.to_string()).collect();
        let mut known = self.host_tools.lock().unwrap_or_else(PoisonError::into_inner);
        let old = std::mem::replace(&mut *known, names.clone());
        drop(known);
        with_agent(&self.remote, move |agent| {
            let tools = tools.into_iter().map(|tool| Arc::new(tool) as Arc<dyn Tool>).collect();
            agent.replace_tools(|name| old.iter().any(|old| old == name), tools);
        })?;
        Ok(Some(json!({ "toolNames": names })))
    }

    /// Addresses whose content the client has, in place of its earlier ones.
    fn set_host_schemes(&self, command: &Value) -> Answer {
        let definitions = command.get("schemes").and_then(Value::as_array).cloned().unwrap_or_default();
        let resources = with_agent(&self.remote, |agent| agent.services().resources.clone())?;
        let mut known = self.host_schemes.lock().unwrap_or_else(PoisonError::into_inner);
        let taken: Vec<String> = resources.names().into_iter().filter(|name| !known.contains(name)).collect();
        let schemes: Vec<HostUri> = definitions
            .iter()
            .map(|definition| HostUri::parse(definition, &self.outlet, &taken))
            .collect::<Result<_, String>>()?;
        known.drain(..).for_each(|name| resources.remove(&name));
        for scheme in schemes {
            known.push(scheme.name().to_owned());
            resources.add(Arc::new(scheme));
        }
        Ok(Some(json!({ "schemes": *known })))
    }
}
