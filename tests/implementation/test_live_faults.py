"""Faults of a fleet, on real processes."""

import os
import shutil
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

import pytest

from gridproof_implementation.adapter import AdapterError, Options
from gridproof_implementation.live import network as networks
from gridproof_implementation.live.addresses import Addresses
from gridproof_implementation.live.agent_grid import AgentGrid, open_agents
from gridproof_implementation.live.answers import HELLO
from gridproof_implementation.live.fault import LiveSetting
from gridproof_implementation.live.faults import LIVE_FAULTS, LIVE_FAULTS_BY_NAME
from gridproof_implementation.live.network import NETS, Network, remove_strays, why_no_network
from gridproof_implementation.live.process import Launch, NoAnswerError
from gridproof_implementation.simulator.faults import FAULTS_BY_NAME
from gridproof_implementation.simulator.scenario import FaultEvent
from gridproof_model.events import Event
from gridproof_model.membership import Member
from gridproof_model.trace import MemberChange

pytestmark = [pytest.mark.live, pytest.mark.xdist_group("live")]
networked = pytest.mark.skipif(why_no_network() is not None, reason=str(why_no_network()))

AGENT = """
import os, socket, threading
from gridproof_implementation.live.agent import ok, serve
me, starts = "", 0
def listen(host, port):
    server = socket.create_server((host, port))
    def answer():
        while True:
            peer, _ = server.accept()
            peer.sendall(b"here")
            peer.close()
    threading.Thread(target=answer, daemon=True).start()
def start(name, host, port, **fields):
    global me
    me = name
    note = os.path.join(os.environ["GRIDPROOF_FOLDER"], name)
    with open(note, "a") as file: file.write("x")
    listen(host, port)
    return {"member": name, "address": f"{host}:{port}"}
def table(): return {"member": me, "rows": [[me]]}
def settled(): return {"member": me, "members": [me], "why": None}
def partition(key): return {"partition": 0, "owner": me}
def put(key, value): return ok()
def get(key): return ok(value=str(os.path.getsize(os.path.join(os.environ["GRIDPROOF_FOLDER"], me))))
def replicas(partitions=()): return {"copies": []}
def leave(): return {"done": True}
def reach(host, port):
    try:
        with socket.create_connection((host, port), 0.4) as peer:
            peer.settimeout(0.4)
            return {"reached": peer.recv(4) == b"here"}
    except OSError:
        return {"reached": False}
serve("toy", "1", start, table, settled, partition, put, get, replicas, leave, reach)
"""


def test_who_cannot_be_asked_to_leave_leaves_not() -> None:
    said = {"id": 0, "protocol": 1, "system": "toy", "version": "1", "promises": {}}
    lone, leaving = (HELLO.read({**said, "offers": offers}) for offers in ([], ["leave"]))

    assert LIVE_FAULTS_BY_NAME["leave"].why_not_offered("toy", leaving) is None
    assert LIVE_FAULTS_BY_NAME["crash"].why_not_offered("toy", lone) is None
    assert LIVE_FAULTS_BY_NAME["leave"].why_not_offered("toy", lone) == (
        "leave needs a verb that the agent of toy does not offer"
    )


class Field:
    """Members of a toy by address, and what was recorded of them."""

    def __init__(self, grid: AgentGrid) -> None:
        self.grid = grid
        self.changes: list[MemberChange] = []
        self.failures: list[Event] = []
        self.addresses = Addresses(grid, lambda member, change: self.changes.append(change), self.failures.append)

    def inject(self, name: str, *address_indices: int, amount: int = 0) -> "Field":
        """Inject it, and keep how it is undone."""
        heal = LIVE_FAULTS_BY_NAME[name].inject(self.addresses, FaultEvent(name, 0, 1_000, address_indices, amount))
        assert heal is not None
        self.undo = heal
        return self

    def heal(self) -> None:
        """Undo it, and start who is to start again then."""
        address_index = self.undo()
        if address_index is not None:
            self.addresses.start_again(address_index)

    def member(self, address_index: int) -> Member:
        member = self.addresses.member_at(address_index)
        assert member is not None
        return member

    def reached(self) -> set[tuple[int, int]]:
        """Which members reach which others."""
        pairs = [
            (one, other) for one in range(len(self.addresses)) for other in range(len(self.addresses)) if one != other
        ]
        return {(one, other) for one, other in pairs if self.reaches(one, other)}

    def heals(self) -> bool:
        """Whether all reach each other again before long: whoever was cut off may have to look for the others."""
        return any(self.reached() == ALL for _ in range(20))

    def reaches(self, one: int, other: int) -> bool:
        address = self.member(other).id.address
        asked = self.grid.process_of(self.member(one)).ask("reach", host=address.host, port=address.port)
        return bool(asked["reached"])


@contextmanager
def opened(members: int = 3, *, networked: bool = False) -> Iterator[Field]:
    launch = Launch((sys.executable, "-c", AGENT))
    with open_agents(launch, Options(partition_count=1, networked=networked), deadline_s=5) as grid:
        for _ in range(members):
            grid.start_member()
        yield Field(grid)


ALL = {(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)}


@pytest.fixture(scope="module")
def plain() -> Iterator[Field]:
    """Three members on one host."""
    with opened() as field:
        yield field


@pytest.fixture(scope="module")
def spread() -> Iterator[Field]:
    """Three members on a host each."""
    with opened(networked=True) as field:
        yield field


def test_who_crashes_starts_again_at_its_address_as_another_member(plain: Field) -> None:
    before = plain.member(0)
    plain.inject("crash", 0)
    gone = plain.addresses.member_at(0)
    plain.heal()

    assert gone is None
    assert plain.member(0).id.address == before.id.address
    assert plain.member(0).id != before.id
    assert plain.changes[-2:] == [MemberChange.CRASHED, MemberChange.JOINED]


def test_what_a_member_left_on_disk_is_there_when_it_starts_again(plain: Field) -> None:
    started = int(plain.grid.read("k", through=plain.member(1)).value or 0)

    plain.inject("restart", 1).heal()

    assert int(plain.grid.read("k", through=plain.member(1)).value or 0) == started + 1


def test_who_pauses_answers_nobody_until_it_is_resumed(plain: Field) -> None:
    plain.inject("pause", 0)
    process = plain.grid.process_of(plain.member(0))

    with pytest.raises(NoAnswerError):
        process.ask("table", timeout_s=0.3)
    plain.heal()
    assert process.ask("table", timeout_s=5)["member"] == "member-01"


def test_who_pauses_can_crash_and_is_not_resumed_any_more(plain: Field) -> None:
    plain.inject("pause", 0)
    resume = plain.undo
    plain.inject("crash", 0)
    resume()
    plain.heal()

    assert plain.grid.read("k", through=plain.member(0)).value is not None


def test_who_leaves_comes_back(plain: Field) -> None:
    plain.inject("leave", 2).heal()

    assert plain.changes[-2:] == [MemberChange.LEFT, MemberChange.JOINED]


def test_nothing_happens_where_nobody_runs(plain: Field) -> None:
    plain.inject("crash", 0)
    again = [
        LIVE_FAULTS_BY_NAME[name].inject(plain.addresses, FaultEvent(name, 0, 9, (0,))) for name in ("crash", "pause")
    ]
    plain.heal()

    assert again == [None, None]


def test_who_ends_by_itself_is_reported(plain: Field) -> None:
    os.killpg(plain.grid.process_of(plain.member(2)).pid, signal.SIGKILL)
    plain.grid.process_of(plain.member(2)).how_it_ended()

    plain.addresses.look_for_ended()

    assert plain.addresses.member_at(2) is None
    assert "address 2 ended by itself: it ended (signal 9)" in str(plain.failures[-1])
    plain.addresses.start_again(2)


def test_a_cut_without_a_network_is_refused_in_words(plain: Field) -> None:
    with pytest.raises(AdapterError, match="started without a network of its own"):
        plain.addresses.network.cut([(0, 1)])


@networked
@pytest.mark.parametrize(
    ("name", "address_indices", "lost"),
    [
        ("split", (2,), {(0, 2), (2, 0), (1, 2), (2, 1)}),
        ("split", (0, 1, 2), set[tuple[int, int]]()),
        ("cut", (0, 1), {(0, 1), (1, 0)}),
    ],
)
def test_a_cut_is_between_those_it_names_and_heals(
    spread: Field, name: str, address_indices: tuple[int, ...], lost: set[tuple[int, int]]
) -> None:
    heal = LIVE_FAULTS_BY_NAME[name].inject(spread.addresses, FaultEvent(name, 0, 1_000, address_indices))
    during = spread.reached()
    if heal is not None:
        heal()

    assert during == ALL - lost
    assert spread.heals()


@networked
@pytest.mark.skipif(shutil.which("nft") is None, reason="nft is not installed")
@pytest.mark.parametrize(
    ("name", "lost"), [("one-way", set[tuple[int, int]]()), ("overlapping-split", {(0, 2), (2, 0)})]
)
def test_what_needs_nft_is_cut_and_heals(spread: Field, name: str, lost: set[tuple[int, int]]) -> None:
    spread.inject(name, 0, amount=1)
    during = spread.reached()
    spread.heal()

    if name == "one-way":  # nothing is opened where no answer comes back
        lost = {pair for pair in ALL if 0 in pair}
    assert during == ALL - lost
    assert spread.heals()


@networked
def test_two_cuts_heal_apart(spread: Field) -> None:
    first = spread.inject("split", 0).undo
    second = spread.inject("split", 1).undo
    first()
    during = spread.reached()
    second()

    assert during == {(0, 2), (2, 0)}
    assert spread.heals()


@networked
def test_a_host_that_crashes_is_out_of_reach_and_comes_back(spread: Field) -> None:
    host = spread.grid.host_of(spread.member(1))
    assert host is not None
    spread.inject("crash", 1, amount=1)
    spread.heal()

    assert spread.grid.host_of(spread.member(1)) == host
    assert spread.heals()


@pytest.mark.parametrize(("carried", "rate"), [(0, "8000bit"), (30_000, "120000bit"), (9_000_000, "256000bit")])
def test_a_slow_link_lets_half_of_its_load_through(carried: int, rate: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bytes that the host carries in the second before; a link without a load is as slow as can be."""
    seen, said = iter([0, carried]), list[tuple[str, ...]]()
    monkeypatch.setattr(Network, "_carried", lambda _, host: next(seen))
    monkeypatch.setattr(networks, "_run", lambda *words: said.append(words))
    monkeypatch.setattr(networks, "sleep", lambda _: None)

    Network().slow_down([1])

    assert [words[words.index("rate") + 1] for words in said] == [rate, rate]


@networked
def test_a_slow_link_is_made_fast_again(spread: Field) -> None:
    spread.inject("slow-link", 0).heal()
    spread.inject("slow-link", 0).heal()

    assert spread.heals()


@networked
def test_who_is_cut_off_and_crashes_is_back_in_the_end(spread: Field) -> None:
    spread.inject("cut-and-crash", 2)
    cut = not spread.reaches(0, 2)
    spread.heal()

    assert cut
    assert spread.heals()


@networked
def test_a_run_removes_its_own_namespaces_and_no_others() -> None:
    with Network("gridproof-1-another") as other:
        other.add_host()
        with Network("gridproof-1-mine") as mine:
            mine.add_host()
        left = {path.name for path in NETS.glob("gridproof-1-*")}

    assert left == {"gridproof-1-another-sw", "gridproof-1-another-h0"}
    assert not list(NETS.glob("gridproof-1-*"))


@networked
def test_what_a_run_that_is_gone_left_behind_is_removed() -> None:
    gone = Network(f"gridproof-{2**22 + 1}")  # no process has such an id
    gone.__enter__()
    gone.add_host()

    assert remove_strays() == 2


def test_without_nft_a_split_is_made_by_bridges_and_one_way_cuts_are_refused() -> None:
    both = frozenset({(0, 2), (2, 0), (1, 2), (2, 1)})

    assert networks._groups(3, both) == [[0, 1], [2]]
    with pytest.raises(AdapterError, match="nft is not installed; type: apt-get install nftables"):
        networks._groups(3, frozenset({(0, 1)}))


@pytest.mark.parametrize("fault", LIVE_FAULTS, ids=lambda fault: fault.name)
def test_every_fault_event_that_is_drawn_says_whom_it_concerns(fault: object) -> None:
    fault = LIVE_FAULTS_BY_NAME[getattr(fault, "name", "")]
    setting = LiveSetting(address_count=4, span_ms=4_000, patience_ms=500)
    fault_events = [fault.draw(Random(seed), setting) for seed in range(200)]

    assert {fault_event.fault for fault_event in fault_events} == {fault.name}
    assert {address_index for fault_event in fault_events for address_index in fault_event.address_indices} == {
        0,
        1,
        2,
        3,
    }
    assert all(500 <= fault_event.at_ms <= 2_000 for fault_event in fault_events)
    assert all("address" in fault.describe(fault_event) for fault_event in fault_events)


def test_faults_that_both_worlds_have_bear_one_name() -> None:
    shared = {fault.name for fault in LIVE_FAULTS} & set(FAULTS_BY_NAME)

    assert shared == {"crash", "restart", "pause", "leave", "split", "overlapping-split", "one-way"}
