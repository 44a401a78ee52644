"""Files that a user, or a stranger, names: read whole, and never without an end.

Traces and logs are not read here: they are larger than any limit, and are read a record at a time.
"""

import errno
import os
import stat
from pathlib import Path

BYTES_MAX = 16 * 1024 * 1024
"""More than a scenario, a plan, a baseline or a configuration that people work with."""
NOT_ORDINARY = "it is no ordinary file; copy what it holds into one"


def read_text(path: Path) -> str:
    """Return the text of a file; a ValueError where it is not UTF-8, and OSError as `read_bytes`."""
    return read_bytes(path).decode("utf-8").replace("\r\n", "\n")


class TooLargeError(OSError):
    """A file is larger than whoever reads it takes."""


def read_bytes(path: Path, most: int = BYTES_MAX) -> bytes:
    """Return what a file holds, of `most` bytes.

    OSError where it cannot be read, or is a pipe or a device; TooLargeError, which is one, where it is larger.
    """
    with open(path, "rb", opener=_without_waiting) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, NOT_ORDINARY, str(path))
        data = file.read(most + 1)
    if len(data) > most:
        raise TooLargeError(errno.EINVAL, f"it is larger than {most:,} bytes", str(path))
    return data


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))  # a pipe waits for somebody who writes
