"""Counting in sentences."""


def count(number: int, thing: str) -> str:
    """Return a number and a noun that agree: "1 row", "2,710 rows"; the noun's plural ends in s."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"
