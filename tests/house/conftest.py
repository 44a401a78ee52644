"""What tests of the house share: the files, which one process parses once."""

from pathlib import Path

import pytest

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let one worker take all that reads every file; the tools, which start processes of their own, go anywhere."""
    for item in items:
        if item.path.parent == HERE and item.path.stem not in ("test_tools", "test_groups"):
            item.add_marker(pytest.mark.xdist_group("house"))
