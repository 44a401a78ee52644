"""The examples of the language page run as they stand."""

import re
from pathlib import Path
from types import ModuleType

import pytest

PAGE = Path(__file__).parents[3] / "docs" / "specification-language.md"
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


def test_the_page_says_what_it_prints(capsys: pytest.CaptureFixture[str]) -> None:
    module = ModuleType("example")

    for example in EXAMPLES:
        exec(example, module.__dict__)

    printed = capsys.readouterr().out
    assert "A member writes to another, which acknowledges." in printed
    assert " None [('one_write_at_a_time', 'holds'" in printed
    assert "('a_write_ends', 'holds'" in printed


def test_there_are_examples() -> None:
    assert len(EXAMPLES) == 2
