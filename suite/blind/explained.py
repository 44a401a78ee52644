"""Survivors of blind mutants, each with the reason (`explained.toml`).

A reason is no proof. What is called equivalent is shown by a program; of all else `python -m suite unseen` says in
which runs it was looked for (`searched.json`), and only then a survivor counts as explained.
"""

import tomllib
from collections.abc import Mapping
from pathlib import Path

from suite.blind.mutations import Key

_EXPLAINED = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def _column(kind: str, name: str) -> Mapping[Key, str]:
    rows = (row for row in _EXPLAINED[kind] if name in row)
    return {(row["where"], row["code"], row["change"]): row[name] for row in rows}


EQUIVALENT = _column("equivalent", "why")
"""Mutants that a program shows to change nothing: they are not searched, and counted nowhere."""
UNSEEN = _column("unseen", "why")
"""Mutants that judged runs are said not to notice."""
FAULTS = _column("unseen", "faults")
"""Kinds of faults that reasons name; all others are looked for in varied runs."""
