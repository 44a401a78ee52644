"""TLC, on the exported modules, counts the same states."""

from pathlib import Path

import pytest

from gridproof_model.language import ClaimKind, Plain
from gridproof_model.specifications import SPECIFICATIONS
from gridproof_model.specifications.replication import ANY_TABLES
from gridproof_properties.explorer import explore
from gridproof_properties.judging.verdict import Result
from tools.tlc import find_jar, met_by_tlc, run_tlc

JAR = find_jar()
pytestmark = [
    pytest.mark.nightly,
    pytest.mark.skipif(JAR is None, reason="needs Java and the TLC jar: pip install '.[nightly]'"),
]
BY_NAME = {specification.name: specification for specification in SPECIFICATIONS}
WORLDS: list[tuple[str, dict[str, Plain]]] = [
    ("two_phase_commit", {"size": 3}),
    ("two_phase_commit", {"size": 5}),
    ("ownership", {"members": 2, "leaves": 2, "orders": 0}),
    ("ownership", {}),
    ("ownership", {"any_way": True, "members": 2, "changes": 0, "edits": 2}),
    ("replication", {"members": 2, "backups": 1, "entries_held": 2}),
    ("replication", {"members": 4, "writes": 1, "watched_write": 1, "losses": 0, "migrations": 1, "refusals": 1}),
    ("replication", {"backups": 1, "late": True, "suspicions": 1, "watched_write": 1, "losses": 0, "migrations": 1}),
    ("invocation", {"endings": 0, "handlings": 1}),
    ("invocation", {"changes": 0, "handlings": 1, "moves": 1}),
    ("snapshot", {"ids": 0, "removals": 0}),
    ("snapshot", {"items": 0, "endings": 0, "removals": 0, "exposures": 1, "stops": 0}),
    (
        "snapshot",
        {"at_once": True, "members": 3, "removals": 0, "stops": 0, "items": 0, "strict": False, "misses": 1},
    ),
    ("durability", {}),
    ("durability", {"members": 4, "sync_backups": 2}),
    ("replication", {**ANY_TABLES, "members": 2, "backups": 1, "writes": 1, "losses": 0, "changes": 0}),
]


def test_every_specification_has_a_world_for_tlc() -> None:
    assert {name for name, _ in WORLDS} == set(BY_NAME)


@pytest.mark.parametrize(("name", "constants"), WORLDS)
def test_tlc_counts_as_we_do(name: str, constants: dict[str, Plain], tmp_path: Path) -> None:
    assert JAR is not None
    world = BY_NAME[name].world(**constants)
    ours = explore(world)

    theirs = run_tlc(BY_NAME[name], world, tmp_path, jar=JAR)

    assert theirs.states == ours.states


@pytest.mark.parametrize(("name", "constants"), [WORLDS[0], WORLDS[3], WORLDS[6], WORLDS[8], WORLDS[10], WORLDS[11]])
def test_tlc_meets_the_sometimes_claims_that_we_meet(name: str, constants: dict[str, Plain], tmp_path: Path) -> None:
    assert JAR is not None
    world = BY_NAME[name].world(**constants)
    seen = {
        v.claim.name: v.result is Result.HOLDS for v in explore(world).verdicts if v.claim.kind is ClaimKind.SOMETIMES
    }

    assert met_by_tlc(BY_NAME[name], world, tmp_path, jar=JAR) == seen
