"""What a user can do wrong, whichever part notices it."""

import errno


class UserError(Exception):
    """A mistake of a user; its message is one line: what is wrong, where, and the cure.

    Whoever finds such mistakes derives an error of its own. The command line prints its line and ends with status 2;
    anything else that is raised is a defect of gridproof and keeps its traceback.
    """


NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""Numbers of errors of writing that name no file: whoever asked for it has to make room, or name another place."""
