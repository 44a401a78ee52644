"""The figures: right numbers, finished drawings."""

import re
from collections.abc import Iterable
from xml.etree import ElementTree

import pytest

from gridproof_model.hashing import hash_to_index, murmur3
from gridproof_model.trace import DigestRecord, MemberChange, MemberRecord, Record, RunRecord
from gridproof_reports.contents.timeline import LANES_MAX
from gridproof_reports.drawing.figure import Figure, Panel
from gridproof_reports.drawing.style import COLOURS, MEMBERS
from gridproof_reports.pages.build import Gathering
from tests.reports.sample_run import RUN, Row, joined, look, looks, routes, sample_records

PAYLOADS = [bytes([0, 0, 0, number]) for number in range(40)]


def figures(records: Iterable[Record]) -> dict[str, Figure]:
    """Return the figures of a run by name."""
    gathering = Gathering()
    for record in records:
        gathering.observe(record)
    return {figure.name: figure for figure in gathering.conclude(()).figures}


@pytest.fixture(scope="module")
def sample() -> dict[str, Figure]:
    """The figures of the sample run."""
    return figures(sample_records())


def panels(of: dict[str, Figure]) -> list[Panel]:
    """Return all panels of all figures."""
    return [panel for figure in of.values() for panel in figure.panels]


def texts(panel: Panel) -> str:
    """Return what is written in a drawing."""
    return " ".join("".join(ElementTree.fromstring(panel.svg.replace("xlink:href", "href")).itertext()).split())


def two_tables(before: list[Row], after: list[Row]) -> list[Record]:
    """Return a run whose member 2 joins between two tables."""
    head = RunRecord(RUN, "samplegrid", "1", 0, len(before), 1)
    return [head, *looks(0, 1, "two", (0, 1), before), joined(2, 5), *looks(2, 9, "three", (0, 1, 2), after)]


def test_a_grid_run_has_its_five_figures(sample: dict[str, Figure]) -> None:
    assert list(sample) == ["ownership", "balance", "movement", "answers", "agreement"]


def test_a_run_without_records_has_no_figure() -> None:
    assert figures([RunRecord(RUN, "s", "1", 0, 271, 1)]) == {}


def test_every_drawing_is_well_formed_and_named(sample: dict[str, Figure]) -> None:
    for panel in panels(sample):
        svg = ElementTree.fromstring(panel.svg.replace("xlink:href", "href"))
        assert svg.get("role") == "img"
        assert svg.get("aria-label")


def test_no_drawing_carries_a_colour_of_its_own(sample: dict[str, Figure]) -> None:
    assert [re.findall(r"#[0-9a-fA-F]{3,8}\b", panel.svg) for panel in panels(sample)] == [[]] * len(panels(sample))


def test_drawings_keep_text_as_text(sample: dict[str, Figure]) -> None:
    assert "<text" in sample["balance"].panels[0].svg
    assert "font-family" not in sample["balance"].panels[0].svg


def test_the_same_run_draws_the_same_bytes(sample: dict[str, Figure]) -> None:
    assert figures(sample_records()) == sample


def test_no_two_colours_look_the_same_to_the_page() -> None:
    assert len({colour.light for colour in COLOURS}) == len(COLOURS)


def test_every_lane_has_a_colour_of_its_own() -> None:
    assert len(MEMBERS) == LANES_MAX


def test_a_stage_name_is_never_markup_nor_mathematics() -> None:
    name = '<b> $x_1$ "'
    table: list[Row] = [(0, 1)]
    after = look(2, 9, name, 0, (0, 1, 2), [(0, 2)])
    drawn = figures([RunRecord(RUN, "s", "1", 0, 1, 1), *look(0, 1, "two", 0, (0, 1), table), *after])

    assert "2 → 3 members: " + name.strip() in texts(drawn["movement"].panels[0])
    assert [panel.title for panel in panels(drawn) if "<b>" in panel.svg] == []


def test_ownership_marks_what_changed() -> None:
    drawn = figures(two_tables([(0, 1), (1, 0)], [(2, 1), (1, 0)]))["ownership"]

    assert drawn.panels[1].note.endswith("1 slot changed")
    assert 'class="notch"' in drawn.panels[1].svg
    assert 'class="notch"' not in drawn.panels[0].svg


def test_ownership_counts_copies_by_slot(sample: dict[str, Figure]) -> None:
    assert sample["ownership"].numbers.rows[0] == ("3 members", "member 0", "91", "90")


def test_a_table_too_large_for_tiles_is_drawn_as_shares() -> None:
    table: list[Row] = [(p % 20, (p + 1) % 20) for p in range(2000)]
    drawn = figures([RunRecord(RUN, "s", "1", 0, 2000, 1), *look(0, 1, "s", 0, range(20), table)])

    assert list(drawn) == ["ownership-shares", "balance"]
    assert drawn["ownership-shares"].numbers.rows == (("s", "20", "2,000", "200", "200.0", "200"),)


def test_balance_draws_extremes_when_members_are_many() -> None:
    table: list[Row] = [*((p % 50,) for p in range(1000)), *[(7,)] * 30]
    drawn = figures([RunRecord(RUN, "s", "1", 0, 1030, 0), *look(0, 1, "s", 0, range(50), table)])["balance"]

    assert len(drawn.numbers.rows) == 16
    assert drawn.numbers.rows[-1][1] == "member 7"
    assert "16 of them" in drawn.panels[0].note


def test_balance_measures_against_the_weights() -> None:
    heavy = MemberRecord(RUN, 0, 1, MemberChange.JOINED, "b", "b", weight=3.0)
    run = [RunRecord(RUN, "s", "1", 0, 4, 0), heavy, *look(0, 1, "s", 0, (0, 1), [(0,), (1,), (1,), (1,)])]

    assert [row[-1] for row in figures(run)["balance"].numbers.rows] == ["1.0", "3.0"]


def test_movement_counts_copies_and_primaries() -> None:
    before: list[Row] = [(0, 1), (1, 0), (0, 1)]
    after: list[Row] = [(2, 1), (1, 2), (0, 1)]

    rows = figures(two_tables(before, after))["movement"].numbers.rows

    assert rows == (("2 → 3 members: three", "2", "2", "1", "1"),)


def test_movement_sees_a_swap_as_no_copy_moved() -> None:
    rows = figures(two_tables([(0, 1), (1, 0), (0, 1)], [(1, 0), (1, 0), (0, 2)]))["movement"].numbers.rows

    assert rows[0][1:4:2] == ("1", "1")


def test_answers_count_what_was_lost(sample: dict[str, Figure]) -> None:
    assert sample["answers"].numbers.rows == (
        ("3 members", "writes", "acknowledged", "57"),
        ("3 members", "writes", "unknown", "3"),
        ("reveal", "reads", "as acknowledged", "56"),
        ("reveal", "reads", "absent", "1"),
    )


def test_agreement_counts_partitions_that_differ(sample: dict[str, Figure]) -> None:
    assert sample["agreement"].numbers.rows == (
        ("fourth joined", "271", "0", "0", "0"),
        ("after crash", "270", "1", "0", "0"),
    )


def test_a_copy_the_table_does_not_name_is_no_disagreement() -> None:
    digests = ((0, "a"), (1, "a"), (2, "b"))
    held = [DigestRecord(RUN, 2, "s", True, member, 0, "", 1, 1, digest) for member, digest in digests]
    run = [RunRecord(RUN, "s", "1", 0, 1, 1), *look(0, 1, "s", 0, (0, 1, 2), [(0, 1)]), *held]

    assert figures(run)["agreement"].numbers.rows == (("s", "1", "0", "0", "1"),)


def test_digests_belong_to_the_table_shown_before_them() -> None:
    held = [DigestRecord(RUN, 2, "then", True, member, 0, "", 1, 1, str(member)) for member in (0, 1)]
    before, after = look(0, 1, "s", 0, (0, 1, 2), [(0, 1)]), look(1, 3, "t", 0, (0, 1, 2), [(0, 2)])

    drawn = figures([RunRecord(RUN, "s", "1", 0, 1, 1), *before, *held, *after])

    assert drawn["agreement"].numbers.rows == (("then", "0", "1", "0", "0"),)


def test_routes_find_keys_on_another_partition() -> None:
    right = [("int", payload, hash_to_index(murmur3(payload), 271)) for payload in PAYLOADS]
    wrong = [("long", payload, (partition + 1) % 271) for _, payload, partition in right[:3]]

    drawn = figures(routes([*right, *wrong]))["routes"]

    assert drawn.numbers.rows == (("int", "40", "0", "0", "0"), ("long", "3", "0", "3", "0"))
    assert [panel.title for panel in drawn.panels] == ["Keys by type", "Random keys over 271 partitions"]
