//! The effects that the interface asks for: the agent, the clipboard, the person's editor, notifications, the shell's job
//! control.

use std::ffi::OsString;
use std::io::{Read as _, Write as _};
use std::path::Path;

use base64::Engine as _;
use relay_diagnostics::Cancel;
use relay_exec::{End, Passthrough};
use relay_tui::input::Image;
use relay_tui::{Input, Output};

use super::{Next, Screen, surroundings};
use crate::clipboard;

impl Screen {
    /// Performs the effects that the interface asks for.
    pub(super) fn perform(&mut self, output: Output) -> Next {
        match output {
            Output::Rpc(command) => {
                if let Some(agent) = &self.agent {
                    agent.send(command);
                }
            }
            Output::Highlight(job) => drop(self.highlighter.send(job)),
            Output::Copy(text) => self.copy(&text),
            Output::Notify { title, body } => self.notify(&title, &body),
            Output::Title(title) => self.write(&format!("\x1b]2;{title}\x1b\\")),
            Output::Edit(text) => self.edit(&text),
            Output::PasteImage => self.paste_image(),
            Output::Suspend => self.suspend(),
            Output::Background => return Next::Background,
            Output::Links(when) => self.renderer.set_links(match when.as_str() {
                "off" => false,
                "always" => true,
                _ => super::abilities().links,
            }),
            Output::ClearOnShrink(is_on) => self.clears_on_shrink = is_on,
            Output::Redraw => return Next::Resized,
            Output::Clear => {}
            Output::Refresh => {
                let inputs = self.inputs.clone();
                surroundings::look(self.root.clone(), inputs);
            }
            Output::Setup(chosen) => {
                if let Some(agent) = &self.agent {
                    agent.send(chosen);
                }
            }
            Output::Demo => {
                self.play_demo();
                return Next::Resized;
            }
            Output::Quit(code) => return Next::Quit(code),
        }
        Next::On
    }

    fn write(&self, text: &str) {
        // If the terminal is gone, the next frame will notice.
        drop(self.tty.write(text.as_bytes()));
    }

    /// Copies through the terminal, which also works over SSH, and to this machine's clipboard if it has one.
    fn copy(&mut self, text: &str) {
        let encoded = base64::engine::general_purpose::STANDARD.encode(text);
        self.write(&format!("\x1b]52;c;{encoded}\x1b\\"));
        let has_display = ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some());
        if has_display && let Err(failure) = clipboard::copy(text) {
            drop(self.inputs.send(Input::Notice(true, failure.message())));
        }
    }

    /// Notifies in the three ways that terminals support, and rings the bell for those that support none.
    fn notify(&self, title: &str, body: &str) {
        self.write(&format!("\x1b]9;{title}: {body}\x1b\\"));
        self.write(&format!("\x1b]777;notify;{title};{body}\x1b\\"));
        self.write(&format!("\x1b]99;i=relay:d=0;{title}\x1b\\\x1b]99;i=relay:p=body;{body}\x1b\\\x07"));
    }

    /// Writes the text to a temporary file, and opens it in the person's editor.
    fn edit(&mut self, text: &str) {
        let bytes = self.renderer.leave(0);
        drop(self.tty.write(&bytes));
        let edited = match self.tty.lend(|| edit(text)) {
            Ok(Ok(edited)) => Input::Edited(edited),
            Ok(Err(error)) => Input::Notice(true, error),
            Err(error) => Input::Notice(true, error.to_string()),
        };
        drop(self.inputs.send(edited));
    }

    /// Plays the demo in the terminal, below what is there.
    fn play_demo(&mut self) {
        let bytes = self.renderer.leave(0);
        drop(self.tty.write(&bytes));
        let played = self.tty.lend(|| {
            let relay = std::env::current_exe()?;
            let args = [OsString::from("demo")];
            let run = Passthrough {
                program: relay.as_os_str(),
                args: &args,
                cwd: Path::new("."),
                output_to_errors: false,
            };
            run.run(&Cancel::new());
            Ok::<(), std::io::Error>(())
        });
        if let Err(error) | Ok(Err(error)) = played {
            drop(self.inputs.send(Input::Notice(true, format!("the demo could not be played: {error}"))));
        }
    }

    fn paste_image(&mut self) {
        let inputs = self.inputs.clone();
        // The program that owns the clipboard may be slow.
        std::thread::spawn(move || {
            let pasted = match picture() {
                Some(image) => Input::Image(image),
                None => match clipboard::paste() {
                    Ok(text) => Input::Paste(text),
                    Err(failure) => Input::Notice(true, failure.message()),
                },
            };
            drop(inputs.send(pasted));
        });
    }

    /// Suspends, as Ctrl-Z does for programs that do not handle the key themselves.
    fn suspend(&mut self) {
        let bytes = self.renderer.leave(0);
        drop(self.tty.write(&bytes));
        let stop = || rustix::process::kill_current_process_group(rustix::process::Signal::TSTP);
        match self.tty.lend(stop) {
            Ok(Ok(())) => {}
            Ok(Err(error)) => drop(self.inputs.send(Input::Notice(true, error.to_string()))),
            Err(error) => drop(self.inputs.send(Input::Notice(true, error.to_string()))),
        }
    }
}

/// The picture on the clipboard.
fn picture() -> Option<Image> {
    let bytes = clipboard::picture()?;
    Some(Image {
        mime_type: "image/png".to_owned(),
        data: base64::engine::general_purpose::STANDARD.encode(&bytes),
        about: format!("{} KB", bytes.len() / 1024),
    })
}

/// The person's editor, with a text. Its value is split into words at spaces, as git does.
fn edit(text: &str) -> Result<String, String> {
    let editor = ["VISUAL", "EDITOR"]
        .iter()
        .find_map(|name| std::env::var(name).ok().filter(|value| !value.trim().is_empty()));
    let editor = editor.unwrap_or_else(|| "vi".to_owned());
    let mut words = editor.split_whitespace();
    let program = words.next().unwrap_or("vi").to_owned();
    let mut file = tempfile::Builder::new()
        .prefix("relay-")
        .suffix(".md")
        .tempfile()
        .map_err(|error| error.to_string())?;
    file.write_all(text.as_bytes()).map_err(|error| error.to_string())?;
    let mut args: Vec<OsString> = words.map(OsString::from).collect();
    args.push(file.path().as_os_str().to_owned());
    let run =
        Passthrough { program: program.as_ref(), args: &args, cwd: Path::new("."), output_to_errors: false };
    match run.run(&Cancel::new()).end {
        End::Exited(0) => {}
        End::NotStarted(error) => {
            return Err(format!("{program} could not be started: {error}; set EDITOR to another one"));
        }
        _ => return Err(format!("{program} failed; the text is as it was")),
    }
    let mut edited = String::new();
    let mut again =
        file.reopen().or_else(|_| std::fs::File::open(file.path())).map_err(|error| error.to_string())?;
    again.read_to_string(&mut edited).map_err(|error| error.to_string())?;
    Ok(edited.trim_end_matches('\n').to_owned())
}
