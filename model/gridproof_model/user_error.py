"""What a user can do wrong, whichever part notices it."""

import errno
from collections.abc import Iterable


class UserError(Exception):
    """A mistake of a user; its message is one line: what is wrong, where, and the cure.

    Whoever finds such mistakes derives an error of its own. The command line prints its line and ends with status 2;
    anything else that is raised is a defect of gridproof and keeps its traceback.
    """


NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""Numbers of errors of writing that name no file: whoever asked for it has to make room, or name another place."""


TEXT_MAX = 300
"""Characters of a foreign message that are reported."""


def message_of(error: BaseException) -> str:
    """Return the message of an error on one line, cut to a readable length; empty where it has none."""
    try:
        text = " ".join(str(error).split())
    except Exception:  # a foreign __str__
        return ""
    text = text.encode(errors="backslashreplace").decode()
    return text if len(text) <= TEXT_MAX else f"{text[:TEXT_MAX]}..."


def described(error: BaseException) -> str:
    """Return kind, message and place of an error that code of a user's own raised."""
    import traceback  # now: a command that begins well does without

    text, where = message_of(error), ""
    for frame, line in traceback.walk_tb(error.__traceback__):
        file = frame.f_code.co_filename.replace("\\", "/")
        where = f" ({file.rpartition('/')[2]}:{line})"
    return f"{type(error).__name__}{': ' if text else ''}{text}{where}"


def nearest(word: str, known: Iterable[str], otherwise: str = "") -> str:
    """Return the cure for a word that nobody knows: those most like it, else `otherwise`, or all there are."""
    import difflib  # as above

    words = list(known)
    near = difflib.get_close_matches(word, words)
    return f"did you mean {' or '.join(near)}?" if near else otherwise or f"there are {', '.join(words)}"


def printable(text: str, kept: str = "") -> str:
    """Return a text with what a terminal would not show as it stands written out: a user's word may hold anything.

    The signs of `kept`, such as the ends of lines, stay.
    """
    if text.isprintable():
        return text
    written = (sign if sign.isprintable() or sign in kept else sign.encode("unicode_escape").decode() for sign in text)
    return "".join(written)
