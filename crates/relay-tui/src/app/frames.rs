//! What the agent says: events of a run, answers to commands, and questions.

use serde_json::Value;

use super::App;
use super::session::{Git, usage};
use crate::conversation::{Block, Level, State, Summary, number};
use crate::output::Output;
use crate::overlay::{Console, Dialog, Setup};

/// A text field of a frame.
fn text<'a>(frame: &'a Value, name: &str) -> &'a str {
    frame.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn strings(frame: &Value, name: &str) -> Vec<String> {
    let list = frame.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Messages that a person wrote, of those that wait.
fn said(frame: &Value, name: &str) -> Vec<String> {
    let mut messages = strings(frame, name);
    messages.retain(|message| !message.starts_with("<system-reminder>"));
    messages
}

impl App {
    pub(super) fn take_frame(&mut self, frame: &Value) {
        match text(frame, "type") {
            "message_update" => self.take_delta(frame.get("assistantMessageEvent").unwrap_or(&Value::Null)),
            "response" => self.take_response(frame),
            "message_start" => self.begin_message(frame),
            "message_discarded" => self.conversation.discard_message(),
            "message_end" => self.take_message(frame.get("message").unwrap_or(&Value::Null)),
            "tool_execution_start" | "tool_execution_update" | "tool_execution_end" => self.take_tool(frame),
            "agent_start" | "agent_end" => self.take_run(frame),
            "auto_retry_start" | "auto_retry_end" | "retry_fallback_applied" => self.take_retry(frame),
            "auto_compaction_start" | "auto_compaction_end" => self.take_compaction(frame),
            "extension_ui_request" => self.take_question(frame),
            "pty_start" | "pty_output" | "pty_end" => self.take_terminal(frame),
            "ready" => self.take_ready(),
            _ => self.take_session(frame),
        }
    }

    /// Prompts and results begin as well; they are shown when they are complete.
    fn begin_message(&mut self, frame: &Value) {
        let role = frame.get("message").and_then(|message| message.get("role")?.as_str());
        if matches!(role, None | Some("assistant")) {
            self.run.answering = Some(self.screen.now_ms);
            self.conversation.begin_message();
        }
    }

    fn take_ready(&mut self) {
        self.session.is_ready = true;
        let unsent = std::mem::take(&mut self.screen.unsent);
        self.ask("get_state");
        self.ask("get_messages");
        self.ask("get_session_stats");
        self.ask("get_prompt_history");
        self.ask("get_commands");
        self.ask("get_todos");
        self.ask_for_settings();
        self.outputs.extend(unsent.into_iter().map(Output::Rpc));
    }

    fn take_delta(&mut self, event: &Value) {
        let delta = text(event, "delta");
        self.run.characters += u64::try_from(delta.len()).unwrap_or_default();
        self.run.note = None;
        let id = text(event, "toolCallId");
        match text(event, "type") {
            "text_delta" => self.conversation.text(delta),
            "thinking_delta" => self.conversation.thinking(delta),
            "text_end" | "thinking_end" => self.conversation.end_text(),
            "toolcall_start" => self.conversation.begin_call(id, text(event, "toolName")),
            "toolcall_delta" => {
                if let Some(call) = self.conversation.call(id) {
                    call.write(delta);
                }
            }
            "toolcall_end" => {
                let arguments = event.get("toolCall").and_then(|call| call.get("arguments")).cloned();
                if let Some(call) = self.conversation.call(id) {
                    call.written(arguments.unwrap_or_default());
                }
            }
            _ => {}
        }
    }

    fn take_message(&mut self, message: &Value) {
        match text(message, "role") {
            "assistant" => {
                self.conversation.end_text();
                let used = usage(message);
                let began = self.run.answering.take();
                let took = began.map_or(0, |began| self.screen.now_ms.saturating_sub(began));
                // Of an answer that is there at once, nothing can be said.
                if let Some(rate) = (used.output * 1000).checked_div(took).filter(|_| took >= 200) {
                    self.status.facts.rate = rate;
                }
                self.run.used.add(used);
                self.session.used.add(used);
                self.session.context = used.input + used.cached + used.output;
                self.run.characters = 0;
                if self.status.shows_tokens && used.output > 0 {
                    self.conversation.push(Block::Used(used, 0));
                }
            }
            "user" | "custom" => self.add_message(message),
            _ => {}
        }
    }

    fn take_tool(&mut self, frame: &Value) {
        let (id, name, now) = (text(frame, "toolCallId"), text(frame, "toolName"), self.screen.now_ms);
        self.conversation.begin_call(id, name);
        let Some(call) = self.conversation.call(id) else { return };
        match text(frame, "type") {
            "tool_execution_start" => {
                call.written(frame.get("args").cloned().unwrap_or_default());
                call.state = State::Running(now);
            }
            "tool_execution_update" => call.take_result(frame.get("partialResult").unwrap_or(&Value::Null)),
            _ => {
                let took = if let State::Running(since) = call.state { now.saturating_sub(since) } else { 0 };
                call.take_result(frame.get("result").unwrap_or(&Value::Null));
                let failed = frame.get("isError").and_then(Value::as_bool).unwrap_or_default();
                call.state = if failed { State::Failed(took) } else { State::Succeeded(took) };
                let (name, details) = (call.name.clone(), call.details.clone());
                if let Some(address) = pull_request(&call.output) {
                    self.status.facts.pull = Some(address);
                }
                self.panels.take_tool(&name, &details, now);
            }
        }
    }

    fn take_run(&mut self, frame: &Value) {
        let now = self.screen.now_ms;
        if text(frame, "type") == "agent_start" {
            self.run = super::Run { since: Some(now), ..super::Run::default() };
            return;
        }
        self.conversation.settle();
        self.restore_policy();
        let run = std::mem::take(&mut self.run);
        let took = run.since.map_or(0, |since| now.saturating_sub(since));
        let error = text(frame, "error");
        match text(frame, "status") {
            "failed" => self.notice(Level::Error, error),
            "limit" => self.notice(Level::Warning, error),
            "aborted" => self.notice(Level::Warning, "stopped"),
            _ => {}
        }
        if self.options.shows_usage && run.used.output > 0 {
            self.conversation.push(Block::Used(run.used, took));
        }
        if self.session.name.is_none() && run.used.output > 0 {
            self.ask("generate_session_name");
        }
        if self.options.notifies {
            self.notify("Relay is done", text(frame, "status"));
        }
        self.outputs.push(Output::Refresh);
    }

    /// Tells the person who looked away.
    fn notify(&mut self, title: &str, body: &str) {
        if self.screen.attention.is_away(self.screen.now_ms) {
            let (title, body) = (title.to_owned(), crate::text::clean_line(body).into_owned());
            self.outputs.push(Output::Notify { title, body });
        }
    }

    fn take_retry(&mut self, frame: &Value) {
        match text(frame, "type") {
            "auto_retry_start" => {
                let (attempt, most) = (number(frame, "attempt"), number(frame, "maxAttempts"));
                self.run.note =
                    Some(format!("{} - Retrying ({attempt}/{most})", text(frame, "errorMessage")));
                self.run.until = Some(self.screen.now_ms + number(frame, "delayMs"));
            }
            "auto_retry_end" => {
                self.run.note = None;
                self.run.until = None;
                if frame.get("success").and_then(Value::as_bool) == Some(false) {
                    let attempts = match number(frame, "attempt") {
                        1 => "1 attempt".to_owned(),
                        count => format!("{count} attempts"),
                    };
                    let why = text(frame, "finalError");
                    self.notice(Level::Warning, &format!("Retry failed after {attempts}: {why}"));
                }
            }
            _ => self.notice(Level::Warning, &format!("{} answers now", text(frame, "to"))),
        }
    }

    fn take_compaction(&mut self, frame: &Value) {
        if text(frame, "type") == "auto_compaction_start" {
            self.run.since.get_or_insert(self.screen.now_ms);
            self.run.note = Some("making the conversation shorter".to_owned());
            return;
        }
        self.run.note = None;
        if text(frame, "reason") == "manual" {
            self.run.since = None;
        }
        match frame.get("result").filter(|result| !result.is_null()) {
            Some(result) => {
                let summary = text(result, "summary").to_owned();
                let of = Summary::Conversation(number(result, "tokensBefore"));
                self.conversation.push(Block::Summary(of, summary));
            }
            None => {
                let error = text(frame, "errorMessage");
                let error = if error.is_empty() { "the conversation was not made shorter" } else { error };
                self.notice(Level::Warning, error);
            }
        }
    }

    fn take_question(&mut self, frame: &Value) {
        if text(frame, "method") == "cancel" {
            return self.close_overlay(text(frame, "targetId"));
        }
        if let Some(dialog) = Dialog::new(frame) {
            let title = text(frame, "title").to_owned();
            self.open(Box::new(dialog));
            // A question of the `ask` tool says whether it may make itself heard.
            let asked = frame.get("details").and_then(|details| details.get("ask"));
            let wanted = match asked.and_then(|asked| asked.get("notify")) {
                None if asked.is_some() => None,
                Some(notify) => notify.as_str(),
                None => self.options.notifies_of_questions.then_some("Waiting for input"),
            };
            if let Some(wanted) = wanted {
                self.notify(wanted, &title);
            }
        }
    }

    /// Closes the overlay that answers a request which is over.
    fn close_overlay(&mut self, request: &str) {
        self.overlays.retain(|overlay| overlay.request() != Some(request));
    }

    /// A program in a terminal of its own.
    fn take_terminal(&mut self, frame: &Value) {
        match text(frame, "type") {
            "pty_start" => self.open(Box::new(Console::new(frame))),
            "pty_end" => self.close_overlay(text(frame, "ptyId")),
            _ => self.overlays.iter_mut().for_each(|overlay| overlay.event(frame)),
        }
    }

    fn take_session(&mut self, frame: &Value) {
        match text(frame, "type") {
            "queue_update" => {
                self.session.steering = said(frame, "steering");
                self.session.follow_up = said(frame, "followUp");
            }
            "session_switch" => self.reload(),
            "session_name" => self.session.name = Some(text(frame, "name").to_owned()),
            "mode_change" => text(frame, "mode").clone_into(&mut self.session.mode),
            "session_data" => self.panels.take_data(
                text(frame, "kind"),
                frame.get("data").unwrap_or(&Value::Null),
                self.screen.now_ms,
            ),
            "job_start" | "job_end" => self.ask("get_jobs"),
            "bash_output" => {
                if let Some(Block::Shell { output, .. }) = self.conversation.shell_mut() {
                    output.push_str(text(frame, "chunk"));
                }
            }
            "goal_updated" => self.panels.goal = frame.get("goal").cloned().filter(|goal| !goal.is_null()),
            "ttsr_triggered" => {
                let rules =
                    frame.get("rules").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
                let names: Vec<&str> = rules.iter().map(|rule| text(rule, "name")).collect();
                self.notice(Level::Warning, &format!("stopped by a rule: {}", names.join(", ")));
            }
            "notice" => {
                let level = if text(frame, "level") == "warning" { Level::Warning } else { Level::Info };
                self.notice(level, text(frame, "text"));
            }
            "surroundings" => {
                text(frame, "cwd").clone_into(&mut self.session.cwd);
                text(frame, "host").clone_into(&mut self.status.facts.host);
                let branch = frame.get("branch").and_then(Value::as_str);
                self.session.git = branch.map(|branch| Git {
                    branch: branch.to_owned(),
                    staged: number(frame, "staged"),
                    changed: number(frame, "changed"),
                    untracked: number(frame, "untracked"),
                });
            }
            "setup" => self.open(Box::new(Setup::new(frame))),
            "open_failed" => {
                self.notice(Level::Error, &format!("{}\n{}", text(frame, "message"), text(frame, "hint")));
            }
            _ => {}
        }
    }

    fn take_response(&mut self, frame: &Value) {
        let command = text(frame, "command");
        let data = frame.get("data").unwrap_or(&Value::Null);
        let is_success = frame.get("success").and_then(Value::as_bool).unwrap_or_default();
        // Files for what was typed before are of no use.
        let is_late = self
            .completion
            .as_ref()
            .is_some_and(|completion| Some(completion.request()) != frame.get("id").and_then(Value::as_u64));
        if matches!(command, "find_files" | "complete_path") && is_late {
            return;
        }
        let answer = if is_success { Ok(data) } else { Err(text(frame, "error")) };
        if let Some(step) = self.overlays.last_mut().and_then(|overlay| overlay.response(command, answer)) {
            return self.take_step(step);
        }
        match answer {
            Ok(data) if command == "read_user_file" => self.take_user_file(number(frame, "id"), data),
            Ok(data) => self.take_answer(command, data),
            Err(error) if command == "bash" => self.end_shell(&Value::Null, Some(error)),
            // What the agent does not have yet is not the person's concern.
            Err(error) if error.starts_with("Unknown command") => {}
            // The program has just ended.
            Err(_) if command.starts_with("pty_") => {}
            Err(error) => self.notice(Level::Error, error),
        }
    }

    fn take_answer(&mut self, command: &str, data: &Value) {
        match command {
            "get_state" => {
                self.session.take_state(data);
                if let Some(queue) = data.get("queue") {
                    self.session.steering = said(queue, "steering");
                    self.session.follow_up = said(queue, "followUp");
                }
            }
            "get_messages" => {
                for message in
                    data.get("messages").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
                {
                    self.add_message(message);
                }
                self.conversation.settle();
            }
            "get_session_stats" => self.session.take_stats(data),
            "get_prompt_history" => {
                let prompts =
                    data.get("prompts").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
                let oldest_first = prompts.iter().rev().map(|prompt| text(prompt, "text").to_owned());
                self.editor.history.load(oldest_first.collect());
            }
            "get_commands" => self.remote.take(data),
            "cycle_thinking_level" | "set_thinking_level" => {
                text(data, "level").clone_into(&mut self.session.thinking);
            }
            "cycle_model" | "set_model" if data.is_null() => {
                self.notice(Level::Info, "there is no other model with a key");
            }
            "cycle_model" | "set_model" => {
                self.session.take_model(data.get("model").unwrap_or(data));
                if let Some(level) = data.get("thinkingLevel").and_then(Value::as_str) {
                    level.clone_into(&mut self.session.thinking);
                }
                let model = self.session.model.clone();
                self.notice(Level::Info, &format!("model: {model}"));
            }
            "bash" => self.end_shell(data, None),
            "get_settings" | "set_setting" => self.take_settings(data),
            "find_files" | "complete_path" => self.take_files(data),
            "get_todos" => self.panels.take_data("todos", data, self.screen.now_ms),
            "get_jobs" => self.panels.take_data("jobs", data, self.screen.now_ms),
            "take_queue" => {
                let mut messages = said(data, "steering");
                messages.extend(said(data, "followUp"));
                self.took_back(&messages);
            }
            "new_session" | "switch_session" | "branch" | "fork" | "clone" | "navigate_tree"
            | "drop_session" | "fork_session" => {
                if let Some(text) =
                    data.get("text").or_else(|| data.get("editorText")).and_then(Value::as_str)
                {
                    self.editor.set(text);
                }
                self.reload();
            }
            _ => self.take_slash_answer(command, data),
        }
    }

    /// Adds a message of the log to the conversation.
    pub(super) fn add_message(&mut self, message: &Value) {
        let blocks = match message.get("content") {
            Some(Value::Array(blocks)) => blocks.as_slice(),
            _ => &[],
        };
        match text(message, "role") {
            "user" => {
                let images = blocks.iter().filter(|block| text(block, "type") == "image").count();
                self.conversation.push(Block::User(content_text(message), images));
            }
            "assistant" => {
                for block in blocks {
                    match text(block, "type") {
                        "text" => {
                            self.conversation.push(Block::Text(text(block, "text").trim().to_owned(), true));
                        }
                        "thinking" if !text(block, "thinking").trim().is_empty() => {
                            self.conversation.push(Block::Thinking(text(block, "thinking").to_owned(), true));
                        }
                        "toolCall" => {
                            self.conversation.begin_call(text(block, "id"), text(block, "name"));
                            if let Some(call) = self.conversation.call(text(block, "id")) {
                                call.written(block.get("arguments").cloned().unwrap_or_default());
                            }
                        }
                        _ => {}
                    }
                }
                let used = usage(message);
                self.session.context = used.input + used.cached + used.output;
            }
            "toolResult" => {
                let failed = message.get("isError").and_then(Value::as_bool).unwrap_or_default();
                if let Some(call) = self.conversation.call(text(message, "toolCallId")) {
                    call.take_result(message);
                    call.state = if failed { State::Failed(0) } else { State::Succeeded(0) };
                }
            }
            "custom" if text(message, "customType") == "skill-prompt" => {
                let details = message.get("details").cloned().unwrap_or_default();
                let (name, arguments) = (text(&details, "name"), text(&details, "args"));
                self.panels.hud.start(name);
                let line = format!("/skill:{name} {arguments}").trim_end().to_owned();
                self.conversation.push(Block::User(line, 0));
            }
            "custom" if text(message, "customType") == "handoff" => {
                let whole = content_text(message);
                let inner = whole.split_once("<handoff-context>").map_or(whole.as_str(), |(_, rest)| rest);
                let document = inner.split_once("</handoff-context>").map_or(inner, |(document, _)| document);
                self.conversation.push(Block::Summary(Summary::Session, document.trim().to_owned()));
            }
            "bashExecution" => self.conversation.push(Block::Shell {
                command: text(message, "command").to_owned(),
                output: text(message, "output").to_owned(),
                exit: Some(Ok(message.get("exitCode").and_then(Value::as_i64).unwrap_or_default())),
                is_aside: message.get("excludeFromContext").and_then(Value::as_bool).unwrap_or_default(),
            }),
            "compactionSummary" | "branchSummary" => {
                let of = match text(message, "role") {
                    "branchSummary" => Summary::Branch,
                    _ => Summary::Conversation(number(message, "tokensBefore")),
                };
                self.conversation.push(Block::Summary(of, text(message, "summary").to_owned()));
            }
            _ => {}
        }
    }
}

/// The address of a pull request in what a tool said: the last one counts, because creating one says it at the end.
fn pull_request(output: &str) -> Option<String> {
    const PARTS: [&str; 3] = ["/pull/", "/merge_requests/", "/pulls/"];
    let part = PARTS.into_iter().find(|part| output.contains(part))?;
    let (before, after) = output.rsplit_once(part)?;
    let start = before.rfind("https://")?;
    let number: String = after.chars().take_while(char::is_ascii_digit).collect();
    let place = before.get(start..)?;
    let is_address =
        !place.contains(|c: char| c.is_whitespace() || c.is_control() || matches!(c, '"' | '<' | '>'));
    (is_address && !number.is_empty()).then(|| format!("{place}{part}{number}"))
}

/// The text of a message.
fn content_text(message: &Value) -> String {
    match message.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(blocks)) => {
            let texts =
                blocks.iter().filter(|block| text(block, "type") == "text").map(|block| text(block, "text"));
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}
