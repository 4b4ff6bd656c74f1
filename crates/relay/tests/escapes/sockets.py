"""Reaching other programs of the user: local sockets of every kind, and the variables that name them."""

import os
import socket
import subprocess

from common import Absent, IN, attempt, outside


def asked(kind, address):
    """Whether somebody who listens outside was reached."""
    with socket.socket(socket.AF_UNIX, kind) as client:
        client.settimeout(3)
        client.connect(address)
        return client.send(b"escaped") > 0


@attempt
def unix_stream():
    return asked(socket.SOCK_STREAM, os.environ["STAGE_STREAM"])


@attempt
def unix_datagram():
    return asked(socket.SOCK_DGRAM, os.environ["STAGE_DATAGRAM"])


@attempt
def unix_sequence():
    return asked(socket.SOCK_SEQPACKET, os.environ["STAGE_SEQUENCE"])


@attempt
def unix_abstract_stream():
    return asked(socket.SOCK_STREAM, "\0" + os.environ["STAGE_ABSTRACT"])


@attempt
def unix_abstract_datagram():
    return asked(socket.SOCK_DGRAM, "\0" + os.environ["STAGE_ABSTRACT"])


@attempt
def unix_through_symlink():
    link = os.path.join(IN, "socket")
    os.symlink(os.environ["STAGE_STREAM"], link)
    return asked(socket.SOCK_STREAM, link)


@attempt
def unix_pair_sends_elsewhere():
    """A pair needs no address, but one of datagrams may be sent to any."""
    one, _two = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    return one.sendto(b"escaped", os.environ["STAGE_DATAGRAM"]) > 0


@attempt
def unix_pair_connects_elsewhere():
    one, _two = socket.socketpair(socket.AF_UNIX, socket.SOCK_RAW)
    one.connect(os.environ["STAGE_DATAGRAM"])
    return one.send(b"escaped") > 0


@attempt
def unix_stream_pair_connects_elsewhere():
    """The pair that is allowed: it cannot be turned towards anybody else."""
    for kind in (socket.SOCK_STREAM, socket.SOCK_SEQPACKET):
        one, _two = socket.socketpair(socket.AF_UNIX, kind)
        try:
            one.connect(os.environ["STAGE_STREAM"])
            return True
        except OSError:
            pass
    return False


@attempt
def unix_listening():
    """A socket by which somebody outside would hand in a descriptor."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(os.path.join(IN, "listener"))
        listener.listen()
        return True


@attempt
def tmux_runs_a_command():
    server = os.environ.get("STAGE_TMUX")
    if not server:
        raise Absent("no tmux")
    target = outside("tmux_runs_a_command", "new")
    subprocess.run(["tmux", "-S", server, "run-shell", f"echo escaped > {target}"], timeout=10)
    return os.path.exists(target)


def family(number, kind=socket.SOCK_DGRAM, protocol=0):
    socket.socket(number, kind, protocol).close()
    return True


@attempt
def family_hypervisor():
    return family(40, socket.SOCK_STREAM)


@attempt
def family_packets():
    return family(17, socket.SOCK_RAW)


@attempt
def family_crypto():
    return family(38, 5)


@attempt
def family_audit():
    return family(16, socket.SOCK_RAW, 9)


@attempt
def family_device_events():
    return family(16, socket.SOCK_RAW, 15)


@attempt
def environment_names():
    """Variables that the stage has set and that name a way out."""
    names = ["TMUX", "DBUS_SESSION_BUS_ADDRESS", "SSH_AUTH_SOCK", "DISPLAY", "WAYLAND_DISPLAY", "DOCKER_HOST"]
    return any(name in os.environ for name in names)


def internet(kind, address):
    with socket.socket(kind) as client:
        client.settimeout(3)
        client.connect((address, int(os.environ["STAGE_PORT"])))
        return True


def answered(family, address):
    """Whether a datagram gets an answer, as a question for a name would."""
    with socket.socket(family, socket.SOCK_DGRAM) as asking:
        asking.settimeout(1)
        asking.sendto(b"who", (address, int(os.environ["STAGE_PORT"])))
        return asking.recv(16) == b"me"


@attempt
def internet_datagram():
    return answered(socket.AF_INET, "127.0.0.1")


@attempt
def internet_datagram_6():
    if "STAGE_HAS_6" not in os.environ:
        raise Absent("this machine has no IPv6")
    return answered(socket.AF_INET6, "::1")


@attempt
def internet_names():
    """A name server is asked, as the C library asks it: a datagram to port 53 becomes one to the stage's port."""
    question = b"\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x07example\x03com\x00\x00\x01\x00\x01"
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        asking.settimeout(2)
        asking.sendto(question, ("127.0.0.1", int(os.environ["STAGE_PORT"])))
        return len(asking.recv(512)) > 0


@attempt
def internet_of_this_machine():
    return internet(socket.AF_INET, "127.0.0.1")


@attempt
def internet_of_this_machine_6():
    if not os.environ.get("STAGE_HAS_6"):
        raise Absent("no IPv6")
    return internet(socket.AF_INET6, "::1")
