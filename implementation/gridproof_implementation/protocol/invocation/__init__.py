"""The caller's side of calls: attempts, acknowledgements, retries, timeouts."""
