"""A package of a few rules, and runs of it."""

from pathlib import Path

import pytest

PACKAGES = ("tiny.rules",)
PLAY = "tiny.playing:play"
RULES = '''"""Rules."""

from functools import cache


class Counter:
    """Counts."""

    def up(self, number):
        """Count up to five."""
        if number > 5:
            return self._stop()
        return number + 1

    def _stop(self):
        return 5


@cache
def limit():
    """Return what never changes."""
    return 5


def never():
    """Do what nobody asks for."""
    return [item for item in () if item]
'''
PLAYING = '''"""Runs."""

from tiny.rules.counter import Counter, limit


def play(seed):
    """Count once or more."""
    for number in range(1 + seed):
        Counter().up(number * limit())
'''


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of the rules, in a package that can be imported."""
    rules = tmp_path / "tiny" / "rules"
    rules.mkdir(parents=True)
    (tmp_path / "tiny" / "__init__.py").touch()
    (rules / "__init__.py").touch()
    (rules / "counter.py").write_text(RULES, encoding="utf-8")
    (tmp_path / "tiny" / "playing.py").write_text(PLAYING, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    return rules / "counter.py"
