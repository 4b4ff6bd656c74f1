"""What the attempts share: raw system calls, and the words for what came of one."""

import ctypes
import errno
import os
import platform

ATTEMPTS = {}
LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.syscall.restype = ctypes.c_long

OUT = os.environ.get("STAGE_OUT", "")
IN = os.environ.get("STAGE_IN", "")
REFUSED = (errno.EPERM, errno.ENOSYS, errno.EACCES, errno.EROFS)


class Absent(Exception):
    """This machine has no such thing, with or without a sandbox."""


def attempt(function):
    """Registers an attempt. It returns whether it got out; an error of the system means that it did not."""
    ATTEMPTS[function.__name__] = function
    return function


def outside(name, *rest):
    """The attempt's own folder outside what may be written."""
    return os.path.join(OUT, name, *rest)


def x86():
    if platform.machine() != "x86_64":
        raise Absent("the numbers of system calls are those of x86_64")


def call(number, *arguments):
    """A raw system call; raises what the system says."""
    x86()
    ctypes.set_errno(0)
    result = LIBC.syscall(ctypes.c_long(number), *[
        ctypes.c_long(a) if isinstance(a, int) else a for a in arguments
    ])
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def reaches(number, *arguments):
    """Whether the kernel got to look at a call, be it with arguments that it does not like."""
    try:
        call(number, *arguments)
        return True
    except OSError as error:
        return error.errno not in REFUSED


def put(path, text="escaped", flags=os.O_WRONLY | os.O_CREAT):
    fd = os.open(path, flags, 0o644)
    os.write(fd, text.encode())
    os.close(fd)
    return True
