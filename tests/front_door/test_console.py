"""How wide the lines of a command are."""

import pytest

from gridproof.output.console import PLAIN_WIDTH, open_console


@pytest.mark.parametrize(("said", "width"), [("60", 60), ("200", 200), ("", PLAIN_WIDTH), ("0", PLAIN_WIDTH)])
def test_off_a_terminal_lines_are_as_wide_as_columns_says(
    monkeypatch: pytest.MonkeyPatch, said: str, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", said)

    assert open_console().width == width
