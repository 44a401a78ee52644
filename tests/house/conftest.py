"""What tests of the house share: the files, which one process parses once."""

from pathlib import Path

import pytest

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let one worker take all that reads every file, and the tools with it: so large a part is dealt out early."""
    for item in items:
        if item.path.parent == HERE and item.path.stem != "test_groups":
            item.add_marker(pytest.mark.xdist_group("house"))
