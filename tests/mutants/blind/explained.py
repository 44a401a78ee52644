"""Survivors that change nothing anybody could see, with the reason."""

from collections.abc import Mapping

EXPLAINED: Mapping[tuple[str, str], str] = {}
"""By module below `gridproof_implementation` and change."""
