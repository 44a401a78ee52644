"""What keeps the pipeline from running."""


class PipelineError(Exception):
    """No Java, no PySpark, no such master; the message is one line: what is missing, and the cure."""
