"""A cluster that the suite did not start: attached to, asked, and left as it was found."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from gridproof_implementation.adapter import AdapterError, Options, WriteAnswer
from gridproof_implementation.live.attached import Attached, Attachment, Command
from gridproof_implementation.live.folders import MANIFEST, adapter_in
from gridproof_model.membership import Address
from gridproof_model.trace import Outcome, Record
from gridproof_properties.audits.conformance import Extent, check_conformance
from gridproof_properties.audits.grid import GridPlan
from gridproof_properties.judging.verdict import Result
from tests.front_door.command_line import CommandLine
from tests.properties import live_toy

pytestmark = [pytest.mark.live, pytest.mark.xdist_group("live")]
PORTS = ("40001", "40002", "40003")
ATTACHES = """
import contextlib
def start(name, host, port, **fields):
    global me
    me = str(port)
    if not lives(me): raise RuntimeError("nobody runs there")
    return {"member": me, "address": f"{host}:{port}"}
def remove(key):
    with contextlib.suppress(FileNotFoundError): os.unlink(os.path.join(ROOT, "key-" + quote(key, safe="")))
    return ok()
"""
CRASH = 'kill -9 $(cat "$0/pid-${1##*:}")'
START = 'sleep 300 & echo $! > "$0/pid-${1##*:}"'
PROMISES = {name: {"word": "promised", "source": "its page", "under": "always"} for name in live_toy.PROMISED}


class Cluster:
    """Processes of somebody else that share a folder with an entry of theirs, and an adapter that attaches to them."""

    def __init__(self, folder: Path) -> None:
        self.data, self.adapter = folder / "data", folder / "mine"
        self.data.mkdir()
        self.adapter.mkdir()
        for port in PORTS:
            self._sh(START, port)
        (self.data / "key-theirs").write_text("precious")
        manifest = {"name": "mine", "command": [sys.executable, "agent.py"]}
        (self.adapter / "adapter.json").write_text(json.dumps(manifest))
        self.writes_agent(crash=["sh", "-c", CRASH, str(self.data)], start=["sh", "-c", START, str(self.data)])

    def _sh(self, script: str, port: str) -> None:
        subprocess.run(["sh", "-c", script, str(self.data), port], check=True, stdout=subprocess.DEVNULL)

    def writes_agent(self, *verbs: str, hello: object = None, **operator: list[str]) -> None:
        addresses = [f"127.0.0.1:{port}" for port in PORTS]
        attached = {"addresses": addresses, "operator": operator} if hello is None else hello
        source = live_toy.AGENT.replace('os.environ["GRIDPROOF_FOLDER"]', repr(str(self.data))) + ATTACHES
        offered = ", ".join(verbs or ("start, table, settled, partition, put, get, replicas, operate, leave, remove",))
        said = f"partitions=1, operations={live_toy.KINDS}, promises={PROMISES}, attached={attached}"
        (self.adapter / "agent.py").write_text(f"{source}\nserve('toy', '1', {offered}, {said})")

    def pids(self) -> list[int]:
        return [int((self.data / f"pid-{port}").read_text()) for port in PORTS]

    def is_as_found(self) -> bool:
        """Whether everybody runs, and only their entry is there."""
        for pid in self.pids():
            os.kill(pid, 0)
        kept = [file.name for file in self.data.iterdir() if file.name.startswith("key-")]
        return kept == ["key-theirs"] and (self.data / "key-theirs").read_text() == "precious"


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    found = Cluster(tmp_path)
    yield found
    for pid in found.pids():
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def test_an_audit_harms_nobody_and_leaves_no_key(cluster: Cluster) -> None:
    before, records = cluster.pids(), list[Record]()
    extent = Extent(GridPlan(key_count=40, many_calls=2, quiet_ms=1))

    verdicts = check_conformance(adapter_in(cluster.adapter / MANIFEST), Options(), records.append, extent=extent)

    found = {one.property: (one.result, one.compared) for one in verdicts}
    assert found["acknowledged-write-kept"] == (Result.HOLDS, found["acknowledged-write-kept"][1])
    assert found["acknowledged-write-kept"][1] > 40
    assert cluster.pids() == before
    assert cluster.is_as_found()
    assert "to 3 members that run already; every key begins with 'gridproof-" in str(records)
    assert "precious" not in str(records)


def test_a_fault_is_what_the_operators_command_does(gridproof: CommandLine, cluster: Cluster, tmp_path: Path) -> None:
    before = cluster.pids()
    words = ("--runs", 1, "--faults", "restart", "--seed", 1, "--out", tmp_path / "out", "--json")

    done = gridproof("check", "--system", cluster.adapter, *words)

    (found,) = done.json["scenarios"]
    assert (done.status, found["runs"][0]["faults"]) == (0, {"restart": {"planned": 1, "struck": 1, "missed": {}}})
    assert len(set(before) & set(cluster.pids())) == 2
    assert cluster.is_as_found()


def test_an_agent_that_attaches_is_tested_and_ends_nobody(gridproof: CommandLine, cluster: Cluster) -> None:
    before = cluster.pids()

    done = gridproof("adapter", "test", cluster.adapter)

    assert (done.status, "can be killed" in done.out) == (0, False)
    assert cluster.pids() == before
    assert cluster.is_as_found()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("--runs 1 --faults pause", "--faults: pause needs the operator's command pause and resume, which mine does"),
        ("--runs 1 --faults leave", "--faults: leave needs members that the suite started, which mine does"),
        ("--runs 1 --workload queue", "--workload queue: the agent of mine does not offer offer or poll"),
        ("--members 2", "--members 2: toy has 3 members that run already; write --members 3"),
    ],
)
def test_what_cannot_be_done_to_members_of_others_is_refused_by_name(
    gridproof: CommandLine, cluster: Cluster, words: str, expected: str
) -> None:
    done = gridproof("check", "--system", cluster.adapter, *words.split())

    assert (done.status, done.err.count("\n")) == (2, 1)
    assert expected in done.err


@pytest.mark.parametrize(
    ("hello", "expected"),
    [
        ({"addresses": []}, "addresses must name at least one member"),
        ({"addresses": ["127.0.0.1:1"] * 2}, "and each member once only"),
        ({"addresses": ["here"]}, "must be HOST:PORT, not 'here'"),
        ({"addresses": ["a:1"], "operator": {"kill": ["kill"]}}, "kill"),
    ],
    ids=str,
)
def test_a_hello_that_attaches_wrongly_is_one_line(
    gridproof: CommandLine, cluster: Cluster, hello: object, expected: str
) -> None:
    cluster.writes_agent(hello=hello)

    done = gridproof("check", "--system", cluster.adapter)

    assert (done.status, done.err.count("\n")) == (2, 1)
    assert expected in done.err


def test_who_cannot_take_keys_out_is_refused(gridproof: CommandLine, cluster: Cluster) -> None:
    cluster.writes_agent("start", "table", "settled", "partition", "put", "get", "replicas")

    done = gridproof("check", "--system", cluster.adapter)

    assert done.status == 2
    assert "attaches to members; such an agent must offer `remove`, with which gridproof" in done.err


HERE = Address("127.0.0.1", 1)


def attachment(tmp_path: Path, **commands: str) -> Attachment:
    """One whose commands write what they do into a file."""
    log = tmp_path / "log"
    usual = {command.value: f'echo {command.value} "$1" >> "$0"' for command in Command}
    operator = {Command(name): ("sh", "-c", script, str(log)) for name, script in {**usual, **commands}.items()}
    return Attachment(Attached((HERE,), operator), "toy")


@pytest.mark.parametrize(("done", "undone"), [(Command.CRASH, Command.START), (Command.PAUSE, Command.RESUME)])
def test_what_was_done_to_a_member_is_undone_at_the_end_and_once(
    tmp_path: Path, done: Command, undone: Command
) -> None:
    found = attachment(tmp_path)

    found.do(undone, HERE)
    found.do(done, HERE)
    for _ in range(2):
        found.leave_as_found(lambda _: WriteAnswer(Outcome.OK))

    assert (tmp_path / "log").read_text() == f"{done} {HERE}\n{undone} {HERE}\n"


def test_a_command_that_fails_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(
        AdapterError, match=r"^toy: the operator's command to crash 127.0.0.1:1 failed: no such unit; correct"
    ):
        attachment(tmp_path, crash="echo no such unit >&2; exit 3").do(Command.CRASH, HERE)


def test_keys_that_cannot_be_taken_out_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gridproof_implementation.live.attached.TAKEN_OUT_WITHIN_S", 0.0)
    found = attachment(tmp_path)
    found.keys.asked("put_many", {"entries": {"a": "1", "b": "2"}})

    with pytest.raises(
        AdapterError, match=r"2 keys that begin with 'gridproof-\w{8}/' are left in toy: it is read-only"
    ):
        found.leave_as_found(lambda _: WriteAnswer(Outcome.REFUSED, detail="it is read-only"))
