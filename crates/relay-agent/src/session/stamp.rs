//! Times and ids of new entries.
//!
//! They come from outside the log, so that the log itself is a function of what was appended: tests pass their own.

use jiff::Timestamp;

/// Where times and ids come from.
pub trait Stamps: std::fmt::Debug + Send {
    /// The current time.
    fn now(&mut self) -> Timestamp;

    /// Random bits for an id.
    fn random(&mut self) -> u64;
}

/// The system's clock and random numbers.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemStamps;

impl Stamps for SystemStamps {
    fn now(&mut self) -> Timestamp {
        Timestamp::now()
    }

    fn random(&mut self) -> u64 {
        // A system without random numbers still has a clock; ids only have to differ within one session, and every new
        // one is compared with those there are.
        let clock = || Timestamp::now().as_nanosecond().unsigned_abs();
        getrandom::u64().unwrap_or_else(|_| u64::try_from(clock() & u128::from(u64::MAX)).unwrap_or_default())
    }
}

/// A time as session files have it: `2026-02-16T10:20:30.000Z`.
#[must_use]
pub fn iso(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string()
}

/// The time an entry names, in milliseconds since 1970.
#[must_use]
pub fn milliseconds(iso: &str) -> Option<i64> {
    iso.parse::<Timestamp>().ok().map(Timestamp::as_millisecond)
}

/// An entry's id: eight hexadecimal digits that `is_taken` does not know.
pub(crate) fn entry_id(stamps: &mut dyn Stamps, is_taken: impl Fn(&str) -> bool) -> String {
    for _ in 0..100 {
        let id = format!("{:08x}", stamps.random() >> 32);
        if !is_taken(&id) {
            return id;
        }
    }
    // So full that eight digits no longer find a gap; a longer id is legal and unique.
    loop {
        let id = format!("{:016x}", stamps.random());
        if !is_taken(&id) {
            return id;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_three_digits_after_the_second() {
        let time = Timestamp::from_millisecond(1_771_237_230_007).unwrap();
        assert_eq!(iso(time), "2026-02-16T10:20:30.007Z");
        assert_eq!(milliseconds("2026-02-16T10:20:30.007Z"), Some(1_771_237_230_007));
        assert_eq!(milliseconds("yesterday"), None);
    }

    #[test]
    fn a_taken_id_is_not_used_again() {
        #[derive(Debug)]
        struct Counting(u64);
        impl Stamps for Counting {
            fn now(&mut self) -> Timestamp {
                Timestamp::UNIX_EPOCH
            }
            fn random(&mut self) -> u64 {
                self.0 += 1;
                self.0 << 32
            }
        }
        assert_eq!(entry_id(&mut Counting(0), |_| false), "00000001");
        assert_eq!(entry_id(&mut Counting(0), |id| id == "00000001"), "00000002");
        assert_eq!(entry_id(&mut Counting(0), |id| id.len() == 8).len(), 16);
    }
}
