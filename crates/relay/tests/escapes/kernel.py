"""Asking the kernel for more: mounts, namespaces, keyrings, and what only root should have.

Most calls are made with arguments that cannot do any harm. What counts is whether the kernel got to look at them.
"""

import ctypes
import mmap
import os

from common import Absent, IN, attempt, call, outside, put, reaches, x86

NULL = 0
NOWHERE = ctypes.c_char_p(b"/nonexistent/relay-escape")


def forked(work):
    """Does something to a process that nobody needs any more."""
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if work() else 1)
        except OSError:
            os._exit(1)
    return os.waitpid(child, 0)[1] == 0


@attempt
def namespace_of_users():
    return forked(lambda: call(272, 0x10000000) == 0)


@attempt
def namespace_of_mounts():
    return forked(lambda: call(272, 0x00020000) == 0)


@attempt
def namespace_of_network():
    return forked(lambda: call(272, 0x40000000) == 0)


@attempt
def namespace_of_users_by_clone():
    child = call(56, 0x10000000 | 17, 0, 0, 0, 0)
    if child == 0:
        os._exit(0)
    return os.waitpid(child, 0)[1] == 0


@attempt
def namespace_by_clone3():
    """Its flags are behind a pointer, where no filter can look."""
    arguments = (ctypes.c_uint64 * 11)(0x10000000, 0, 0, 0, 17)
    child = call(435, arguments, 88)
    if child == 0:
        os._exit(0)
    return os.waitpid(child, 0)[1] == 0


@attempt
def namespace_joined():
    """Joining needs a descriptor; one that is none is enough to see whether the kernel looks."""
    return reaches(308, -1, 0)


@attempt
def mount_made():
    return reaches(165, NOWHERE, NOWHERE, ctypes.c_char_p(b"tmpfs"), 0, NULL)


@attempt
def mount_removed():
    return reaches(166, NOWHERE, 0)


@attempt
def mount_by_parts():
    return reaches(430, ctypes.c_char_p(b"no-such-system"), 0)


@attempt
def mount_tree_cloned():
    return reaches(428, -100, NOWHERE, 0x1)


@attempt
def mount_moved():
    return reaches(429, -100, NOWHERE, -100, NOWHERE, 0)


@attempt
def mount_changed():
    return reaches(442, -100, NOWHERE, 0, NULL, 32)


@attempt
def root_changed():
    return reaches(161, NOWHERE)


@attempt
def root_pivoted():
    return reaches(155, NOWHERE, NOWHERE)


@attempt
def key_added():
    name = ctypes.c_char_p(b"relay-escape")
    return call(248, ctypes.c_char_p(b"user"), name, name, 4, -1) > 0


@attempt
def key_requested():
    return reaches(249, ctypes.c_char_p(b"user"), ctypes.c_char_p(b"none"), NULL, 0)


@attempt
def key_ring_joined():
    return forked(lambda: call(250, 1, NULL) > 0)


@attempt
def io_uring_made():
    parameters = ctypes.create_string_buffer(120)
    return call(425, 4, parameters) >= 0


@attempt
def io_uring_used():
    return reaches(426, -1, 0, 0, 0, NULL, 0)


@attempt
def bpf_loaded():
    return reaches(321, 0, NULL, 0)


@attempt
def events_counted():
    return reaches(298, NULL, 0, -1, -1, 0)


@attempt
def page_faults_handled():
    return reaches(323, 1)


@attempt
def kernel_replaced():
    return reaches(246, 0, 99, NULL, 0)


@attempt
def kernel_file_replaced():
    return reaches(320, -1, -1, 0, NULL, 0xffff)


@attempt
def module_loaded():
    return reaches(175, NULL, 0, ctypes.c_char_p(b""))


@attempt
def module_file_loaded():
    return reaches(313, -1, ctypes.c_char_p(b""), 0)


@attempt
def module_removed():
    return reaches(176, NOWHERE, 0o4000)


@attempt
def machine_restarted():
    """With numbers that are not those the kernel asks for."""
    return reaches(169, 1, 2, 3, NULL)


@attempt
def swap_made():
    return reaches(167, NOWHERE, 0)


@attempt
def host_renamed():
    return reaches(170, NULL, -1)


@attempt
def clock_set():
    return reaches(227, 99, NULL)


@attempt
def accounting_started():
    return reaches(163, NOWHERE)


@attempt
def kernel_log_read():
    return reaches(103, 10, NULL, 0)


@attempt
def ports_opened():
    return forked(lambda: reaches(172, 9))


@attempt
def file_by_handle():
    return reaches(304, -1, NULL, 0)


@attempt
def files_watched_for_everybody():
    return reaches(300, 0x10, 0)


@attempt
def numbers_of_x32():
    """The same calls under other numbers; a kernel without them says so."""
    return reaches(0x40000000 | 39)


@attempt
def numbers_of_32_bits():
    """The old way of 32-bit programs: their `getpid`, by interrupt."""
    x86()
    code = b"\xb8\x14\x00\x00\x00\xcd\x80\xc3"
    memory = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    memory.write(code)
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    number = ctypes.CFUNCTYPE(ctypes.c_int)(address)()
    return number == os.getpid()


@attempt
def setting_of_the_kernel():
    path = "/proc/sys/vm/swappiness"
    with open(path) as setting:
        value = setting.read()
    return put(path, value, os.O_WRONLY)


@attempt
def setting_of_a_device():
    path = "/sys/kernel/mm/transparent_hugepage/enabled"
    if not os.path.exists(path):
        raise Absent("no such setting")
    with open(path) as setting:
        value = setting.read().split("[")[1].split("]")[0]
    return put(path, value, os.O_WRONLY)


@attempt
def group_of_processes():
    """A control group of one's own."""
    path = "/sys/fs/cgroup/relay-escape-" + str(os.getpid())
    os.mkdir(path)
    os.rmdir(path)
    return True
