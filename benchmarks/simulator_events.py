"""Protocol events a second, against simpy and detangle.

The ping-pong is one message that two parties send to and fro over a link with a latency that is drawn; it measures
what carries messages and nothing else. All take turns in one process, and the best turn of each counts. The figure of
the grid is a whole run: members, clients, every step of the protocol written to a trace in a file.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import process_time
from timeit import repeat
from typing import cast

import detangle
import simpy
from simpy.events import ProcessGenerator

from gridproof_implementation.protocol.effects import Effect, Message, Send, Timer
from gridproof_implementation.protocol.member import GridMember
from gridproof_implementation.simulator.draw import draw_scenario
from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_implementation.simulator.links import LATENCY_SPREAD_US, LEAST_LATENCY_US
from gridproof_implementation.simulator.run import simulate
from gridproof_implementation.simulator.scenario import Scenario
from gridproof_implementation.simulator.world import World
from gridproof_implementation.trace import write_trace
from gridproof_implementation.trace.json_lines import EVENT_ENCODERS, Encoder
from gridproof_implementation.trace.schema import EVENT_FIELDS, check_event
from gridproof_model.events import Event
from gridproof_model.events.operation import Executed
from gridproof_model.events.trace_event import TraceEvent
from gridproof_model.membership import Address, MemberId
from gridproof_model.trace import EventRecord, Record
from tools.plain_encoder import plain_encoder

GOAL_PER_S = 50_000
"""Protocol events a second and core, every step of the protocol written to a file."""
_MESSAGES = 50_000
_CLIENT_OPERATIONS = 10_000
_TURNS = 3


def main() -> None:
    """Print messages a second of the three, then the figure of the grid."""
    games: Sequence[tuple[str, Callable[[int], float]]] = (
        ("gridproof", play_in_a_world),
        (f"simpy {simpy.__version__}", play_in_simpy),
        (f"detangle {detangle.__version__}", play_in_detangle),
    )
    turns = [[_MESSAGES / play(_MESSAGES) for _, play in games] for _ in range(_TURNS)]
    best = [max(rates) for rates in zip(*turns, strict=True)]
    print("ping-pong of two parties over a link with a drawn latency")
    for (name, _), rate in zip(games, best, strict=True):
        print(f"  {name:<16} {rate:>10,.0f} messages/s   ours is {best[0] / rate:5.2f} times as fast")
    print(f"a grid of 3 members, 271 partitions, 1 backup, 4 clients, traced to a file (goal: {GOAL_PER_S:,} events/s)")
    print(f"  {max(run_a_grid() for _ in range(_TURNS)):,.0f} events/s")
    generated, plain = write_events()
    print("the fields of all events of such a run as JSON, by functions made for each type and by a plain one")
    print(f"  made {generated:.2f} us an event, plain {plain:.2f} us: {plain / generated:.1f} times as long")
    quick, frozen = make_events()
    print("an event of nine fields, filled as Immutable does and as a frozen dataclass is filled")
    print(f"  {quick:.2f} us, frozen dataclass {frozen:.2f} us: {frozen / quick:.1f} times as long")


@dataclass(slots=True)
class _Player:
    """A party that sends the ball back."""

    other: Address
    left: int

    def receive(self, sender: MemberId, message: Message, now_us: int) -> list[Effect]:
        """Send it back, as long as the game goes on."""
        self.left -= 1
        return [Send(self.other, message)] if self.left > 0 else []

    def wake(self, timer: Timer, now_us: int) -> list[Effect]:
        """Sleep on."""
        return []


def play_in_a_world(messages: int) -> float:
    """Return the seconds of processor time that so many messages take between two members of a world."""
    world = World(1)
    hosts = [world.start_member() for _ in range(2)]
    for host, other in zip(hosts, reversed(hosts), strict=True):
        host.member = cast(GridMember, _Player(other.description.id.address, messages // 2))
    ball = Message(partition=0)
    world._send(hosts[0], Send(hosts[1].description.id.address, ball))
    before = process_time()
    world.run(messages * (LEAST_LATENCY_US + LATENCY_SPREAD_US))
    return process_time() - before


def play_in_simpy(messages: int) -> float:
    """Return the seconds that so many messages take between two processes of simpy."""
    chance = Random(1)
    environment = simpy.Environment()
    boxes = [simpy.Store(environment) for _ in range(2)]

    def carry(box: simpy.Store, ball: object) -> ProcessGenerator:
        yield environment.timeout(LEAST_LATENCY_US + int(chance.random() * LATENCY_SPREAD_US))
        yield box.put(ball)

    def play(mine: simpy.Store, other: simpy.Store) -> ProcessGenerator:
        for _ in range(messages // 2):
            ball = yield mine.get()
            environment.process(carry(other, ball))

    environment.process(play(boxes[0], boxes[1]))
    environment.process(play(boxes[1], boxes[0]))
    environment.process(carry(boxes[0], object()))
    before = process_time()
    environment.run()
    return process_time() - before


def play_in_detangle(messages: int) -> float:
    """Return the seconds that so many messages take between two mailboxes of detangle."""

    async def play(port: int, other: int) -> None:
        box = detangle.network().mailbox(port)
        if port == 1:
            box.send(("localhost", other), 0)
        for _ in range(messages // 2):
            ball, _ = await box.recv()
            box.send(("localhost", other), ball)

    async def both() -> None:
        second = detangle.spawn(play(2, 1))
        await play(1, 2)
        await second

    net = detangle.NetConfig(latency=(0.0001, 0.0005), latency_steps=400, copy_messages=False)
    before = process_time()
    detangle.run(both, seed=1, config=detangle.SimConfig(net=net, max_steps=100 * messages))
    return process_time() - before


def run_a_grid() -> float:
    """Return the events a second of processor time of one calm run, its trace written to a file."""
    scenario = _grid(_CLIENT_OPERATIONS)
    with TemporaryDirectory() as folder, write_trace(Path(folder) / "trace.jsonl") as trace:
        before = process_time()
        end = simulate(scenario, trace.write)
        return end.events / (process_time() - before)


def write_events() -> tuple[float, float]:
    """Return the microseconds of processor time an event that its fields take, by generated and by plain functions."""
    events: list[Event] = []

    def keep(record: Record) -> None:
        if isinstance(record, EventRecord):
            events.append(record.event)

    simulate(_grid(_CLIENT_OPERATIONS // 10), keep)
    plain = {kind: plain_encoder(fields, check_event) for kind, fields in EVENT_FIELDS.items()}
    return _best(EVENT_ENCODERS, events), _best(plain, events)


def _best(encoders: Mapping[type[TraceEvent], Encoder], events: Sequence[Event]) -> float:
    taken = []
    for _ in range(_TURNS):
        before = process_time()
        for event in events:
            encoders[type(event)](event)
        taken.append(process_time() - before)
    return min(taken) / len(events) * 1e6


@dataclass(frozen=True, slots=True)
class _Frozen:
    """The fields of `Executed`, as a dataclass fills them by itself."""

    partition: int
    namespace: str
    operation: str
    caller: int
    call_id: int
    versions: tuple[int, ...]
    changed: bool
    sent_to: tuple[int, ...]
    acks: int


def make_events() -> tuple[float, float]:
    """Return the microseconds that an event of nine fields takes, and a frozen dataclass with the same."""
    values = (3, "map:m", "Put", 1, 7, (1, 0), True, (1,), 1)
    made = (min(repeat(partial(kind, *values), number=2_000, repeat=50)) for kind in (Executed, _Frozen))
    quick, frozen = (seconds / 2_000 * 1e6 for seconds in made)
    return quick, frozen


def _grid(client_operations: int) -> Scenario:
    """Return the scenario of a calm run with so many requests of clients."""
    draw_options = DrawOptions(
        members=3, sync_backups=1, faults=(), workload="register", client_operations=client_operations
    )
    return replace(draw_scenario(3, draw_options), partition_count=271)
