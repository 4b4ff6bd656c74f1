"""Prints the names of all attempts."""

import common
import files
import kernel
import processes
import sockets

print("\n".join(common.ATTEMPTS))
