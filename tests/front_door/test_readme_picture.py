"""The program that draws the README's picture."""

import json
import re
from pathlib import Path

from tests.front_door.command_line import CommandLine
from tests.house.source_tree import ROOT
from tools.readme_picture import picture

DRAWN = (ROOT / "docs" / "images" / "systems.svg").read_text(encoding="utf-8")


def test_it_draws_each_promise_that_a_check_judged(gridproof: CommandLine, tmp_path: Path) -> None:
    checked = json.loads(gridproof("check", "--system", "uhashring", "--out", str(tmp_path / "out"), "--json").out)
    promised = [one["property"] for one in checked["verdicts"] if one["promise"] == "promised"]

    drawn = picture({"runs": [checked]})

    assert promised
    assert [name for name in promised if f">{name}</text>" not in drawn] == []
    assert f"{checked['system']} <" in drawn


def test_nothing_of_the_picture_is_cut_off() -> None:
    width = int(re.search(r'width="(\d+)"', DRAWN)[1])  # type: ignore[index]
    heads = re.findall(r'<text x="(\d+)"[^>]*rotate[^>]*>([^<]*)<', DRAWN)

    assert heads
    assert [name for x, name in heads if int(x) + 7 * len(name) + 30 > width] == []
