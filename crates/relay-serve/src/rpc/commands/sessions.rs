//! Commands that switch to another session, or name this one. Lists of sessions are the host's.

use std::sync::Arc;

use relay_agent::driver::{Agent, SideJob, title_from};
use relay_agent::session::TitleSource;
use relay_diagnostics::Cancel;
use serde_json::{Value, json};

use super::{Answer, Session, needed, text};
use crate::rpc::{session, with_agent};

impl Session {
    pub(super) fn about_sessions(&self, kind: &str, command: &Value) -> Option<Answer> {
        Some(match kind {
            "new_session" | "switch_session" => self.change_session(kind, command),
            "branch" => self.branch(command),
            "fork" | "clone" => match text(command, "entryId") {
                Some(_) => self.branch(command),
                None => self.fork(),
            },
            "move_session" => self.move_session(command),
            "fork_session" => self.fork_other(command),
            "set_session_name" => self.set_name(command),
            "generate_session_name" => self.generate_name(),
            "export_html" => self.export_html(command),
            "delete_session" => self.delete(command),
            "drop_session" => self.drop_session(),
            _ => return None,
        })
    }

    fn change_session(&self, kind: &str, command: &Value) -> Answer {
        self.is_idle()?;
        let log = match kind {
            "new_session" => self.host.new_session(text(command, "parentSession"))?,
            _ => self.host.open_session(needed(command, "sessionPath")?)?,
        };
        with_agent(&self.remote, move |agent| agent.switch(log))?;
        Ok(Some(json!({ "cancelled": false })))
    }

    /// Forks a session from before a prompt; the prompt's text goes back into the editor.
    fn branch(&self, command: &Value) -> Answer {
        self.is_idle()?;
        let (host, entry) = (Arc::clone(&self.host), needed(command, "entryId")?.to_owned());
        let text = with_agent(&self.remote, move |agent: &mut Agent| {
            let (text, parent) = session::branch_point(agent, &entry)?;
            let log = host.branch(agent.log(), parent.as_deref())?;
            agent.switch(log);
            Ok::<_, String>(text)
        })??;
        Ok(Some(json!({ "text": text, "cancelled": false })))
    }

    /// Continues with a copy of the whole session.
    fn fork(&self) -> Answer {
        self.is_idle()?;
        let host = Arc::clone(&self.host);
        let id = with_agent(&self.remote, move |agent| {
            let log = host.fork(agent.log())?;
            let id = log.id().to_owned();
            agent.switch(log);
            Ok::<_, String>(id)
        })??;
        Ok(Some(json!({ "sessionId": id, "cancelled": false })))
    }

    /// Continues here with a copy of another project's session.
    fn fork_other(&self, command: &Value) -> Answer {
        self.is_idle()?;
        let session = needed(command, "session")?.to_owned();
        let here = with_agent(&self.remote, |agent| agent.log().cwd().display().to_string())?;
        let log = self.host.copy_session(&session, &here)?;
        let id = log.id().to_owned();
        with_agent(&self.remote, move |agent| agent.switch(log))?;
        Ok(Some(json!({ "sessionId": id, "cancelled": false })))
    }

    /// Moves a session to another folder. One that is open here continues from its new file.
    fn move_session(&self, command: &Value) -> Answer {
        self.is_idle()?;
        let (host, cwd) = (Arc::clone(&self.host), needed(command, "cwd")?.to_owned());
        let own = with_agent(&self.remote, |agent| agent.log().id().to_owned())?;
        let name = text(command, "session").unwrap_or(&own).to_owned();
        let log = host.copy_session(&name, &cwd)?;
        let id = log.id().to_owned();
        if name == own {
            with_agent(&self.remote, move |agent| agent.switch(log))?;
        }
        // Only now is the copy complete and the old file closed here.
        host.delete_session(&name).map_err(|error| {
            format!("the session was copied as {id}, but the old one could not be deleted: {error}")
        })?;
        Ok(Some(json!({ "sessionId": id })))
    }

    fn set_name(&self, command: &Value) -> Answer {
        let name = needed(command, "name")?.to_owned();
        let named = with_agent(&self.remote, move |agent| agent.set_name(&name, TitleSource::User));
        named?.map(|_| None).map_err(|error| error.to_string())
    }

    /// A name by a small model, where one is configured, else from the first prompt.
    fn generate_name(&self) -> Answer {
        let (prompt, aside) = with_agent(&self.remote, |agent| {
            (session::first_prompt(agent), agent.aside(SideJob::Title, Cancel::new()))
        })?;
        let prompt = prompt.ok_or("there is no prompt yet")?;
        let title = aside.title(&prompt).or_else(|| title_from(&prompt)).unwrap_or_default();
        let name = title.clone();
        with_agent(&self.remote, move |agent| agent.set_name(&name, TitleSource::Auto))?
            .map_err(|error| error.to_string())?;
        Ok(Some(json!({ "name": title })))
    }

    fn export_html(&self, command: &Value) -> Answer {
        let id = with_agent(&self.remote, |agent| agent.log().id().to_owned())?;
        let path = self.host.export_html(&id, text(command, "outputPath"))?;
        Ok(Some(json!({ "path": path })))
    }

    /// Continues with a new session, and deletes the old one if it has a file.
    fn drop_session(&self) -> Answer {
        self.is_idle()?;
        let file = with_agent(&self.remote, |agent| agent.log().path().map(std::path::Path::to_owned))?;
        let log = self.host.new_session(None)?;
        with_agent(&self.remote, move |agent| agent.switch(log))?;
        if let Some(file) = file.filter(|file| file.exists()) {
            self.host.delete_session(&file.display().to_string())?;
        }
        Ok(Some(json!({ "cancelled": false })))
    }

    fn delete(&self, command: &Value) -> Answer {
        let session = needed(command, "session")?;
        let own = with_agent(&self.remote, |agent| agent.log().id().to_owned())?;
        if session == own {
            return Err("this session is open; go to another one first".to_owned());
        }
        self.host.delete_session(session)?;
        Ok(None)
    }
}
