"""Makes the attempts, each in a process of its own, and prints what came of them: `NAME escaped|blocked|absent WHY`."""

import os
import signal
import sys

import common
import files
import kernel
import processes
import sockets

ESCAPED, BLOCKED, ABSENT = 0, 1, 2
LIMIT_SECONDS = 20


def make(name, report):
    """The exit code of the process that makes the attempt; what it says goes into the pipe."""
    signal.alarm(LIMIT_SECONDS)
    try:
        return ESCAPED if common.ATTEMPTS[name]() else BLOCKED
    except common.Absent as reason:
        os.write(report, str(reason).encode())
        return ABSENT
    except Exception as error:
        os.write(report, f"{type(error).__name__}: {error}".encode())
        return BLOCKED


def main(names):
    null = os.open(os.devnull, os.O_RDWR)
    for name in names or common.ATTEMPTS:
        reader, writer = os.pipe()
        # What the attempt inherits from here is not the sandbox's doing.
        os.environ["ATTEMPT_DESCRIPTORS"] = "3"
        child = os.fork()
        if child == 0:
            os.dup2(null, 1)
            os.dup2(null, 2)
            os._exit(make(name, writer))
        os.close(writer)
        status = os.waitpid(child, 0)[1]
        why = os.read(reader, 1000).decode().replace("\n", " ")
        os.close(reader)
        if os.WIFSIGNALED(status):
            number = os.WTERMSIG(status)
            word, why = ("hung" if number == signal.SIGALRM else "blocked"), f"ended by signal {number}"
        else:
            word = {ESCAPED: "escaped", BLOCKED: "blocked", ABSENT: "absent"}[os.WEXITSTATUS(status)]
        print(name, word, why, flush=True)


main(sys.argv[1:])
