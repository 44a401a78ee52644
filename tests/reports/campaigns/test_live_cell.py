"""Runs of a cell on running members: what is kept, and what is left to play."""

from functools import partial
from itertools import chain
from pathlib import Path

import pytest

from gridproof_implementation.simulator.draw import draw_scenario
from gridproof_model.trace import (
    MemberChange,
    MemberRecord,
    OperationKind,
    OperationRecord,
    Outcome,
    Record,
    RowRecord,
    RunRecord,
    ViewRecord,
)
from gridproof_reports.campaigns.plan import read_plan
from tools import live_cell
from tools.live_cell import (
    CellError,
    Row,
    SecondCopies,
    Watched,
    describe,
    main,
    play_all,
    read_rows,
    scenario_of,
    write_rows,
)

PAGES = Path(__file__).parents[3] / "docs" / "three-readings"
CELL = PAGES / "four-members.toml"


def row(seed: int, lost: int, stopped: str = "") -> dict[str, str]:
    said = {"cell": "members=4", "system": "valkey", "seed": str(seed), "lost": str(lost), "stopped": stopped}
    return {**dict.fromkeys(live_cell.COLUMNS, ""), **said}


def seen(at_ms: int, partition: int, slots: tuple[int, ...]) -> tuple[Record, ...]:
    return ViewRecord("r", 0, at_ms, "busy", 0, False, (), (), ()), RowRecord("r", 0, partition, slots)


def gone(at_ms: int, member: int) -> tuple[Record, ...]:
    return (MemberRecord("r", at_ms, member, MemberChange.CRASHED, f"{member}/1", "g"),)


def asked(partition: int) -> tuple[Record, ...]:
    kind, outcome = OperationKind.APPEND, Outcome.OK
    return (OperationRecord("r", 0, 0, kind, "a", partition, "1", outcome, None, None, 0, 1, "busy"),)


def test_what_was_played_is_read_again(tmp_path: Path) -> None:
    write_rows(tmp_path / "runs.csv", [row(2, 7), row(0, 0)])

    assert [one["seed"] for one in read_rows(tmp_path / "runs.csv", "members=4", "valkey")] == ["0", "2"]


@pytest.mark.parametrize(("cell", "system"), [("members=5", "valkey"), ("members=4", "hazelcast")])
def test_runs_of_another_cell_are_not_added_to(tmp_path: Path, cell: str, system: str) -> None:
    write_rows(tmp_path / "runs.csv", [row(0, 0)])

    with pytest.raises(CellError, match="name another"):
        read_rows(tmp_path / "runs.csv", cell, system)


def test_a_run_that_ended_early_counts_as_played_and_not_as_whole() -> None:
    said = describe([row(0, 3), row(1, 0), row(2, 0, "member 2 does not start")], 200)

    assert said.startswith("1 of 2 runs lost an acknowledged write, 0.5 (")
    assert said.endswith("1 ended before their end; 197 are left")


def test_crashes_are_those_of_the_simulated_run_and_nobody_stays_away_after_the_work() -> None:
    (draw_options,) = read_plan(CELL).draw_options()
    mine, theirs = scenario_of(5, draw_options), draw_scenario(5, draw_options)

    assert [one.at_ms for one in mine.fault_events()] == [one.at_ms for one in theirs.fault_events()]
    assert mine.scripts[0].client_operations == theirs.scripts[0].client_operations
    assert all(one.at_ms + one.for_ms <= 30_200 for one in mine.fault_events())


def test_who_was_away_is_named_by_address() -> None:
    watched = Watched(began_ms=100)
    changes = [(0, "a/1", "joined"), (400, "a/1", "crashed"), (500, "b/1", "crashed"), (900, "a/2", "joined")]
    for at_ms, name, change in changes:
        watched.take(MemberRecord("r", at_ms, 0, MemberChange(change), name, "g"))
    watched.take(RunRecord("r", "valkey", "9.1.2", 0, 1, 1))

    assert (watched.describe_away(), watched.version) == ("0:300-800 1:400-", "9.1.2")


def test_how_long_there_was_no_second_copy_is_measured_from_the_crash_of_a_holder() -> None:
    copies = SecondCopies()
    begun = [seen(0, 3, (0, 1)), asked(partition=3), gone(200, 2), gone(300, 1)]
    after = [seen(400, 3, (0, 1)), seen(500, 4, (0, 5)), seen(600, 3, (0, 3)), gone(700, 0), gone(800, 3)]
    for record in chain(*begun, *after):
        copies.take(record)

    assert copies.conclude() == "300 - -"


def test_the_same_line_plays_what_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    played: list[int] = []

    def play(system: str, seed: int, cell: str, **_: object) -> Row:
        played.append(seed)
        return {**row(seed, seed), "system": system, "cell": cell}

    monkeypatch.setattr(live_cell, "play", play)
    words = [str(CELL), "--system", "hazelcast", "--results", str(tmp_path / "runs.csv"), "--runs"]

    assert main([*words, "2"]) == main([*words, "3"]) == main([*words, "9", "--minutes", "0"]) == 0
    assert played == [0, 1, 2]
    assert capsys.readouterr().out.endswith("6 are left\n")


def test_several_runs_at_once_are_all_played() -> None:
    assert sorted(int(one["seed"]) for one in play_all(iter(range(5)), 2, partial(row, lost=0))) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("file", sorted(PAGES.rglob("*.csv")), ids=lambda file: str(file.relative_to(PAGES)))
def test_the_page_says_how_many_runs_its_files_have(file: Path) -> None:
    cell = next(line.partition(",")[0] for line in file.read_text(encoding="utf-8").splitlines()[1:])
    rows = read_rows(file, cell, file.stem)
    lossy = sum(int(one["lost"]) > 0 for one in rows if not one["stopped"])

    assert f"{lossy} of {len(rows)}" in (PAGES.parent / "three-readings.md").read_text(encoding="utf-8")
