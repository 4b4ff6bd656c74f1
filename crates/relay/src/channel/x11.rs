//! The clipboard of an X11 display. The server reports when another program takes it over, so waiting costs nothing.
//!
//! On X11 the content stays with the program that copied it and is fetched from there. That program may be slow, hang,
//! lie about the size, or exit midway. So every step has a time limit, and no more than the allowed size is kept; the
//! excess is still fetched and dropped, because an owner whose transfer is abandoned may hang.

use std::time::{Duration, Instant};

use relay_engine::{Arrival, CHANNEL_LIMIT_BYTES, Channel, ChannelError};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use x11rb::connection::Connection as _;
use x11rb::protocol::Event;
use x11rb::protocol::xfixes::{ConnectionExt as _, SelectionEventMask};
use x11rb::protocol::xproto::{
    Atom, AtomEnum, ConnectionExt as _, CreateWindowAux, EventMask, Property, Window, WindowClass,
};
use x11rb::rust_connection::RustConnection;

/// How long the owner of the clipboard may take for one step.
const STEP_LIMIT: Duration = Duration::from_secs(2);

/// How long a whole transfer may take.
const TRANSFER_LIMIT: Duration = Duration::from_secs(15);

/// Answers alternate between these properties, so that a late one is not mistaken for the next.
const PROPERTIES: [&str; 4] = ["RELAY_TEXT_0", "RELAY_TEXT_1", "RELAY_TEXT_2", "RELAY_TEXT_3"];

type Fault = Box<dyn std::error::Error + Send + Sync>;

x11rb::atom_manager! {
    /// The names this module uses.
    Atoms: AtomsCookie {
        CLIPBOARD,
        INCR,
        UTF8_STRING,
        TEXT_UTF8: b"text/plain;charset=utf-8",
    }
}

/// A connection to the display, with an invisible window that receives the clipboard's content.
pub struct X11Clipboard {
    connection: RustConnection,
    window: Window,
    atoms: Atoms,
    properties: [Atom; PROPERTIES.len()],
    turn: usize,
    is_changed: bool,
    is_fresh: bool,
}

/// The result of fetching the content.
enum Content {
    /// The bytes of a text, or of whatever else was asked for.
    Text(Vec<u8>),
    TooLarge,
    Refused,
    NoAnswer,
}

impl X11Clipboard {
    /// Connects to the display that the environment names.
    pub fn open() -> Result<Self, Fault> {
        let (connection, screen) = x11rb::connect(None)?;
        let root = connection.setup().roots.get(screen).map(|screen| screen.root).ok_or("no screen")?;
        let window = connection.generate_id()?;
        let events = CreateWindowAux::new().event_mask(EventMask::PROPERTY_CHANGE);
        connection.create_window(0, window, root, 0, 0, 1, 1, 0, WindowClass::INPUT_ONLY, 0, &events)?;
        let atoms = Atoms::new(&connection)?.reply()?;
        let mut properties = [0; PROPERTIES.len()];
        for (atom, name) in properties.iter_mut().zip(PROPERTIES) {
            *atom = connection.intern_atom(false, name.as_bytes())?.reply()?.atom;
        }
        connection.xfixes_query_version(5, 0)?.reply()?;
        let changes = SelectionEventMask::SET_SELECTION_OWNER;
        connection.xfixes_select_selection_input(window, atoms.CLIPBOARD, changes)?.check()?;
        Ok(Self { connection, window, atoms, properties, turn: 0, is_changed: true, is_fresh: true })
    }

    /// Waits until the clipboard changed; false when the time is up.
    fn wait_for_change(&mut self, deadline: Instant) -> Result<bool, Fault> {
        while !self.is_changed {
            if self.event(deadline)?.is_none() {
                return Ok(false);
            }
        }
        self.is_changed = false;
        Ok(true)
    }

    /// The next event, `None` when the time is up. Clipboard changes are noted even while waiting for something else.
    fn event(&mut self, deadline: Instant) -> Result<Option<Event>, Fault> {
        self.connection.flush()?;
        loop {
            if let Some(event) = self.connection.poll_for_event()? {
                if let Event::XfixesSelectionNotify(change) = &event {
                    self.is_changed |= change.owner != x11rb::NONE;
                }
                return Ok(Some(event));
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(None);
            }
            let timeout = Timespec {
                tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX),
                tv_nsec: i64::from(left.subsec_nanos()),
            };
            let mut waiting = [PollFd::new(self.connection.stream(), PollFlags::IN)];
            match poll(&mut waiting, Some(&timeout)) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// The picture on the clipboard, in the first of these formats its owner has.
    pub fn picture(&mut self, formats: &[&str]) -> Result<Option<Vec<u8>>, Fault> {
        for format in formats {
            let target = self.connection.intern_atom(false, format.as_bytes())?.reply()?.atom;
            match self.fetch_as(target)? {
                Content::Text(bytes) if !bytes.is_empty() => return Ok(Some(bytes)),
                Content::Text(_) | Content::Refused => {}
                Content::TooLarge => return Err("the picture is too large".into()),
                Content::NoAnswer => {
                    return Err("the program that holds the clipboard does not answer".into());
                }
            }
        }
        Ok(None)
    }

    /// The content as text, in the first form its owner has.
    fn fetch(&mut self) -> Result<Arrival, Fault> {
        let owner = self.connection.get_selection_owner(self.atoms.CLIPBOARD)?.reply()?.owner;
        if owner == x11rb::NONE {
            return Ok(Arrival::Nothing);
        }
        for target in [self.atoms.UTF8_STRING, self.atoms.TEXT_UTF8, AtomEnum::STRING.into()] {
            let is_latin = target == Atom::from(AtomEnum::STRING);
            match self.fetch_as(target)? {
                Content::Refused => {}
                Content::Text(bytes) if is_latin => {
                    return Ok(Arrival::Text(bytes.iter().copied().map(char::from).collect()));
                }
                Content::Text(bytes) => return Ok(super::copied(bytes)),
                Content::TooLarge => return Ok(super::too_large()),
                Content::NoAnswer => {
                    return Ok(Arrival::PassedOver(
                        "the program that holds the clipboard does not answer".to_owned(),
                    ));
                }
            }
        }
        Ok(Arrival::Nothing)
    }

    fn fetch_as(&mut self, target: Atom) -> Result<Content, Fault> {
        let started = Instant::now();
        let Some(property) = self.properties.get(self.turn % PROPERTIES.len()).copied() else {
            return Ok(Content::Refused);
        };
        self.turn = self.turn.wrapping_add(1);
        self.connection.delete_property(self.window, property)?;
        self.connection.convert_selection(
            self.window,
            self.atoms.CLIPBOARD,
            target,
            property,
            x11rb::CURRENT_TIME,
        )?;
        loop {
            match self.event(started + STEP_LIMIT)? {
                None => return Ok(Content::NoAnswer),
                Some(Event::SelectionNotify(answer)) if answer.property == property => break,
                Some(Event::SelectionNotify(answer))
                    if answer.property == x11rb::NONE && answer.target == target =>
                {
                    return Ok(Content::Refused);
                }
                Some(_) => {}
            }
        }
        // Reads the size without consuming anything.
        let about =
            self.connection.get_property(false, self.window, property, AtomEnum::ANY, 0, 0)?.reply()?;
        if about.type_ == self.atoms.INCR {
            return self.fetch_in_pieces(property, started + TRANSFER_LIMIT);
        }
        if about.bytes_after as usize > CHANNEL_LIMIT_BYTES {
            self.connection.delete_property(self.window, property)?;
            return Ok(Content::TooLarge);
        }
        let (bytes, _) = self.take(property)?;
        Ok(Content::Text(bytes))
    }

    /// Large content arrives in pieces: deleting one requests the next, and an empty one marks the end.
    fn fetch_in_pieces(&mut self, property: Atom, deadline: Instant) -> Result<Content, Fault> {
        self.connection.delete_property(self.window, property)?;
        let mut bytes = Vec::new();
        let mut is_too_large = false;
        loop {
            match self.event(deadline.min(Instant::now() + STEP_LIMIT))? {
                None => return Ok(if is_too_large { Content::TooLarge } else { Content::NoAnswer }),
                Some(Event::PropertyNotify(news))
                    if news.atom == property && news.state == Property::NEW_VALUE =>
                {
                    let (piece, is_whole) = self.take(property)?;
                    if piece.is_empty() {
                        break;
                    }
                    is_too_large |= !is_whole || bytes.len() + piece.len() > CHANNEL_LIMIT_BYTES;
                    if is_too_large {
                        bytes = Vec::new();
                    } else {
                        bytes.extend(piece);
                    }
                }
                Some(_) => {}
            }
        }
        Ok(if is_too_large { Content::TooLarge } else { Content::Text(bytes) })
    }

    /// Reads and deletes the property's value, up to the limit, and returns whether that was all of it.
    fn take(&self, property: Atom) -> Result<(Vec<u8>, bool), Fault> {
        let words = u32::try_from(CHANNEL_LIMIT_BYTES / 4).unwrap_or(u32::MAX);
        let reply =
            self.connection.get_property(true, self.window, property, AtomEnum::ANY, 0, words)?.reply()?;
        let is_whole = reply.bytes_after == 0;
        if !is_whole {
            self.connection.delete_property(self.window, property)?;
        }
        Ok((reply.value, is_whole))
    }
}

impl Channel for X11Clipboard {
    fn place(&self) -> &str {
        super::CLIPBOARD
    }

    fn next(&mut self, patience: Duration) -> Result<Arrival, ChannelError> {
        let was_fresh = std::mem::take(&mut self.is_fresh);
        let arrival = match self.wait_for_change(Instant::now() + patience) {
            Ok(true) => self.fetch(),
            Ok(false) => Ok(Arrival::Nothing),
            Err(fault) => Err(fault),
        };
        match arrival {
            Ok(Arrival::Text(text)) if was_fresh => Ok(Arrival::Present(text)),
            Ok(_) if was_fresh => Ok(Arrival::Nothing),
            Ok(arrival) => Ok(arrival),
            Err(source) => Err(ChannelError { place: super::CLIPBOARD.to_owned(), source }),
        }
    }
}
