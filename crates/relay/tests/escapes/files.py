"""Writing outside: every way to change the content, the name or the attributes of a file."""

import ctypes
import fcntl
import os
import stat
import struct
import subprocess
import sys
import tempfile
import threading
import time

from common import Absent, IN, OUT, attempt, call, outside, put

AT_FDCWD = -100


@attempt
def write_new():
    return put(outside("write_new", "new"))


@attempt
def write_append():
    return put(outside("write_append", "file"), flags=os.O_WRONLY | os.O_APPEND)


@attempt
def write_relative():
    os.chdir(outside("write_relative"))
    return put("file")


@attempt
def write_dot_dot():
    return put(os.path.join(IN, "..", os.path.basename(OUT), "write_dot_dot", "file"))


@attempt
def write_through_proc_cwd():
    os.chdir(outside("write_through_proc_cwd"))
    return put("/proc/self/cwd/file")


@attempt
def write_through_proc_root():
    return put("/proc/self/root" + outside("write_through_proc_root", "file"))


@attempt
def write_reopened():
    fd = os.open(outside("write_reopened", "file"), os.O_RDONLY)
    return put(f"/proc/self/fd/{fd}", flags=os.O_WRONLY)


@attempt
def write_below_path_descriptor():
    folder = os.open(outside("write_below_path_descriptor"), os.O_PATH)
    fd = os.open("file", os.O_WRONLY, dir_fd=folder)
    return os.write(fd, b"escaped") > 0


@attempt
def write_through_symlink():
    link = os.path.join(IN, "link")
    os.symlink(outside("write_through_symlink", "file"), link)
    return put(link, flags=os.O_WRONLY)


@attempt
def write_through_symlinked_folder():
    link = os.path.join(IN, "folder-link")
    os.symlink(outside("write_through_symlinked_folder"), link)
    return put(os.path.join(link, "file"), flags=os.O_WRONLY)


@attempt
def write_home():
    return put(os.path.join(os.environ["HOME"], ".bashrc"))


@attempt
def write_tmp():
    name = tempfile.mktemp(dir="/tmp", prefix="relay-escape-")
    put(name)
    os.unlink(name)
    return True


@attempt
def write_shared_memory():
    # With bubblewrap the folder is a new one. The stage looks whether anything came out.
    put("/dev/shm/" + os.environ["STAGE_SHARED"])
    return False


@attempt
def write_git_hook():
    return put(outside("write_git_hook", ".git", "hooks", "pre-commit"))


@attempt
def write_git_config():
    return put(outside("write_git_config", ".git", "config"))


@attempt
def truncate_at_open():
    os.close(os.open(outside("truncate_at_open", "file"), os.O_WRONLY | os.O_TRUNC))
    return True


@attempt
def truncate_reading():
    os.close(os.open(outside("truncate_reading", "file"), os.O_RDONLY | os.O_TRUNC))
    return True


@attempt
def truncate_by_name():
    os.truncate(outside("truncate_by_name", "file"), 0)
    return True


@attempt
def rename_outside():
    os.rename(outside("rename_outside", "file"), outside("rename_outside", "moved"))
    return True


@attempt
def rename_in():
    os.rename(outside("rename_in", "file"), os.path.join(IN, "stolen"))
    return True


@attempt
def rename_out():
    put(os.path.join(IN, "mine"))
    os.rename(os.path.join(IN, "mine"), outside("rename_out", "file"))
    return True


@attempt
def rename_exchange():
    put(os.path.join(IN, "exchanged"))
    target = outside("rename_exchange", "file").encode()
    return call(316, AT_FDCWD, os.path.join(IN, "exchanged").encode(), AT_FDCWD, target, 2) == 0


@attempt
def rename_writable_folder():
    """Moves the writable folder itself away and puts another in its place."""
    os.rename(IN, IN + ".moved")
    os.rename(IN + ".moved", IN)
    return True


@attempt
def remove_file():
    os.unlink(outside("remove_file", "file"))
    return True


@attempt
def remove_folder():
    os.rmdir(outside("remove_folder", "empty"))
    return True


@attempt
def make_folder():
    os.mkdir(outside("make_folder", "new"))
    return True


@attempt
def make_symlink():
    os.symlink("x", outside("make_symlink", "new"))
    return True


@attempt
def make_fifo():
    os.mkfifo(outside("make_fifo", "new"))
    return True


@attempt
def make_socket_node():
    os.mknod(outside("make_socket_node", "new"), stat.S_IFSOCK | 0o600)
    return True


@attempt
def make_unnamed_file():
    fd = os.open(outside("make_unnamed_file"), os.O_TMPFILE | os.O_WRONLY, 0o600)
    return os.write(fd, b"escaped") > 0


@attempt
def hard_link_out():
    put(os.path.join(IN, "linked"))
    os.link(os.path.join(IN, "linked"), outside("hard_link_out", "new"))
    return True


@attempt
def hard_link_in():
    inside = os.path.join(IN, "hard")
    os.link(outside("hard_link_in", "file"), inside)
    return put(inside, flags=os.O_WRONLY)


@attempt
def hard_link_by_descriptor():
    fd = os.open(outside("hard_link_by_descriptor", "file"), os.O_RDONLY)
    inside = os.path.join(IN, "hard-by-descriptor")
    call(265, AT_FDCWD, f"/proc/self/fd/{fd}".encode(), AT_FDCWD, inside.encode(), 0x400)
    return put(inside, flags=os.O_WRONLY)


@attempt
def device_block():
    """A device of one's own is the whole disk."""
    return make_device("block", stat.S_IFBLK, os.makedev(7, 0))


@attempt
def device_character():
    return make_device("character", stat.S_IFCHR, os.makedev(1, 1))


def make_device(name, kind, number):
    if os.getuid() != 0:
        raise Absent("only root makes devices")
    os.mknod(os.path.join(IN, name), kind | 0o600, number)
    return True


@attempt
def device_disk_written():
    """The disk that is there already, opened for writing and left alone."""
    disks = [d for d in ("/dev/loop0", "/dev/sda", "/dev/vda", "/dev/nvme0n1") if os.path.exists(d)]
    if os.getuid() != 0 or not disks:
        raise Absent("no disk, or not root")
    os.close(os.open(disks[0], os.O_WRONLY))
    return True


def race(swap, write, seconds):
    """Swaps and writes at the same time; the stage looks whether anything arrived outside."""
    until = time.time() + seconds
    done = threading.Event()

    def swapping():
        while not done.is_set():
            try:
                swap()
            except OSError:
                pass

    thread = threading.Thread(target=swapping)
    thread.start()
    arrived = False
    while time.time() < until and not arrived:
        try:
            arrived = write()
        except OSError:
            pass
    done.set()
    thread.join()
    return arrived


SECONDS = float(os.environ.get("STAGE_RACE_SECONDS", "0.3"))


@attempt
def race_symlink():
    """A folder that becomes a link to the outside between the look and the write."""
    base, target = os.path.join(IN, "race"), outside("race_symlink")
    folder, link = base + ".folder", base + ".link"
    os.mkdir(folder)
    os.symlink(target, link)
    os.symlink("nowhere", base)

    def swap():
        for source in (folder, link):
            os.symlink(source, base + ".new")
            os.rename(base + ".new", base)

    def write():
        put(os.path.join(base, "raced"))
        return os.path.exists(os.path.join(target, "raced"))

    return race(swap, write, SECONDS)


@attempt
def race_rename():
    """A folder that is moved out while something is written below it."""
    inside, target = os.path.join(IN, "moving"), outside("race_rename", "moved")
    os.mkdir(inside)
    folder = os.open(inside, os.O_PATH)

    def swap():
        os.rename(inside, target)
        os.rename(target, inside)

    def write():
        os.close(os.open("raced", os.O_WRONLY | os.O_CREAT, dir_fd=folder))
        return os.path.exists(os.path.join(target, "raced"))

    return race(swap, write, SECONDS)


@attempt
def attributes_mode():
    os.chmod(outside("attributes_mode", "file"), 0o777)
    return True


@attempt
def attributes_mode_by_descriptor():
    os.fchmod(os.open(outside("attributes_mode_by_descriptor", "file"), os.O_RDONLY), 0o777)
    return True


@attempt
def attributes_owner():
    if os.getuid() != 0:
        raise Absent("only root gives files away")
    os.chown(outside("attributes_owner", "file"), 1, 1)
    return True


@attempt
def attributes_times():
    os.utime(outside("attributes_times", "file"), (1, 1))
    return True


@attempt
def attributes_extended():
    os.setxattr(outside("attributes_extended", "file"), "user.escaped", b"1")
    return True


@attempt
def attributes_access_list():
    # Version 2; owner, a user, group, mask, others.
    entries = [(1, 6, -1), (2, 7, 1), (4, 4, -1), (16, 7, -1), (32, 4, -1)]
    value = struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *entry) for entry in entries)
    os.setxattr(outside("attributes_access_list", "file"), "system.posix_acl_access", value)
    return True


@attempt
def attributes_flags():
    """`chattr`, which needs no right to write to the file."""
    fd = os.open(outside("attributes_flags", "file"), os.O_RDONLY)
    flags = bytearray(8)
    fcntl.ioctl(fd, 0x80086601, flags)
    value = struct.unpack_from("<I", flags)[0] | 0x40
    fcntl.ioctl(fd, 0x40086602, struct.pack("<Q", value))
    return True


@attempt
def attributes_flags_high_bits():
    """The same request with bits that the kernel ignores and a careless filter compares."""
    fd = os.open(outside("attributes_flags_high_bits", "file"), os.O_RDONLY)
    flags = ctypes.c_ulong(0)
    fcntl.ioctl(fd, 0x80086601, flags)
    flags.value |= 0x40
    return call(16, fd, 0x40086602 | (1 << 40), ctypes.byref(flags)) == 0


@attempt
def daemon_writes_later():
    """A process with its own session and no environment, which writes when nobody looks any more."""
    code = f"import time; time.sleep(0.4); open({outside('daemon_writes_later', 'late')!r}, 'w')"
    subprocess.Popen([sys.executable, "-c", code], start_new_session=True, env={})
    time.sleep(0.9)
    return os.path.exists(outside("daemon_writes_later", "late"))


@attempt
def program_from_memory():
    """Runs a program that is in no file."""
    fd = os.memfd_create("sh", 0)
    with open("/bin/sh", "rb") as source:
        os.write(fd, source.read())
    line = f"echo escaped > {outside('program_from_memory', 'new')}"
    return subprocess.run([f"/proc/self/fd/{fd}", "-c", line], pass_fds=[fd]).returncode == 0


@attempt
def program_with_preloaded_library():
    library = os.environ.get("STAGE_LIBRARY")
    if not library:
        raise Absent("no compiler")
    target = outside("program_with_preloaded_library", "new")
    subprocess.run(["/bin/cat", "/dev/null"], env={"LD_PRELOAD": library, "TARGET": target})
    return os.path.exists(target)


@attempt
def relay_confines_itself_wider():
    """Asks Relay for a sandbox that may write everywhere."""
    target = outside("relay_confines_itself_wider", "new")
    relay = os.environ["STAGE_RELAY"]
    line = [relay, "__confine", "--write", "/", "--", "sh", "-c", f"echo escaped > {target}"]
    subprocess.run(line)
    return os.path.exists(target)


@attempt
def rights_of_another_user():
    """Programs that run as another user, such as sudo, get no rights by that."""
    with open("/proc/self/status") as status:
        return "NoNewPrivs:\t0" in status.read()


def protected(*rest):
    """What may not be written to although it is in the folder that may."""
    return os.path.join(IN, ".git", *rest)


@attempt
def protected_hook_made():
    path = protected("hooks", "post-commit")
    put(path)
    os.unlink(path)
    return True


@attempt
def protected_hook_changed():
    return put(protected("hooks", "pre-push"), "untouched")


@attempt
def protected_hook_removed():
    path = protected("hooks", "pre-commit")
    os.unlink(path)
    return True


@attempt
def protected_hooks_moved():
    os.rename(protected("hooks"), protected("moved"))
    os.rename(protected("moved"), protected("hooks"))
    return True


@attempt
def protected_config_appended():
    return put(protected("config"), "", os.O_WRONLY | os.O_APPEND)


@attempt
def protected_config_replaced():
    put(protected("config.new"), "untouched")
    os.rename(protected("config.new"), protected("config"))
    return True


@attempt
def protected_config_truncated():
    os.truncate(protected("config"), 9)
    return True


@attempt
def protected_state_written():
    path = os.path.join(IN, ".relaycode", "planted")
    put(path)
    os.unlink(path)
    return True


@attempt
def protected_project_config_linked():
    path = os.path.join(IN, "relaycode.config.json")
    os.unlink(path)
    os.symlink("/etc/hostname", path)
    os.unlink(path)
    return put(path, "untouched")


@attempt
def read_secret():
    with open(outside("read_secret", "file")) as secret:
        return bool(secret.read())
