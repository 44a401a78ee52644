"""A user's mistake that the command line itself notices."""

from gridproof_model.user_error import UserError


class UsageError(UserError):
    """A wrong argument that the parser alone cannot see."""
