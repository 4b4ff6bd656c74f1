//! Keeps agents from calling each other in circles.

use super::AskError;

/// Passes an agent its depth in a chain of questions.
pub const DEPTH_VARIABLE: &str = "PHONE_A_FRIEND_DEPTH";
/// Names the agent that runs Relay.
pub const HOST_VARIABLE: &str = "PHONE_A_FRIEND_HOST";
/// Relay's own names for both, which are read too. Agents get the names above, because other tools know them.
const OWN: [&str; 2] = ["RELAY_DEPTH", "RELAY_HOST"];
/// No question inside a question.
const LIMIT: u64 = 1;

/// Variables that agents set for the programs they run.
const HOSTS: [(&str, &str); 4] = [
    ("CLAUDECODE", "claude"),
    ("GEMINI_CLI", "gemini"),
    ("OPENCODE", "opencode"),
    ("CODEX_SANDBOX", "codex"),
];

/// The position of this process in a chain of questions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Depth {
    depth: u64,
    hosts: Vec<String>,
}

impl Depth {
    /// Reads the environment. A depth that is not a plain number counts as zero.
    pub fn new(variable: impl Fn(&str) -> Option<String>) -> Self {
        let is_number = |text: &String| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        // A number that overflows is certainly too deep.
        let depth_in =
            |name| variable(name).filter(is_number).map_or(0, |text| text.parse().unwrap_or(u64::MAX));
        let [own_depth, own_host] = OWN;
        let depth = depth_in(DEPTH_VARIABLE).max(depth_in(own_depth));
        let told = [HOST_VARIABLE, own_host].into_iter().filter_map(&variable);
        let seen = HOSTS
            .iter()
            .filter(|(name, _)| variable(name).is_some_and(|value| !value.is_empty() && value != "0"))
            .map(|(_, host)| (*host).to_owned());
        Self { depth, hosts: told.chain(seen).collect() }
    }

    /// The depth of what a backend would run.
    ///
    /// # Errors
    /// It would be too deep, or the backend would ask itself.
    pub fn next(&self, backend: &str) -> Result<String, AskError> {
        if self.depth >= LIMIT {
            return Err(AskError::TooDeep { depth: self.depth, limit: LIMIT });
        }
        if self.hosts.iter().any(|host| host == backend) {
            return Err(AskError::OwnHost { backend: backend.to_owned() });
        }
        Ok((self.depth + 1).to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(variables: &[(&str, &str)], backend: &str) -> Result<String, String> {
        let variable = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        Depth::new(variable).next(backend).map_err(|error| error.to_string())
    }

    #[test]
    fn a_question_inside_a_question_is_refused() {
        assert_eq!(check(&[], "codex").as_deref(), Ok("1"));
        for deep in ["1", "2", "01", "99999999999999999999999"] {
            assert!(check(&[(DEPTH_VARIABLE, deep)], "codex").unwrap_err().contains("depth limit"), "{deep}");
        }
    }

    #[test]
    fn invalid_numbers_count_as_zero() {
        for odd in ["", "1abc", "-1", "+1", " 1", "1.0", "\u{661}", "0"] {
            assert_eq!(check(&[(DEPTH_VARIABLE, odd)], "codex").as_deref(), Ok("1"), "{odd:?}");
        }
    }

    #[test]
    fn no_agent_asks_itself() {
        assert!(check(&[(HOST_VARIABLE, "codex")], "codex").unwrap_err().contains("itself"));
        assert!(check(&[("CLAUDECODE", "1")], "claude").is_err());
        assert!(check(&[("CLAUDECODE", "1")], "codex").is_ok());
        assert!(check(&[("CLAUDECODE", "0")], "claude").is_ok());
    }
}
