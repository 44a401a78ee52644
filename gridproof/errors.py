"""A user's mistake that the command line notices."""

from gridproof_model.user_error import UserError


class UsageError(UserError):
    """A wrong argument that the parser alone cannot see."""


def reason_of(error: Exception) -> str:
    """Return why a file or folder cannot be used, without its name."""
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)
