"""The port is written twice: its types, which users implement, and the tables of what each method may return."""

import pytest

from gridproof_implementation.adapter import Ability, Kind, Placer, SecondOpinion, WholeGrid
from gridproof_implementation.checked_ports import ATTRIBUTES, METHODS

PORTS: dict[Kind, type] = {Kind.ROUTER: SecondOpinion, Kind.PLACER: Placer, Kind.GRID: WholeGrid}
NOT_SAID_ONCE = {"now_ms"}
"""An attribute that is asked for again and again."""


def members_of(port: type) -> dict[str, object]:
    return {name: found for kind in port.__mro__ for name, found in vars(kind).items() if not name.startswith("_")}


@pytest.mark.parametrize("kind", Kind)
def test_every_method_of_a_port_has_its_check(kind: Kind) -> None:
    assert METHODS[kind].keys() == {name for name, found in members_of(PORTS[kind]).items() if callable(found)}


@pytest.mark.parametrize("kind", Kind)
def test_every_attribute_of_a_port_has_its_check(kind: Kind) -> None:
    said = {name for name, found in members_of(PORTS[kind]).items() if isinstance(found, property)}

    assert ATTRIBUTES[kind].keys() == said - NOT_SAID_ONCE


def test_every_ability_is_a_method_of_the_whole_grid() -> None:
    assert {ability.value for ability in Ability} <= METHODS[Kind.GRID].keys()
