"""Makes the page that follows one write, from the call to the verdict.

A write is played in a world of three members, and what runs is listed as it runs: for each input of each member the
functions of `protocol/`, then those of the judges. `python -m tools.walk_of_a_write docs/walk-of-a-write.md` renews the
page; a house test holds it equal to what this makes.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType

from gridproof_implementation.protocol.effects import Answer
from gridproof_implementation.protocol.node import Call
from gridproof_implementation.protocol.structure import StructureId
from gridproof_implementation.protocol.structures.map import Put
from gridproof_implementation.simulator.host import Host
from gridproof_implementation.simulator.watcher import Watcher
from gridproof_implementation.simulator.world import World
from gridproof_model.events import ProtocolEvent
from gridproof_model.grid_config import GridConfig
from gridproof_model.grid_properties import PARTITION_COUNT, PropertySet
from gridproof_properties.strategies.trace_builder import TraceBuilder

ROOT = Path(__file__).resolve().parents[1]
SECOND_US = 1_000_000
PARTITIONS = 5
MAP = StructureId("map", "orders")
KEPT = "acknowledged-write-kept"
HEAD = """# A write, from the call to the verdict

This page follows one write in a grid of three members, with one sync backup: for each step it says what happens, and
which functions of which files run, in the order in which they are first called. The client asks a member that holds
neither the primary nor the backup of the key, so that every step needs a message. The page is made by
`python -m tools.walk_of_a_write docs/walk-of-a-write.md`, and a test compares it with the functions that run.
"""
STORY = {
    "call": (
        "The caller begins a call",
        "The client's call becomes an `Invocation`, which has a number, a budget of attempts and a clock. The limit\n"
        "on calls under way is not reached, a scan for time-outs is scheduled, and the first attempt looks up the\n"
        "owner in this member's own table, takes a call id, and sends a `Request`.",
    ),
    "Request": (
        "The primary executes it",
        "The primary checks that it owns the partition, that the partition does not migrate, and that the request is\n"
        "in time. Then the operation changes the structure, the partition's version vector grows by one, and a\n"
        "`Backup` with the versions is sent. The `Response` says for how many acknowledgements the caller waits.",
    ),
    "Backup": (
        "The backup applies it",
        "The update's version is the next one, so the update is applied; after a gap the replica would be dirty and\n"
        "would be synchronised. The backup sends its acknowledgement straight to the caller.",
    ),
    "Response": (
        "The response comes to the caller",
        "The call id in the response identifies the call. The response is kept as long as acknowledgements are\n"
        "missing, and the backup timeout begins.",
    ),
    "BackupAck": (
        "The acknowledgement comes to the caller",
        "The acknowledgement is counted, once for each backup, and may arrive before the response. When response and\n"
        "acknowledgements have arrived the call ends with one `Answer`.",
    ),
}
VERDICT = (
    "The records are judged",
    "The harness recorded the joined members, the table shown, the client's answer, and the result of a read after\n"
    f"the primary crashed. A judge sees only these records. `{KEPT}`\n"
    "keeps the last acknowledged write of each key and compares it with reads at rest.",
)


@dataclass(slots=True)
class Step:
    """One input of one member, and what ran."""

    who: str
    functions: list[tuple[str, str]] = field(default_factory=list)
    """Files, and functions in them, in the order of their first call."""
    events: list[str] = field(default_factory=list)


@contextmanager
def noting(folder: str, functions: list[tuple[str, str]]) -> Iterator[None]:
    """Note which functions of a folder run, each once."""

    def note(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and (found := place_of(frame.f_code, folder)) is not None and found not in functions:
            functions.append(found)

    sys.setprofile(note)
    try:
        yield
    finally:
        sys.setprofile(None)


def place_of(code: CodeType, folder: str) -> tuple[str, str] | None:
    """Return the file and the name of a function that was written in a folder; None for all others."""
    name = code.co_qualname
    if folder not in code.co_filename or "<" in name or "__" in name:
        return None
    return Path(code.co_filename).relative_to(ROOT).as_posix(), name


class Seen(Watcher):
    """Events of the step that is watched, and all answers."""

    def __init__(self, watched: Sequence[Step]) -> None:
        self.watched = watched
        self.answers: list[Answer] = []

    def event(self, at_us: int, member: int, event: ProtocolEvent) -> None:
        """Keep the type of an event."""
        if self.watched:
            self.watched[-1].events.append(type(event).__name__)

    def answered(self, member: int, answer: Answer) -> None:
        """Keep an answer."""
        self.answers.append(answer)


def played() -> dict[str, Step]:
    """Play the write; return its steps by the input that began each."""
    steps: dict[str, Step] = {}
    watched: list[Step] = []

    config = GridConfig(properties=PropertySet.of({PARTITION_COUNT.name: str(PARTITIONS)}))
    seen = Seen(watched)
    world = World(1, config, watcher=seen)
    for _ in range(3):
        world.start_member()
        world.run(world.now_us + SECOND_US)
    ask(world, world.latest_hosts[0], seen)
    caller, partition, roles = roles_in(world)

    def stepping(deliver: Callable[..., None]) -> Callable[..., None]:
        def step(host: Host, *arguments: object) -> None:
            kind = type(arguments[-1]).__name__
            if kind not in STORY or kind in steps:
                deliver(host, *arguments)
                return
            one = steps[kind] = Step(roles[host.number])
            watched.append(one)
            with noting("/gridproof_implementation/protocol/", one.functions):
                deliver(host, *arguments)
            watched.clear()

        return step

    world._deliver = stepping(world._deliver)  # type: ignore[method-assign]
    first = steps["call"] = Step(roles[caller.number])
    watched.append(first)
    with noting("/gridproof_implementation/protocol/", first.functions):
        world.call(caller, Call(2, Put(MAP, "key", "value"), partition))
    watched.clear()
    world.run(world.now_us + SECOND_US)
    return {kind: steps[kind] for kind in STORY}


def ask(world: World, host: Host, seen: Seen) -> Answer:
    """Write once, so that the partitions are arranged; return the answer."""
    world.call(host, Call(1, Put(MAP, "first", "value"), 0))
    world.run(world.now_us + 10 * SECOND_US)
    return seen.answers[0]


def roles_in(world: World) -> tuple[Host, int, dict[int, str]]:
    """Return a member, a partition that it is neither primary nor first backup of, and what each member is to it."""
    caller = world.latest_hosts[0]
    rows = caller.member.node.partitions.rows
    partition = next(place for place, row in enumerate(rows) if caller.description.id not in row.slots[:2])
    numbers = world.numbers
    primary, backup = (numbers[slot] for slot in rows[partition].slots[:2] if slot is not None)
    return caller, partition, {caller.number: "the caller", primary: "the primary", backup: "the backup"}


def judged() -> Step:
    """Judge the trace of such a write; return what ran."""
    step = Step("the judge")
    rows = [(1, 2), (2, 0), (0, 1)]
    run = TraceBuilder().join(0, 1, 2).view("joined", rows).write("key", "value", copies=2)
    run.crash(1).view("crashed", [(2,), (2, 0), (0,)]).read("key", "value")
    with noting("/gridproof_properties/", step.functions):
        verdict = run.judged(KEPT)
    step.events.append(f"{verdict.property}: {verdict.result.value}")
    return step


def page() -> str:
    """Return the page as it should be."""
    steps = played()
    parts = [HEAD]
    for place, (kind, step) in enumerate(steps.items(), start=1):
        title, text = STORY[kind]
        given = "a call" if kind == "call" else f"`{kind}`"
        recorded = ", ".join(f"`{event}`" for event in step.events)
        parts.append(section(f"{place}. {title}", text, step, f"Input: {given}, at {step.who}. Recorded: {recorded}."))
    verdict = judged()
    parts.append(section(f"{len(steps) + 1}. {VERDICT[0]}", VERDICT[1], verdict, f"Verdict: `{verdict.events[0]}`."))
    members, judges = files_of(*steps.values()), files_of(verdict)
    parts.append(
        f"\nThe functions of the write are in {len(members)} files of `protocol/`, those of the verdict in "
        f"{len(judges)} files of `properties/`.\n"
    )
    return "".join(parts)


def files_of(*steps: Step) -> set[str]:
    """Return the files that some steps run through."""
    return {file for step in steps for file, _ in step.functions}


def section(title: str, text: str, step: Step, summary: str) -> str:
    """Return one step of the walk: its functions by file, in the order of their first call."""
    by_file: dict[str, list[str]] = {}
    for file, function in step.functions:
        by_file.setdefault(file, []).append(f"`{function}`")
    rows = "\n".join(
        f"| [{'/'.join(Path(file).parts[-2:])}](../{file}) | {', '.join(f)} |" for file, f in by_file.items()
    )
    return f"\n## {title}\n\n{text}\n\n{summary}\n\n| file | what runs |\n|---|---|\n{rows}\n"


def main(arguments: Sequence[str]) -> int:
    """Write the page."""
    if len(arguments) != 1:
        print("usage: python -m tools.walk_of_a_write FILE", file=sys.stderr)
        return 2
    Path(arguments[0]).write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
