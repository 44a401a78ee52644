"""Invocations on the caller: attempts, acknowledgements, retries, timeouts."""
