"""What keeps the pipeline from running."""

from gridproof_model.user_error import UserError


class PipelineError(UserError):
    """No Java, no PySpark, no such master; the message is one line: what is missing, and the cure."""
