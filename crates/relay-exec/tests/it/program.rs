//! Programs without a shell: input, and output and errors apart.

use std::path::Path;
use std::time::Duration;

use relay_diagnostics::Cancel;
use relay_exec::{End, Output, Program};

fn run(program: &str, args: &[&str], stdin: Option<&[u8]>) -> Output {
    let program = Program {
        program,
        args,
        cwd: Path::new("/"),
        timeout: Duration::from_secs(120),
        output_limit_bytes: 8 << 20,
        env: &[("EXTRA", "more")],
        stdin,
    };
    program.run(&Cancel::new())
}

#[test]
fn output_and_errors_are_kept_apart() {
    let output =
        run("sh", &["-c", "echo out; echo err >&2; echo \"$1 $EXTRA\"; exit 4", "sh", "a b; $(c)"], None);
    assert!(matches!(output.end, End::Exited(4)), "{output:?}");
    assert_eq!(
        (output.stdout.text().as_str(), output.stderr.text().as_str()),
        ("out\na b; $(c) more\n", "err\n")
    );
}

/// Far more than a pipe holds in either direction, so both must be moved at once.
#[test]
fn a_large_input_goes_through() {
    let input: Vec<u8> = (0..3_000_000_u32).map(|n| (n % 251) as u8).collect();
    let output = run("cat", &[], Some(&input));
    assert!(output.success() && output.stdout.bytes == input && output.stdout.omitted_bytes == 0);
}

#[test]
fn unread_input_is_not_an_error() {
    assert!(run("true", &[], Some(&vec![b'x'; 3_000_000])).success());
    assert_eq!(run("cat", &[], Some(b"")).stdout.text(), "");
    assert_eq!(run("cat", &[], None).stdout.text(), "");
}

#[test]
fn a_missing_program_is_not_started() {
    for program in ["no-such-program-anywhere", "", "./no/such", "/etc/passwd"] {
        let output = run(program, &[], None);
        assert!(matches!(output.end, End::NotStarted(_)), "{program}: {output:?}");
    }
}

#[test]
fn the_time_limit_holds_while_input_is_waiting() {
    let program = Program {
        program: "sleep",
        args: &["300"],
        cwd: Path::new("/"),
        timeout: Duration::from_millis(200),
        output_limit_bytes: 10,
        env: &[],
        stdin: Some(&[0; 1 << 20]),
    };
    assert!(matches!(program.run(&Cancel::new()).end, End::TimedOut));
}

#[test]
fn output_is_streamed_and_errors_are_not() {
    let program = Program {
        program: "sh",
        args: &["-c", "echo one; echo oops >&2; echo two"],
        cwd: Path::new("/"),
        timeout: Duration::from_secs(120),
        output_limit_bytes: 4,
        env: &[],
        stdin: None,
    };
    let mut told = Vec::new();
    let output = program.stream(&Cancel::new(), &mut |bytes| told.extend_from_slice(bytes));
    assert_eq!(String::from_utf8_lossy(&told), "one\ntwo\n");
    assert_eq!((output.stdout.text().as_str(), output.stderr.text().as_str()), ("two\n", "ops\n"));
}
