"""Errors that a user causes, whichever part of gridproof notices them."""

import errno
from collections.abc import Iterable


class UserError(Exception):
    """A mistake of a user; its message is one line, which says what is wrong, where, and what to do.

    Each module that finds such mistakes derives its own error class. The command line prints this line and ends with
    status 2; any other exception is a defect of gridproof and keeps its traceback.
    """


NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""Error numbers that mean a full disk or quota: the user has to free space, or name another place."""


TEXT_MAX = 300
"""How many characters of another library's message are reported."""


def message_of(error: BaseException) -> str:
    """Return the message of an error on one line, cut to a readable length; empty if the error has no message."""
    try:
        return on_a_line(str(error))
    except Exception:  # __str__ of another library
        return ""


def on_a_line(text: str) -> str:
    """Return a text of another program on one line, cut to a readable length."""
    text = " ".join(text.split()).encode(errors="backslashreplace").decode()
    return text if len(text) <= TEXT_MAX else f"{text[:TEXT_MAX]}..."


def described(error: BaseException) -> str:
    """Return the kind, message and place of an error that a user's own code raised."""
    import traceback  # imported here: a command without errors does not need it

    text, where = message_of(error), ""
    for frame, line in traceback.walk_tb(error.__traceback__):
        file = frame.f_code.co_filename.replace("\\", "/")
        where = f" ({file.rpartition('/')[2]}:{line})"
    return f"{type(error).__name__}{': ' if text else ''}{text}{where}"


def nearest(word: str, known: Iterable[str], otherwise: str = "") -> str:
    """Return the cure for an unknown word: the most similar known words, else `otherwise`, or else all known words."""
    import difflib  # as above

    words = list(known)
    near = difflib.get_close_matches(word, words)
    return f"did you mean {' or '.join(near)}?" if near else otherwise or f"there are {', '.join(words) or 'none'}"


def listed(text: str, wrong: type[UserError] = UserError, where: str = "") -> tuple[str, ...]:
    """Return the names of a set, which a user lists with commas between them; raise `wrong` if a name comes twice."""
    names = tuple(name.strip() for name in text.split(","))
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise wrong(f"{where}{twice[:60]!r} is named twice; name it once")
    return names


def printable(text: str, kept: str = "") -> str:
    """Return a text with its unprintable characters written as escapes, since a user's word may contain any of them.

    The characters in `kept`, such as line ends, are not changed.
    """
    # Both checks spare a walk, sign by sign, through a text that stays as it is; most texts pass the first one.
    if text.isprintable() or text.translate(dict.fromkeys(map(ord, kept))).isprintable():
        return text
    written = (sign if sign.isprintable() or sign in kept else sign.encode("unicode_escape").decode() for sign in text)
    return "".join(written)
