"""A command as a user types it."""

import json
from dataclasses import dataclass
from typing import Any

import pytest

from gridproof.cli import main
from suite.commands import SUITE


@dataclass(frozen=True, slots=True)
class Outcome:
    """Exit status, standard output, standard error."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one object on standard output."""
        return json.loads(self.out)


@dataclass(frozen=True, slots=True)
class CommandLine:
    """Types commands."""

    capture: pytest.CaptureFixture[str]

    def __call__(self, *words: object) -> Outcome:
        """Run `gridproof` with these words, or `python -m suite` with those behind `suite`."""
        self.capture.readouterr()
        typed = [str(word) for word in words]
        try:
            status = main(typed[1:], SUITE) if typed[:1] == ["suite"] else main(typed)
        except SystemExit as left:
            status = int(left.code or 0)
        text = self.capture.readouterr()
        return Outcome(status, text.out, text.err)
