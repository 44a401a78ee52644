"""Modules are found in place, and loaded from other trees."""

import ast
import sys
from importlib import import_module
from pathlib import Path

import pytest

from suite.reach.loading import find_modules, load_changed
from tests.suite.reach.tiny import RULES, tiny

__all__ = ["tiny"]


@pytest.fixture
def unchanged_imports(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is imported meanwhile is forgotten."""
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    monkeypatch.setattr(sys, "modules", dict(sys.modules))


def test_modules_are_found_without_importing_them(tiny: Path) -> None:
    found = find_modules("tiny.rules")

    assert list(found) == ["tiny.rules", "tiny.rules.counter"]
    assert found["tiny.rules.counter"] == tiny
    assert "tiny" not in sys.modules


def test_a_package_that_is_not_there_is_said_so() -> None:
    with pytest.raises(ModuleNotFoundError, match="nowhere"):
        find_modules("nowhere.at_all")


@pytest.mark.usefixtures("tiny", "unchanged_imports")
def test_a_module_is_loaded_from_the_changed_tree() -> None:
    load_changed({"tiny.rules.counter": ast.parse(RULES.replace("number + 1", "given"))}, {"given": 9})

    assert import_module("tiny.rules.counter").Counter().up(0) == 9


@pytest.mark.usefixtures("tiny", "unchanged_imports")
def test_a_module_that_is_loaded_already_cannot_be_changed() -> None:
    import_module("tiny.rules.counter")

    with pytest.raises(RuntimeError, match=r"tiny\.rules\.counter is already imported"):
        load_changed({"tiny.rules.counter": ast.parse("")})
