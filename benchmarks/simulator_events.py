"""Protocol events a second, against simpy and detangle.

The ping-pong is one message that two parties send to and fro over a link with a latency that is drawn; it measures
what carries messages and nothing else. All take turns in one process, and the best turn of each counts. The figure of
the grid is a whole run: members, clients, every step of the protocol written to a trace in a file.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import process_time
from typing import cast

import detangle
import simpy
from simpy.events import ProcessGenerator

from gridproof_implementation.protocol.effects import Effect, Message, Send, Timer
from gridproof_implementation.protocol.member import GridMember
from gridproof_implementation.simulator.draw import Wishes, draw_scenario
from gridproof_implementation.simulator.links import LATENCY_SPREAD_US, LEAST_LATENCY_US
from gridproof_implementation.simulator.run import simulate
from gridproof_implementation.simulator.world import World
from gridproof_implementation.trace import write_trace
from gridproof_model.identity import Address, MemberId

GOAL_PER_S = 50_000
"""Protocol events a second and core, every step of the protocol written to a file."""
_MESSAGES = 50_000
_ERRANDS = 10_000
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
    world.on_answer = lambda number, answer: None
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
    wishes = Wishes(members=3, sync_backups=1, faults=(), workload="register", errands=_ERRANDS)
    scenario = replace(draw_scenario(3, wishes), partition_count=271)
    with TemporaryDirectory() as folder, write_trace(Path(folder) / "trace.jsonl") as trace:
        before = process_time()
        end = simulate(scenario, trace.write)
        return end.events / (process_time() - before)
