"""An agent is tested before it accuses a system."""

import runpy
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import Mock

import pytest

from gridproof_implementation.adapter import AdapterError
from gridproof_implementation.live import agent
from gridproof_implementation.live.process import Launch
from gridproof_properties.audits import agent_check
from gridproof_properties.audits.agent_check import try_agent

LIVE = Path(agent.__file__).parent
WRONG_PLACE = ('"partition": toy.partition_of(key)', '"partition": (toy.partition_of(key) + int(toy.name[-1])) % 271')
WRONG_AT_ONE = (
    '"partition": toy.partition_of(key)',
    '"partition": (toy.partition_of(key) + (toy.name[-1] == "2")) % 271',
)
BEYOND = ('"partition": toy.partition_of(key)', '"partition": toy.partition_of(key) + 271')
LEAVES_ONE = (
    "toy = Toy()",
    "import subprocess\n\ntoy = Toy()\nsubprocess.Popen(['sleep', '60'], start_new_session=True)",
)
LIE = ("return ok(confirmed=toy.put(key, value))", "return ok(confirmed=2)")
FORGETFUL = ("copies(toy.held(),", "copies({},")
MOVED = ("copies(toy.held(),", "copies({(p + 1) % 271: held for p, held in toy.held().items()},")
ALL_AT_ONE = ('"partition": toy.partition_of(key)', '"partition": 0')
RAISES = ("return ok(value=toy.get(key))", "raise KeyError(key)")
RESTLESS = ('"why": toy.mend()', '"why": "it thinks"')
STRANGER = ('"rows": toy.rows()', '"rows": [[*row[:1], "nobody"] for row in toy.rows()]')
SHORT = ('"rows": toy.rows()', '"rows": toy.rows()[1:]')
SLOW = (
    "return ok(value=toy.get(key))",
    "__import__('time').sleep(key == 'key-1' and 0.2); return ok(value=toy.get(key))",
)
SILENT = ("    return ok(confirmed=toy.put(key, value))", "    __import__('time').sleep(99); return ok()")
LOUD = ("toy = Toy()", "toy = Toy()\nprint('Welcome!')")
STUBBORN = ("    serve(", "    import os, time\n\n    os._exit = lambda _: time.sleep(60)\n    serve(")
VERSIONS = """
def versions(partitions: list[int]) -> Any:
    held = toy.held()
    indices = {p: toy.rows()[p].index(toy.name) for p in partitions if toy.name in toy.rows()[p]}
    return {"copies": [{"partition": p, "index": i, "versions": [len(held[p])]} for p, i in indices.items()]}


PROMISES = """
COUNTS = ("replicas, leave)", "replicas, leave, versions)")
ELSEWHERE = ('"address": f"{host}:{port}"', '"address": f"192.0.2.1:{port}"')


IMPATIENT = {RESTLESS: ("SETTLE_DEADLINE_MS", 1_000), SLOW: ("SLOW_S", 0.15), STUBBORN: ("END_DEADLINE_S", 1.0)}
IMPATIENT[LEAVES_ONE] = IMPATIENT[STUBBORN]
"""What is waited for in vain is waited for shortly."""


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A good agent may take its time on a busy machine."""
    monkeypatch.setattr(agent_check, "SLOW_S", 15.0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The toy and its agent, as `adapter new` writes them."""
    shutil.copytree(LIVE / "skeletons" / "python", tmp_path / "mine")
    shutil.copy(LIVE / "agent.py", tmp_path / "mine" / "gridproof_agent.py")
    return tmp_path / "mine"


def test_the_toy_reads_the_entries_of_one_partition_alone(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The agent in Java asks for all 271 partitions, one after another."""
    monkeypatch.setenv("GRIDPROOF_FOLDER", str(tmp_path))
    toy = runpy.run_path(str(folder / "toy.py"))["Toy"]()
    toy.join("member-01", 8, 0)
    for number in range(40):
        toy.put(f"k{number}", "v")
    look = Mock(wraps=Path.exists)
    monkeypatch.setattr(Path, "exists", lambda file: look(file))

    held = {partition: toy.held_of(partition) for partition in range(8)}

    assert look.call_count == 40
    assert held == toy.held()


def complaints(folder: Path, *changes: tuple[str, str]) -> Iterator[str]:
    """What the check complains of when the agent is changed, in the order of its parts."""
    change_agent(folder, *changes)
    yield from complaints_of(folder, 15.0)


def change_agent(folder: Path, *changes: tuple[str, str]) -> None:
    text = (folder / "agent.py").read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    (folder / "agent.py").write_text(text, encoding="utf-8")


def complaints_of(folder: Path, deadline_s: float) -> Iterator[str]:
    for examined in try_agent(Launch((sys.executable, "agent.py"), folder=folder), deadline_s):
        yield from (f"{examined.part}: {complaint}" for complaint in examined.complaints)


def test_there_is_nothing_to_complain_of_in_a_good_agent(folder: Path) -> None:
    assert list(complaints(folder)) == []


def test_a_good_agent_is_good_in_every_locale(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("LC_ALL", "C"), ("PYTHONUTF8", "0"), ("PYTHONCOERCECLOCALE", "0")):
        monkeypatch.setenv(name, value)

    assert list(complaints_of(folder, 15.0)) == []


def test_founders_start_together_and_are_given_each_other_again(folder: Path) -> None:
    checks = 'assert len(_["founders"]) == 3\n    toy.join(name'

    assert (
        list(complaints(folder, ("toy.join(name", checks), ("promises=PROMISES", "promises=PROMISES, founders=3")))
        == []
    )


def test_who_cannot_be_started_again_is_reported(folder: Path) -> None:
    fails = 'import os\n    os.mkdir(os.environ["GRIDPROOF_FOLDER"] + "/" + name)\n    toy.join(name'

    found = list(complaints(folder, ("toy.join(name", fails)))

    assert any(complaint.startswith("a member can be started again: ") for complaint in found)


def test_a_member_that_is_started_again_before_anybody_noticed_that_it_ended(folder: Path) -> None:
    fails = (
        'import os\n    assert not os.path.exists(os.environ["GRIDPROOF_FOLDER"] + "/toy/" + name)\n    toy.join(name'
    )

    found = list(complaints(folder, ("toy.join(name", fails)))

    assert [complaint.partition(":")[0] for complaint in found] == ["a member can be started again"]


def test_an_empty_key_may_be_refused(folder: Path) -> None:
    put = "return ok(confirmed=toy.put(key, value)) if toy.members() else refused("

    assert list(complaints(folder, (put, put.replace("toy.members()", "key")))) == []


@pytest.mark.parametrize(
    ("wrong", "expected"),
    [
        (("len(held[p])", "len(held[p])"), None),
        (("len(held[p])", "0"), "were acknowledged; member-01 counts 0"),
        pytest.param(('"index": i', '"index": 0'), "by the table; `versions` shows 0", marks=pytest.mark.nightly),
        (("in partitions if", "in partitions[1:] if"), "by the table; `versions` shows None"),
    ],
)
def test_versions_fit_the_table_and_what_was_written(
    folder: Path, wrong: tuple[str, str], expected: str | None
) -> None:
    assert wrong[0] in VERSIONS
    found = list(complaints(folder, ("PROMISES = ", VERSIONS.replace(*wrong, 1)), COUNTS))

    assert (found == []) if expected is None else any(expected in complaint for complaint in found)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (WRONG_PLACE, "members disagree where 'plain' belongs"),
        (ALL_AT_ONE, "all of 67 keys are in one partition of 271"),
        (LIE, "'plain' was acknowledged with 'value', and member-01 reads nothing"),
        (RAISES, "KeyError: 'never written'"),
        (FORGETFUL, "has a copy of 'plain' by the table; `replicas` shows nothing there"),
        (SHORT, "has 270 rows, but the grid has 271 partitions"),
        (RESTLESS, "after member 1 joined it never came to rest: member-01: it thinks"),
        (LEAVES_ONE, "1 process that member-03 had started still ran 1 s after its standard input had ended"),
        *(
            pytest.param(*row, marks=pytest.mark.nightly)
            for row in (
                (MOVED, "in partition "),
                (STRANGER, "a table at rest names nobody:0/"),
                (SLOW, "get took "),
                (LOUD, "member-01 prints what is no answer on standard output: 'Welcome!'"),
                (ELSEWHERE, "only addresses 127.x are this machine's own"),
                (BEYOND, ", and there are only 271 partitions"),
                (STUBBORN, "still ran 1 s after its standard input had ended"),
            )
        ),
    ],
)
def test_a_fault_of_an_agent_is_reported(
    folder: Path, change: tuple[str, str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if change in IMPATIENT:
        monkeypatch.setattr(agent_check, *IMPATIENT[change])

    found = complaints(folder, change)

    assert any(expected in complaint for complaint in found)


def test_one_fault_is_not_taken_for_another(folder: Path) -> None:
    """Only as many complaints of one part are looked for as are shown; the next parts know what was not looked at."""
    disagree = [complaint for complaint in complaints(folder, WRONG_AT_ONE) if "members disagree" not in complaint]
    change_agent(folder, (WRONG_AT_ONE[1], WRONG_AT_ONE[0]))
    unread = list(complaints(folder, RAISES))

    assert disagree == []
    assert [complaint for complaint in unread if complaint.startswith("copies are where")] == []


def test_an_agent_that_does_not_answer_is_reported(folder: Path) -> None:
    change_agent(folder, SILENT)

    # On a busy machine something else may take longer than the shortest of these.
    found = (complaint for deadline_s in (1.0, 4.0, 16.0) for complaint in complaints_of(folder, deadline_s))

    assert any(
        "at rest the write of 'plain' was unknown: the agent gave no answer within " in complaint for complaint in found
    )


def test_after_a_part_that_breaks_off_the_others_are_not_reached(folder: Path) -> None:
    text = (folder / "agent.py").read_text(encoding="utf-8")
    (folder / "agent.py").write_text(text.replace('return {"member": toy.name, "rows"', 'return {"rows"'))

    parts = list(try_agent(Launch((sys.executable, "agent.py"), folder=folder)))

    assert [part.was_reached for part in parts].index(False) == 5
    assert 'to table: "member" is missing' in parts[4].complaints[0]


def test_an_agent_that_does_not_start_is_one_line(folder: Path) -> None:
    with pytest.raises(
        AdapterError, match=r"sent no valid hello: it ended \(exit status 1\); its last words: .*no such city"
    ):
        list(complaints(folder, ("toy = Toy()", "raise SystemExit('no such city')")))
