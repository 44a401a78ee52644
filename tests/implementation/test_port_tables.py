"""What a method of a port may return is read off its type."""

import pytest

from gridproof_implementation.adapter import Ability, Placer, SecondOpinion, WholeGrid
from gridproof_implementation.checked_ports import OF_WHAT_IS_ASKED, CheckedGrid, CheckedPlacer, CheckedRouter

PORTS: dict[type, type] = {CheckedRouter: SecondOpinion, CheckedPlacer: Placer, CheckedGrid: WholeGrid}


def members_of(port: type) -> dict[str, object]:
    return {name: found for kind in port.__mro__ for name, found in vars(kind).items() if not name.startswith("_")}


@pytest.mark.parametrize("checked", PORTS)
def test_a_checked_port_has_its_own_of_all_that_the_port_has(checked: type) -> None:
    asked = {
        name for name, found in members_of(PORTS[checked]).items() if callable(found) or isinstance(found, property)
    }

    assert asked <= vars(checked).keys()


def test_what_types_do_not_say_is_of_methods_that_there_are() -> None:
    assert OF_WHAT_IS_ASKED.keys() <= {name for port in PORTS.values() for name in members_of(port)}


def test_every_ability_is_a_method_of_the_whole_grid() -> None:
    assert {ability.value for ability in Ability} <= members_of(WholeGrid).keys()
