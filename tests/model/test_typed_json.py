"""JSON as values of types, and what is said of what does not fit."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import pytest

from gridproof_model.typed_json import UnfitError, Within, read_json, typed


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True)
class Thing:
    name: str
    sizes: tuple[Annotated[int, Within(1, 9)], ...]
    colour: Colour | None = None
    said: dict[str, list[bool]] | None = None


def test_what_fits_is_a_value_of_its_types() -> None:
    found = {"name": "a", "sizes": [1, 9], "colour": "blue", "said": {"x": [True]}}

    assert typed(Thing, found, "it") == Thing("a", (1, 9), Colour.BLUE, {"x": [True]})


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (3, "it is 3; it must be an object"),
        ({"name": "a"}, "it lacks the field 'sizes'"),
        ({"name": "a", "sizes": [], "size": 1}, "it has no field 'size': did you mean sizes?"),
        ({"name": None, "sizes": []}, "it.name is null; it must be text"),
        ({"name": "\ud800", "sizes": []}, r"it.name is '\ud800'; it must be text that has an encoding"),
        ({"name": "a", "sizes": [True]}, "it.sizes[0] is true; it must be a whole number of 64 bits"),
        ({"name": "a", "sizes": [1.0]}, "it.sizes[0] is 1.0; it must be a whole number of 64 bits"),
        ({"name": "a", "sizes": [0]}, "it.sizes[0] is 0; it must be a whole number from 1 to 9"),
        ({"name": "a", "sizes": [10**400]}, "it.sizes[0] is a number of more than 64 bits; it must be"),
        ({"name": "a", "sizes": [], "colour": "green"}, "it.colour is 'green'; it must be red or blue"),
        ({"name": "a", "sizes": [], "said": {"x": [0]}}, "it.said.x[0] is 0; it must be true or false"),
    ],
)
def test_what_does_not_fit_is_said_with_its_place(found: Any, said: str) -> None:
    with pytest.raises(UnfitError) as caught:
        typed(Thing, found, "it")

    assert str(caught.value).startswith(said)


def test_a_pair_has_two_parts() -> None:
    with pytest.raises(UnfitError, match="must be a list of 2"):
        typed(tuple[str, int], ["a", 1, 2], "it")


def test_json_that_is_nested_without_end_is_no_json(tmp_path: Path) -> None:
    (tmp_path / "deep.json").write_text("[" * 100_000)

    with pytest.raises(ValueError, match="nested too deeply"):
        read_json(tmp_path / "deep.json")
