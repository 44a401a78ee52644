"""Files that are written either completely or not at all.

A file is written in the folder of its place, under another name, and moved to its place in one step. Another process
watches this one, and is notified of each write that begins or ends, so that it can delete an unfinished file if this
process dies. If both processes are killed, the next command that uses the folder deletes the unfinished file
(`clear_left`).
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from enum import StrEnum
from itertools import count
from pathlib import Path

from gridproof_model.user_error import NO_ROOM


@contextmanager
def written_whole(place: Path, publish: Callable[[Path, Path], object] | None = None) -> Iterator[Path]:
    """Yield a path beside `place` for a file or a folder; what is written there moves to `place` when the block ends.

    If the block raises an error, the new file is deleted, and the old file stays. If `place` is a link, the link stays,
    and its target is replaced. Raise OSError, with `place` as the file name, if it cannot be written.
    """
    target = Path(os.path.realpath(place))
    beside = target.with_name(f".gridproof-{os.getpid()}-{next(_NUMBERS)}")
    notify(Notice.BEGUN, beside)
    try:
        yield beside
        (publish or os.replace)(beside, target)
    except OSError as error:
        is_ours = error.filename is not None and Path(error.filename) == beside
        if is_ours or (error.filename is None and error.errno in NO_ROOM):
            raise OSError(error.errno, error.strerror, str(place)) from None
        raise
    finally:
        discard(beside)
        notify(Notice.ENDED, beside)


def write_whole(place: Path, content: str | bytes) -> Path:
    """Write a text or bytes to a place in one step and return the place; if this fails, OSError names it, and nothing
    is changed.

    Half of a surrogate pair in a text, which no file can contain, is written as an escape.
    """
    place.parent.mkdir(parents=True, exist_ok=True)
    data = content if isinstance(content, bytes) else content.encode("utf-8", "backslashreplace")
    with written_whole(place) as beside:
        beside.write_bytes(data)
    return place


def discard(path: Path) -> None:
    """Delete a file, or a folder with its content, if it exists."""
    if path.is_dir() and not path.is_symlink():
        import shutil  # imported here: most commands delete nothing

        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def clear_left(folder: Path) -> None:
    """Delete the unfinished files that a killed process has left in a folder."""
    for left in folder.glob(".gridproof-*-*"):
        owner = left.name.split("-")[1]
        if owner.isdecimal() and os.name == "posix" and not is_running(int(owner)):
            discard(left)


def is_running(process: int) -> bool:
    """Return whether there is a running process with this number, whichever user it belongs to."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # the process belongs to another user
        return True
    return True


class Notice(StrEnum):
    """The notices that are sent to the process which watches this one."""

    BEGUN = "b"
    """Writing the file at this path has begun."""
    ENDED = "e"
    """The file at this path is complete, or was deleted."""
    MADE = "m"
    """A folder was created; it is to be deleted if it stays empty."""
    OWN = "o"
    """From now on, a user's own code is run."""


def notify(what: Notice, whom: object) -> None:
    """Send a notice to the listener, which passes it on to the process that watches this one."""
    if _listener is not None:
        _listener(what, str(whom))


def listen(listener: Callable[[Notice, str], None] | None) -> None:
    """Set the listener for all notices; None means no listener."""
    global _listener
    _listener = listener


_NUMBERS = count()
_listener: Callable[[Notice, str], None] | None = None
