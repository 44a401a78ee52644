"""Files that are written whole or not at all.

A file is written beside its place and moved there in one step. Whoever watches this process hears what is begun and
what is ended: where it dies in between, nobody else knows what to take away. Where both are killed, the next command
that looks for a folder does (`clear_left`).
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
    """Yield a path beside `place` to write a file or a folder at; it takes its place when the block ends.

    When the block raises, nothing stays, and what stood there does. A link stays, and what it leads to is written.
    OSError names `place` where it cannot be written.
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
    """Put a text, or bytes, at a place in one step, and return it; OSError names it, and nothing is changed then.

    A text may hold half a pair of surrogates, which no file can: it is written as people write it.
    """
    place.parent.mkdir(parents=True, exist_ok=True)
    data = content if isinstance(content, bytes) else content.encode("utf-8", "backslashreplace")
    with written_whole(place) as beside:
        beside.write_bytes(data)
    return place


def discard(path: Path) -> None:
    """Take away a file, or a folder with all that is in it; nothing where there is none."""
    if path.is_dir() and not path.is_symlink():
        import shutil  # now: most commands have nothing to take away

        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def clear_left(folder: Path) -> None:
    """Take away what a process that was killed left half written in a folder: nobody could, while it ended."""
    for left in folder.glob(".gridproof-*-*"):
        owner = left.name.split("-")[1]
        if owner.isdecimal() and os.name == "posix" and not is_running(int(owner)):
            discard(left)


def is_running(process: int) -> bool:
    """Whether a process of this number runs, whoever's it is."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # it is somebody else's
        return True
    return True


class Notice(StrEnum):
    """What whoever watches this process hears of."""

    BEGUN = "b"
    """A file is being written here."""
    ENDED = "e"
    """It is whole, or gone."""
    MADE = "m"
    """A folder was made, and is to go if nothing comes into it."""
    OWN = "o"
    """Code of a user's own is run from now on."""


def notify(what: Notice, whom: object) -> None:
    """Say something to whoever watches this process."""
    if _listener is not None:
        _listener(what, str(whom))


def listen(listener: Callable[[Notice, str], None] | None) -> None:
    """Have somebody hear of everything, or nobody."""
    global _listener
    _listener = listener


_NUMBERS = count()
_listener: Callable[[Notice, str], None] | None = None
