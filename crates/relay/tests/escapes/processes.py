"""Acting through other processes: their memory, signals, terminals, descriptors."""

import ctypes
import fcntl
import os
import resource
import signal
import socket
import time

from common import Absent, IN, attempt, call, outside, put, reaches, x86


def victim():
    return int(os.environ["STAGE_VICTIM"])


def buffer_of(text):
    data = ctypes.create_string_buffer(text)

    class Vector(ctypes.Structure):
        _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]

    return data, Vector(ctypes.addressof(data), len(text))


@attempt
def ptrace_attach():
    call(101, 0x4206, victim(), 0, 0)
    return True


@attempt
def memory_read():
    address = int(os.environ["STAGE_VICTIM_ADDRESS"])
    data, local = buffer_of(b"\0" * 8)
    remote = type(local)(address, 8)
    return call(310, victim(), ctypes.byref(local), 1, ctypes.byref(remote), 1, 0) == 8


@attempt
def memory_write():
    address = int(os.environ["STAGE_VICTIM_ADDRESS"])
    data, local = buffer_of(b"escaped!")
    remote = type(local)(address, 8)
    return call(311, victim(), ctypes.byref(local), 1, ctypes.byref(remote), 1, 0) == 8


@attempt
def memory_through_proc():
    with open(f"/proc/{victim()}/mem", "r+b", buffering=0) as memory:
        memory.seek(int(os.environ["STAGE_VICTIM_ADDRESS"]))
        return memory.write(b"escaped!") > 0


@attempt
def descriptor_taken():
    pidfd = call(434, victim(), 0)
    fd = call(438, pidfd, int(os.environ["STAGE_VICTIM_DESCRIPTOR"]), 0)
    return os.write(fd, b"escaped") > 0


@attempt
def descriptor_through_proc():
    fd = int(os.environ["STAGE_VICTIM_DESCRIPTOR"])
    return put(f"/proc/{victim()}/fd/{fd}", flags=os.O_WRONLY)


@attempt
def descriptor_compared():
    return call(312, os.getpid(), victim(), 0, 0, 0) >= 0


@attempt
def files_through_victims_root():
    return put(f"/proc/{victim()}/root" + outside("files_through_victims_root", "file"))


@attempt
def files_through_victims_folder():
    return put(f"/proc/{victim()}/cwd/files_through_victims_folder/file")


@attempt
def victims_memory_score():
    return put(f"/proc/{victim()}/oom_score_adj", "500", os.O_WRONLY)


@attempt
def victims_environment_read():
    with open(f"/proc/{victim()}/environ", "rb") as environment:
        return b"STAGE_SECRET" in environment.read()


@attempt
def signal_victim():
    os.kill(victim(), signal.SIGCONT)
    return True


@attempt
def signal_relays_parent():
    os.kill(int(os.environ["STAGE_PID"]), signal.SIGCONT)
    return True


@attempt
def signal_group():
    os.killpg(int(os.environ["STAGE_VICTIM_GROUP"]), signal.SIGCONT)
    return True


@attempt
def signal_everybody():
    """Signal 0 asks whether there is anybody, and hurts nobody. Inside its own processes that is no escape."""
    before = len([name for name in os.listdir("/proc") if name.isdigit()])
    return call(62, -1, 0) == 0 and before > 4


@attempt
def signal_thread():
    return call(234, victim(), victim(), signal.SIGCONT) == 0


@attempt
def signal_by_descriptor():
    pidfd = call(434, victim(), 0)
    return call(424, pidfd, signal.SIGCONT, 0, 0) == 0


@attempt
def signal_queued():
    info = ctypes.create_string_buffer(128)
    ctypes.c_int.from_buffer(info, 0).value = signal.SIGCONT
    ctypes.c_int.from_buffer(info, 8).value = -1
    return call(129, victim(), signal.SIGCONT, info) == 0


@attempt
def signal_by_input():
    """The kernel sends the signal, for input on a pipe that the victim is said to own."""
    count = lambda: os.path.getsize(os.environ["STAGE_SIGNALS"])
    before = count()
    reader, writer = socket.socketpair()
    fcntl.fcntl(reader, fcntl.F_SETOWN, victim())
    fcntl.fcntl(reader, 10, signal.SIGUSR1)
    fcntl.fcntl(reader, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
    writer.send(b"x")
    time.sleep(0.3)
    return count() > before


@attempt
def limits_of_victim():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.prlimit(victim(), resource.RLIMIT_NOFILE, (soft, hard))
    return True


@attempt
def priority_of_victim():
    os.setpriority(os.PRIO_PROCESS, victim(), os.getpriority(os.PRIO_PROCESS, victim()) + 1)
    return True


def terminal():
    return os.environ["STAGE_TERMINAL"]


@attempt
def terminal_controlling():
    os.close(os.open("/dev/tty", os.O_RDWR))
    return True


@attempt
def terminal_typed_into():
    fd = os.open("/dev/tty", os.O_RDWR)
    fcntl.ioctl(fd, 0x5412, b"#")
    return True


@attempt
def terminal_typed_into_by_name():
    fd = os.open(terminal(), os.O_RDONLY | os.O_NOCTTY)
    fcntl.ioctl(fd, 0x5412, b"#")
    return True


@attempt
def terminal_typed_into_high_bits():
    """TIOCSTI with a bit that the kernel ignores: filters that compare 64 bits let it pass."""
    fd = os.open(terminal(), os.O_RDONLY | os.O_NOCTTY)
    return call(16, fd, 0x5412 | (1 << 32), ctypes.c_char_p(b"#")) == 0


@attempt
def terminal_pasted_into():
    """TIOCLINUX pastes on a console; a terminal says that it is none."""
    try:
        fcntl.ioctl(os.open(terminal(), os.O_RDONLY | os.O_NOCTTY), 0x541C, b"\x03")
    except OSError as error:
        return error.errno == 25
    return True


@attempt
def terminal_printed_on():
    return put(terminal(), "\x1b]0;escaped\x07", os.O_WRONLY | os.O_NOCTTY)


@attempt
def terminal_read():
    os.close(os.open(terminal(), os.O_RDONLY | os.O_NOCTTY))
    return True


@attempt
def inherited_file():
    return os.write(int(os.environ["STAGE_INHERITED_FILE"]), b"escaped") > 0


@attempt
def inherited_folder():
    fd = os.open("new", os.O_WRONLY | os.O_CREAT, dir_fd=int(os.environ["STAGE_INHERITED_FOLDER"]))
    return os.write(fd, b"escaped") > 0


@attempt
def inherited_anything():
    """Any descriptor beside the three of every program and the one that lists them."""
    return len(os.listdir("/proc/self/fd")) > 4 + int(os.environ.get("ATTEMPT_DESCRIPTORS", "0"))


@attempt
def shared_memory_by_key():
    shm = call(29, int(os.environ["STAGE_KEY"]), 4096, 0o600)
    return call(30, shm, 0, 0) != 0


@attempt
def semaphores_by_key():
    call(64, int(os.environ["STAGE_KEY"]), 1, 0o1600)
    return True


@attempt
def messages_by_key():
    call(68, int(os.environ["STAGE_KEY"]), 0o1600)
    return True


@attempt
def messages_by_name():
    call(240, ctypes.c_char_p(b"relay-escape"), 0o102, 0o600, 0)
    call(241, ctypes.c_char_p(b"relay-escape"))
    return True
