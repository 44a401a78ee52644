"""Of every specification's mutants, at most one in twenty survives."""

import pytest

from gridproof_model.language import Plain, Specification
from gridproof_model.specifications import SPECIFICATIONS, replication
from gridproof_properties.claims.abstraction import compare
from gridproof_properties.explorer import explore
from suite.commands.slips import score, survivors
from suite.slips import MUTATION_WORLDS, Mutant
from tests.exhaustive.durability_view import VIEW, durability_of

AIM = 0.95
COUNTS: dict[str, list[tuple[int, int, int]]] = {
    "two_phase_commit": [(288, 1_145, 10)],
    "ownership": [
        (61, 73, 13),
        (1_449, 5_539, 28),
        (1_923, 6_929, 27),
        (3_373, 6_666, 19),
        (4_002, 16_817, 20),
        (11_204, 33_966, 29),
        (10_253, 27_845, 17),
        (12_079, 21_485, 25),
        (13_747, 46_605, 31),
        (18_462, 85_851, 25),
        (23_225, 77_653, 28),
        (197_177, 770_706, 38),
        (850_460, 2_191_809, 29),
        (854_261, 2_755_692, 38),
    ],
    "replication": [
        (121, 222, 14),
        (467, 1_836, 13),
        (3_646, 12_762, 21),
        (16_954, 53_140, 31),
        (11_555, 42_220, 24),
        (2_769, 6_898, 12),
        (8_753, 34_910, 16),
        (30_102, 171_659, 17),
        (24_513, 87_348, 27),
        (36_684, 142_445, 26),
        (14_894, 45_853, 25),
        (1_778, 4_209, 16),
        (131_238, 506_984, 28),
        (133_075, 813_825, 19),
        (1_121_418, 5_652_373, 24),
        (691, 1_554, 8),
        (3_471, 11_351, 20),
        (15_425, 76_877, 17),
        (114_583, 721_046, 19),
        (161_915, 907_555, 20),
    ],
    "invocation": [
        (18_421, 60_429, 12),
        (25_237, 60_799, 11),
        (38_906, 142_667, 12),
        (47_072, 164_406, 14),
        (54_350, 147_480, 11),
        (61_000, 172_228, 13),
        (62_334, 140_588, 11),
        (88_521, 244_688, 12),
        (107_274, 357_743, 13),
        (176_623, 565_825, 13),
        (403_520, 1_658_058, 14),
        (417_607, 1_319_363, 16),
        (515_253, 1_676_067, 12),
    ],
    "snapshot": [
        (3_310, 5_698, 22),
        (2_990, 4_988, 19),
        (2_646, 3_644, 13),
        (7_346, 13_656, 18),
        (11_314, 23_536, 22),
        (52_636, 135_810, 23),
        (62_412, 242_932, 19),
        (69_974, 132_288, 22),
        (105_374, 216_474, 31),
        (109_442, 207_608, 23),
        (120_794, 305_960, 28),
        (289_235, 564_801, 32),
        (301_846, 771_830, 26),
        (304_919, 705_755, 41),
        (487_230, 920_464, 30),
        (719_390, 1_404_486, 39),
    ],
    "durability": [(315, 1_176, 14), (5_368, 32_742, 20), (40_492, 330_845, 29)],
}
"""States, transitions and depth of every world, in order: what `a pinned count` means of a mutant."""
BY_NAME = {specification.name: specification for specification in SPECIFICATIONS}


def test_every_specification_has_worlds_for_its_mutants() -> None:
    assert set(MUTATION_WORLDS) == set(COUNTS) == set(BY_NAME)


@pytest.mark.nightly
@pytest.mark.parametrize("name", BY_NAME)
def test_the_counts_that_kill_mutants_are_the_pinned_ones(name: str) -> None:
    explorations = [explore(BY_NAME[name].world(**constants)) for constants in MUTATION_WORLDS[name]]

    assert [(one.states, one.transitions, one.depth) for one in explorations] == COUNTS[name]


@pytest.mark.nightly
@pytest.mark.parametrize("specification", SPECIFICATIONS, ids=lambda specification: specification.name)
def test_at_most_one_mutant_in_twenty_survives(specification: Specification) -> None:
    found = score(specification)
    refused = sum(specification.name == "durability" and lacks_a_step(mutant) for mutant in found.survivors)

    total = len(found.killed) + len(found.survivors)
    assert (len(found.killed) + refused) / total >= AIM, list(survivors(found))


def lacks_a_step(mutant: Mutant) -> bool:
    """Return whether some step of replication is none of a mutant of durability."""
    constants: tuple[dict[str, Plain], ...] = (
        {"sync_backups": 2, "endings": 2, "losses": 1},
        {"members": 4, "migrations": 2, "losses": 1},
    )
    concretes = [replication.specification.world(**one) for one in constants]
    worlds = [(one, mutant.specification.world(**dict(durability_of(one).constants))) for one in concretes]
    return any(compare(concrete, abstract, VIEW).refusals for concrete, abstract in worlds)
