"""Sets a stage and makes the attempts on it, with or without the sandbox.

    stage.py free|plain|mounts|offline-plain|offline-mounts RELAY FOLDER [NAME ...]

The stage is a terminal, files that must not change, a program of the same user, sockets that somebody listens on, and
descriptors left open: everything that a program started from a terminal could reach. An attempt got out if it says so,
or if its own folder outside is not as it was.
"""

import ctypes
import os
import pty
import shutil
import socket
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
KEY = 0x5E1A0000 | (os.getpid() & 0xFFFF)
VICTIM = """
import ctypes, os, signal, sys
memory = ctypes.create_string_buffer(b"untouched")
kept = os.open(sys.argv[1], os.O_RDWR)
signals = open(sys.argv[2], "ab", buffering=0)
signal.signal(signal.SIGUSR1, lambda *_: signals.write(b"x"))
print(ctypes.addressof(memory), kept, flush=True)
while True:
    signal.pause()
"""
LIBRARY = """
#include <stdio.h>
#include <stdlib.h>
__attribute__((constructor)) static void begin(void) {
    FILE *file = fopen(getenv("TARGET"), "w");
    if (file) fclose(file);
}
"""


def look(folder):
    """Everything about a folder that an attempt could have changed."""
    seen = []
    for path, folders, files in os.walk(folder):
        for name in [""] + folders + files:
            place = os.path.join(path, name)
            about = os.lstat(place)
            content = open(place, "rb").read() if os.path.isfile(place) else b""
            named = [(key, os.getxattr(place, key)) for key in os.listxattr(place, follow_symlinks=False)]
            times = about.st_mtime_ns if os.path.isfile(place) else 0
            seen.append((place, about.st_mode, about.st_uid, about.st_nlink, times, content, named))
    return sorted(seen)


def prepare(base, names):
    for name in names:
        folder = os.path.join(base, "out", name)
        os.makedirs(os.path.join(folder, "empty"))
        os.makedirs(os.path.join(folder, ".git", "hooks"))
        for file in ("file", ".git/config"):
            with open(os.path.join(folder, file), "w") as text:
                text.write("untouched")
    for folder in ("in/.git/hooks", "in/.relaycode", "home", "sockets"):
        os.makedirs(os.path.join(base, folder))
    for file in ("in/.git/config", "in/.git/hooks/pre-push", "in/.git/hooks/pre-commit", "in/relaycode.config.json"):
        with open(os.path.join(base, file), "w") as text:
            text.write("untouched")
    with open(os.path.join(base, "home", ".bashrc"), "w") as text:
        text.write("untouched")


def listen(base, environment):
    """Sockets of every kind, with somebody who reads."""
    abstract = "relay-escape-" + str(os.getpid())
    environment["STAGE_ABSTRACT"] = abstract
    environment["TMUX"] = os.path.join(base, "sockets", "tmux") + ",1,0"
    for name in ("DBUS_SESSION_BUS_ADDRESS", "SSH_AUTH_SOCK", "DISPLAY", "WAYLAND_DISPLAY", "DOCKER_HOST"):
        environment[name] = "way-out"
    kinds = {"STREAM": socket.SOCK_STREAM, "DATAGRAM": socket.SOCK_DGRAM, "SEQUENCE": socket.SOCK_SEQPACKET}
    kept = []
    for name, kind in kinds.items():
        addresses = [os.path.join(base, "sockets", name)]
        environment["STAGE_" + name] = addresses[0]
        if name != "SEQUENCE":
            addresses.append("\0" + abstract)
        for address in addresses:
            listener = socket.socket(socket.AF_UNIX, kind)
            listener.bind(address)
            kept.append(listener)
    for family, address in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
        try:
            listener = socket.socket(family)
            listener.bind((address, int(environment.get("STAGE_PORT", "0"))))
        except OSError:
            continue
        environment["STAGE_PORT"] = str(listener.getsockname()[1])
        answering = socket.socket(family, socket.SOCK_DGRAM)
        answering.bind((address, listener.getsockname()[1]))
        threading.Thread(target=answer, args=(answering,), daemon=True).start()
        if family == socket.AF_INET6:
            environment["STAGE_HAS_6"] = "yes"
        kept.append(listener)
    for listener in kept:
        if listener.type != socket.SOCK_DGRAM:
            listener.listen(16)
    return kept


def answer(answering):
    while True:
        question, who = answering.recvfrom(512)
        answering.sendto(b"me", who)


def libc(name, *arguments):
    return getattr(ctypes.CDLL(None, use_errno=True), name)(*arguments)


def share():
    """Shared memory, semaphores and a queue that are found by a key."""
    return libc("shmget", KEY, 4096, 0o1600), libc("semget", KEY, 1, 0o1600), libc("msgget", KEY, 0o1600)


def unshare(shared):
    for call, number in zip(("shmctl", "semctl", "msgctl"), shared):
        arguments = (number, 0, 0) if call == "semctl" else (number, 0, None)
        libc(call, *arguments)


def library(base):
    compiler = shutil.which("cc")
    source, target = os.path.join(base, "library.c"), os.path.join(base, "library.so")
    if not compiler:
        return ""
    with open(source, "w") as text:
        text.write(LIBRARY)
    built = subprocess.run([compiler, "-shared", "-fPIC", "-o", target, source])
    return target if built.returncode == 0 else ""


def play(mode, relay, base, names, chosen):
    prepare(base, names)
    out, inside = os.path.join(base, "out"), os.path.join(base, "in")
    environment = dict(os.environ, HOME=os.path.join(base, "home"), STAGE_OUT=out, STAGE_IN=inside)
    environment.pop("XDG_RUNTIME_DIR", None)
    kept = listen(base, environment)
    shared = share()
    signals = os.path.join(base, "signals")
    open(signals, "w").close()
    victim = subprocess.Popen(
        [sys.executable, "-c", VICTIM, os.path.join(out, "descriptor_taken", "file"), signals],
        stdout=subprocess.PIPE, text=True, cwd=out, start_new_session=True,
        env=dict(environment, STAGE_SECRET="yes"),
    )
    address, descriptor = victim.stdout.readline().split()
    tmux = os.path.join(base, "sockets", "tmux")
    if shutil.which("tmux") and len(tmux) < 100:
        line = ["tmux", "-S", tmux, "-f", "/dev/null", "new-session", "-d", "sleep 600"]
        if subprocess.run(line, env={k: v for k, v in environment.items() if k != "TMUX"}).returncode == 0:
            environment["STAGE_TMUX"] = tmux
    file = os.open(os.path.join(out, "inherited_file", "file"), os.O_WRONLY)
    folder = os.open(os.path.join(out, "inherited_folder"), os.O_RDONLY)
    environment.update(
        STAGE_RELAY=relay, STAGE_PID=str(os.getpid()), STAGE_KEY=str(KEY), STAGE_SIGNALS=signals,
        STAGE_SHARED="relay-escape-" + str(os.getpid()), STAGE_TERMINAL=os.ttyname(0), STAGE_LIBRARY=library(base),
        STAGE_VICTIM=str(victim.pid), STAGE_VICTIM_GROUP=str(victim.pid), STAGE_VICTIM_ADDRESS=address,
        STAGE_VICTIM_DESCRIPTOR=descriptor, STAGE_INHERITED_FILE=str(file), STAGE_INHERITED_FOLDER=str(folder),
    )
    before = {name: look(os.path.join(out, name)) for name in names}
    command = [sys.executable, os.path.join(HERE, "attempts.py")] + chosen
    if mode != "free":
        limits = ["--no-mounts"] if mode.endswith("plain") else []
        limits += ["--no-network"] if mode.startswith("offline") else []
        for name in (".git/hooks", ".git/config", ".relaycode", "relaycode.config.json"):
            limits += ["--protect", os.path.join(inside, name)]
        command = [relay, "__confine", "--write", inside] + limits + ["--"] + command
    run = subprocess.run(
        command, env=environment, cwd=out, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
        pass_fds=[file, folder],
    )
    time.sleep(0.3)
    came_out = {name for name in names if look(os.path.join(out, name)) != before[name]}
    memory = os.path.join("/dev/shm", environment["STAGE_SHARED"])
    if os.path.exists(memory):
        os.unlink(memory)
        came_out.add("write_shared_memory")
    if open(os.path.join(base, "home", ".bashrc")).read() != "untouched":
        came_out.add("write_home")
    if "STAGE_TMUX" in environment:
        subprocess.run(["tmux", "-S", tmux, "kill-server"], stderr=subprocess.DEVNULL)
    for listener in kept:
        listener.close()
    victim.kill()
    unshare(shared)
    return run, came_out


def main():
    mode, relay, base, *chosen = sys.argv[1:]
    sys.path.insert(0, HERE)
    listing = subprocess.run(
        [sys.executable, os.path.join(HERE, "names.py")], stdout=subprocess.PIPE, text=True, check=True
    )
    run, came_out = play(mode, relay, base, listing.stdout.split(), chosen)
    for line in run.stdout.splitlines():
        name, word, *why = line.split(" ", 2)
        if name in came_out and word != "escaped":
            word, why = "escaped", ["its folder outside has changed"]
        print(name, word, *why)
    if run.returncode != 0:
        print(f"the attempts ended with {run.returncode}", file=sys.stderr)
    return run.returncode


# In a terminal of its own, whose other end is read here so that it never fills up. What is printed goes past it.
RESULT = os.dup(1)
child, terminal = pty.fork()
if child == 0:
    os.dup2(RESULT, 1)
    code = main()
    sys.stdout.flush()
    os._exit(code)


def drain():
    try:
        while os.read(terminal, 1 << 16):
            pass
    except OSError:
        pass


threading.Thread(target=drain, daemon=True).start()
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
