"""Options that `replay` follows or refuses."""

from pathlib import Path

import pytest

from gridproof_implementation.protocol import version_vector
from gridproof_implementation.protocol.calls import Backup
from gridproof_implementation.protocol.fragment import Fragment
from gridproof_implementation.protocol.replication.part import ReplicationPart
from gridproof_implementation.simulator.scenario import FaultEvent
from gridproof_implementation.simulator.scenario_file import write_scenario
from gridproof_model.events.words import Applied
from tests.front_door.command_line import CommandLine
from tests.properties.validated_runs import scenario


@pytest.fixture
def behaviour(gridproof: CommandLine, tmp_path: Path) -> Path:
    """A behaviour that `explore` wrote."""
    done = gridproof("explore", "two_phase_commit", "--set", "size=2", "--out", tmp_path / "explored")
    assert done.status == 0
    return next((tmp_path / "explored").glob("*.json"))


def test_the_picture_of_a_behaviour_goes_into_the_folder_that_is_named(
    gridproof: CommandLine, behaviour: Path, tmp_path: Path
) -> None:
    assert gridproof("replay", behaviour, "--out", tmp_path / "pictures").status == 0

    assert [path.name for path in (tmp_path / "pictures").iterdir()] == ["behaviour.svg"]


@pytest.mark.parametrize(
    "options", [("--members", "3"), ("--minutes", "1"), ("--workload", "queue"), ("--out", "a", "--svg", "b.svg")]
)
def test_what_a_behaviour_cannot_follow_is_refused(
    gridproof: CommandLine, behaviour: Path, options: tuple[str, ...]
) -> None:
    done = gridproof("replay", behaviour, *options)

    assert done.status == 2
    assert options[0] in done.err


def test_a_run_has_no_picture_of_a_behaviour(gridproof: CommandLine, tmp_path: Path) -> None:
    done = gridproof("replay", "3", "--svg", tmp_path / "run.svg")

    assert done.status == 2
    assert "--svg does not apply to a seed, only to a behaviour" in done.err


def test_the_event_that_a_specification_refuses_is_drawn(
    gridproof: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forget(self: ReplicationPart, fragment: Fragment, backup: Backup, verdict: Applied) -> None:
        fragment.versions = version_vector.taken_over(fragment.versions, backup.versions, backup.index)

    monkeypatch.setattr(ReplicationPart, "record", forget)
    lossy = scenario(FaultEvent("drop", 200, 20_000, (0, 1, 2), 30), pause_ms=1_700)
    write_scenario(tmp_path / "failing.json", lossy, "a gap leaves a backup clean")

    done = gridproof("replay", tmp_path / "failing.json", "--whole", "--out", tmp_path / "run")

    assert done.status == 1
    assert f"refused  {tmp_path / 'run' / 'refines-replication.svg'}" in done.out
    assert 'class="refused"' in (tmp_path / "run" / "refines-replication.svg").read_text()
