//! Which key does what: the defaults, what the user's file changes, and what is wrong with that file.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::input::Key;

macro_rules! actions {
    ($($name:ident $id:literal [$($chord:literal),*] $about:literal;)*) => {
        /// Something a key can do.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[allow(missing_docs, reason = "the table below says what each does")]
        pub enum Action { $($name),* }

        /// Each action: its name in the file, its default chords, and what it does.
        const TABLE: &[(Action, &str, &[&str], &str)] = &[$((Action::$name, $id, &[$($chord),*], $about)),*];
    };
}

actions! {
    Interrupt "interrupt" ["escape"] "stop what runs; twice on an empty editor: the session tree";
    Clear "clear" ["ctrl+c"] "clear the editor; twice: quit";
    Exit "exit" ["ctrl+d"] "quit when the editor is empty";
    Suspend "suspend" ["ctrl+z"] "put Relay into the background of the shell";
    Submit "submit" ["enter"] "send; while the agent works: steer it";
    NewLine "newLine" ["shift+enter", "alt+enter", "ctrl+j"] "a new line";
    FollowUp "followUp" ["ctrl+enter", "ctrl+q"] "send after the agent is done";
    TakeBack "takeBack" ["alt+up"] "take waiting messages back into the editor";
    Thinking "cycleThinking" ["shift+tab"] "the next thinking level";
    ShowThinking "toggleThinking" ["ctrl+t"] "show or hide thinking";
    NextModel "nextModel" ["ctrl+p"] "the next model";
    PreviousModel "previousModel" ["ctrl+shift+p"] "the model before";
    SelectModel "selectModel" ["ctrl+l"] "choose a model, also for new sessions";
    ModelForNow "modelForNow" ["alt+p"] "choose a model for this session only";
    Expand "expand" ["ctrl+o"] "show the whole conversation with every result in full";
    ExternalEditor "externalEditor" ["ctrl+g"] "write in your own editor";
    PasteImage "pasteImage" ["ctrl+v"] "paste an image";
    CopyLine "copyLine" ["alt+shift+l"] "copy the current line";
    CopyPrompt "copyPrompt" ["alt+shift+c"] "copy everything in the editor";
    CopyAnswer "copyAnswer" ["alt+c"] "copy the last answer";
    History "history" ["ctrl+r"] "search earlier prompts";
    Tree "tree" ["alt+t"] "the session tree";
    Ledger "ledger" ["alt+l"] "what landed: diff, undo, redo";
    Jobs "jobs" ["ctrl+s"] "what runs in the background";
    Plan "plan" ["alt+shift+p"] "plan mode on or off";
    Policy "policy" ["alt+a"] "the next policy";
    Todos "todos" ["alt+shift+t"] "show or hide the todo list";
    Hotkeys "hotkeys" ["f1"] "every key";
    Redraw "redraw" ["ctrl+alt+l"] "draw everything again";
    Left "cursorLeft" ["left", "ctrl+b"] "one character left";
    Right "cursorRight" ["right", "ctrl+f"] "one character right";
    Up "cursorUp" ["up"] "one line up; in the first line: an earlier prompt";
    Down "cursorDown" ["down"] "one line down; in the last line: a later prompt";
    WordLeft "wordLeft" ["alt+left", "ctrl+left", "alt+b"] "one word left";
    WordRight "wordRight" ["alt+right", "ctrl+right", "alt+f"] "one word right";
    LineStart "lineStart" ["home", "ctrl+a"] "the beginning of the line";
    LineEnd "lineEnd" ["end", "ctrl+e"] "the end of the line";
    TextStart "textStart" ["ctrl+home", "alt+<"] "the beginning of the text";
    TextEnd "textEnd" ["ctrl+end", "alt+>"] "the end of the text";
    DeleteLeft "deleteLeft" ["backspace", "shift+backspace"] "delete the character before";
    DeleteRight "deleteRight" ["delete"] "delete the character after";
    DeleteWordLeft "deleteWordLeft" ["ctrl+w", "alt+backspace", "ctrl+backspace"] "delete the word before";
    DeleteWordRight "deleteWordRight" ["alt+d", "alt+delete", "ctrl+delete"] "delete the word after";
    DeleteToStart "deleteToStart" ["ctrl+u"] "delete to the beginning of the line";
    DeleteToEnd "deleteToEnd" ["ctrl+k"] "delete to the end of the line";
    Yank "yank" ["ctrl+y"] "insert what was deleted last";
    YankOlder "yankOlder" ["alt+y"] "after that: what was deleted before it";
    Undo "undo" ["ctrl+-", "ctrl+_"] "undo in the editor";
    Redo "redo" ["alt+_", "ctrl+shift+z"] "redo in the editor";
    Complete "complete" ["tab"] "complete a path, a command or a file";
    PageUp "pageUp" ["pageup"] "a page up";
    PageDown "pageDown" ["pagedown"] "a page down";
}

/// Names that were used before, and what they are called now.
const OLD_NAMES: [(&str, &str); 9] = [
    ("app.interrupt", "interrupt"),
    ("app.clear", "clear"),
    ("app.exit", "exit"),
    ("app.suspend", "suspend"),
    ("expandTools", "expand"),
    ("cycleThinkingLevel", "cycleThinking"),
    ("cycleModelForward", "nextModel"),
    ("cycleModelBackward", "previousModel"),
    ("dequeue", "takeBack"),
];

impl Action {
    /// Every action.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|(action, ..)| *action)
    }

    /// Its name in the keybindings file.
    #[must_use]
    pub fn id(self) -> &'static str {
        TABLE.get(self as usize).map_or("", |(_, id, ..)| id)
    }

    /// What it does.
    #[must_use]
    pub fn about(self) -> &'static str {
        TABLE.get(self as usize).map_or("", |(.., about)| about)
    }

    fn from_id(id: &str) -> Option<Self> {
        let id = OLD_NAMES.iter().find(|(old, _)| *old == id).map_or(id, |(_, new)| new);
        TABLE.iter().find(|(_, known, ..)| *known == id).map(|(action, ..)| *action)
    }
}

/// The keys in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keymap {
    chords: BTreeMap<Action, Vec<Key>>,
    actions: BTreeMap<Key, Action>,
}

impl Default for Keymap {
    fn default() -> Self {
        let chords = TABLE.iter().map(|(action, _, chords, _)| {
            (*action, chords.iter().filter_map(|chord| Key::parse(chord)).collect())
        });
        Self::of(chords.collect()).0
    }
}

impl Keymap {
    /// Reads the user's file: an object of action names, each with a chord or a list of them; an empty list turns an action
    /// off. What is wrong is returned and the rest holds.
    #[must_use]
    pub fn parse(text: &str) -> (Self, Vec<String>) {
        let mut chords = Self::default().chords;
        let mut faults = Vec::new();
        let object = match serde_json::from_str::<Value>(text) {
            Ok(Value::Object(object)) => object,
            Ok(_) => return (Self::default(), vec!["keybindings.json must hold an object".to_owned()]),
            Err(error) => {
                return (Self::default(), vec![format!("keybindings.json is not valid JSON: {error}")]);
            }
        };
        let mut own = Vec::new();
        for (id, value) in &object {
            let Some(action) = Action::from_id(id) else {
                faults.push(format!("unknown action `{id}`; /hotkeys lists them all"));
                continue;
            };
            let texts: Vec<&str> = match value {
                Value::String(chord) => vec![chord],
                Value::Array(list) => list.iter().filter_map(Value::as_str).collect(),
                _ => {
                    faults.push(format!("`{id}` needs a chord such as \"ctrl+x\", or a list of them"));
                    continue;
                }
            };
            let keys: Vec<Key> = texts
                .into_iter()
                .filter_map(|text| {
                    let key = Key::parse(text);
                    if key.is_none() {
                        faults.push(format!(
                            "`{text}` of `{id}` is not a key; write it as \"ctrl+shift+x\" or \"f5\""
                        ));
                    }
                    key
                })
                .collect();
            own.extend(keys.iter().map(|key| (*key, action)));
            chords.insert(action, keys);
        }
        // A chord that the user gives to one action is taken from the action that has it by default.
        for (key, action) in &own {
            for (other, keys) in &mut chords {
                if other != action && !own.contains(&(*key, *other)) {
                    keys.retain(|known| known != key);
                }
            }
        }
        let (keymap, conflicts) = Self::of(chords);
        faults.extend(conflicts);
        (keymap, faults)
    }

    fn of(chords: BTreeMap<Action, Vec<Key>>) -> (Self, Vec<String>) {
        let mut actions: BTreeMap<Key, Action> = BTreeMap::new();
        let mut conflicts = Vec::new();
        for (action, keys) in &chords {
            for key in keys {
                if let Some(first) = actions.get(key) {
                    conflicts.push(format!(
                        "{key} is bound to both `{}` and `{}`; `{}` gets it",
                        first.id(),
                        action.id(),
                        first.id()
                    ));
                } else {
                    actions.insert(*key, *action);
                }
            }
        }
        (Self { chords, actions }, conflicts)
    }

    /// What a key does.
    #[must_use]
    pub fn action(&self, key: &Key) -> Option<Action> {
        self.actions.get(key).copied()
    }

    /// The keys of an action.
    #[must_use]
    pub fn keys(&self, action: Action) -> &[Key] {
        self.chords.get(&action).map_or(&[], Vec::as_slice)
    }

    /// The first key of an action, as text; empty if it has none.
    #[must_use]
    pub fn hint(&self, action: Action) -> String {
        self.keys(action).first().map(ToString::to_string).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_have_no_conflicts_and_every_chord_is_a_key() {
        for (at, (action, id, chords, about)) in TABLE.iter().enumerate() {
            assert_eq!((*action as usize, Action::from_id(id)), (at, Some(*action)));
            assert!(chords.iter().all(|chord| Key::parse(chord).is_some()), "{id}");
            assert!(!about.is_empty());
        }
        let (_, faults) = Keymap::parse("{}");
        assert_eq!(faults, Vec::<String>::new());
    }

    #[test]
    fn the_users_file_wins_and_its_faults_are_reported() {
        let (keymap, faults) = Keymap::parse(
            r#"{"selectModel": ["ctrl+x", "f2"], "expandTools": "ctrl+p", "exit": [], "nothing": "a", "tree": "hyper+q", "plan": 3}"#,
        );
        let action = |chord: &str| keymap.action(&Key::parse(chord).unwrap());
        assert_eq!((action("f2"), action("ctrl+l")), (Some(Action::SelectModel), None));
        assert_eq!((action("ctrl+p"), action("ctrl+d")), (Some(Action::Expand), None));
        assert_eq!(faults.len(), 3, "{faults:?}");
        let (_, faults) = Keymap::parse(r#"{"tree": "f3", "jobs": "f3"}"#);
        assert_eq!(faults, ["f3 is bound to both `tree` and `jobs`; `tree` gets it"]);
        assert_eq!(Keymap::parse("[").1.len(), 1);
    }
}
