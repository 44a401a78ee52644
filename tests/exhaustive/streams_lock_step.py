"""What each step of `snapshot` is in `streams`, where every member hears at once of a loss and of a stop."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from gridproof_model.language import Plain, State
from gridproof_model.language.run import Event, Runner
from gridproof_model.specifications.snapshot import state as snapshot
from gridproof_model.specifications.streams import state as streams
from tests.exhaustive.in_step import Pair

PLENTY = 1_000_000
BUDGETS = ("endings_left", "removals_left", "omissions_left", "exposures_left")
SILENT = ("anti_entropy_repairs_backup", "new_backup_is_created")
"""What is about replicas only."""
PHASES = {
    snapshot.Phase.NONE: streams.Phase.NONE,
    snapshot.Phase.SAVING: streams.Phase.SAVING,
    snapshot.Phase.VALIDATED: streams.Phase.VALIDATED,
    snapshot.Phase.RECORDED: streams.Phase.RECORDED,
}


@dataclass(slots=True)
class LockStep:
    """Takes the steps of `streams` that one step of `snapshot` is; mutable."""

    runner: Runner
    before: State
    after: State
    """Of `snapshot`."""
    state: State
    """Of `streams`."""
    is_strict: bool

    def take(self, action: str, *arguments: Plain) -> None:
        """Take one action; StepError where the specification refuses it."""
        self.state = self.runner.step(self.state, Event(action, arguments))

    def follow(self, event: Event) -> None:
        """Do what an event of `snapshot` is."""
        if event.action not in SILENT:
            does: Callable[..., None] = getattr(self, f"_{event.action}")
            does(*(int(one) for one in event.arguments))

    @property
    def _master(self) -> int:
        return next(self._up())

    def _up(self) -> Iterator[int]:
        return (member for member, is_up in enumerate(self.before["is_up"]) if is_up)

    def _owner(self, partition: int) -> int:
        owner: int = self.before["owner"][partition]
        return owner

    def _job_is_submitted(self) -> None:
        self.take("record_is_missing", self._master)
        self._start(self.after["owner"])

    def _start(self, owners: Sequence[int]) -> None:
        master = self._master
        self.take("execution_is_planned", master)
        for shard, owner in enumerate(owners):
            self.take("source_is_planned", master, shard, owner)
        for partition, owner in enumerate(owners):
            self.take("counter_is_planned", master, partition, owner)
        for member in self._up():
            self.take("member_takes_part", member, 0)
        self.take("execution_starts", master)
        for member in self._up():
            if self.state["underway"][0].restored is not None:
                self.take("saved_state_is_read", member)

    def _source_emits_item(self, source: int, counter: int) -> None:
        self.take("item_is_emitted", self._owner(source), source, counter)

    def _counter_counts_item(self, source: int, counter: int) -> None:
        self.take("item_is_counted", self._owner(counter), source, counter)

    def _source_saves_its_state(self, source: int) -> None:
        self.take("source_saves_its_state", self._owner(source), source)

    def _barrier_arrives(self, source: int, counter: int) -> None:
        self.take("barrier_arrives", self._owner(counter), source, counter)

    def _counter_saves_its_state(self, source: int, counter: int) -> None:
        self._barrier_arrives(source, counter)
        self.take("counter_saves_its_state", self._owner(counter), counter, True)

    def _source_chunk_is_backed_up(self, source: int) -> None:
        self.take("source_chunk_ends", 0, source, streams.Ending.BACKED)

    def _counter_chunk_is_backed_up(self, counter: int) -> None:
        self.take("counter_chunk_ends", 0, counter, streams.Ending.BACKED)

    @property
    def _missed(self) -> streams.Ending:
        return streams.Ending.FAILED if self.is_strict else streams.Ending.BARE

    def _source_chunk_misses_its_backup(self, source: int) -> None:
        self.take("source_chunk_ends", 0, source, self._missed)

    def _counter_chunk_misses_its_backup(self, counter: int) -> None:
        self.take("counter_chunk_ends", 0, counter, self._missed)

    def _snapshot_begins(self, _is_missed: int) -> None:
        self.take("id_is_taken", self._master)
        self._clear()
        self.take("snapshot_begins", self._master, False)

    def _clear(self) -> None:
        recorded = self.state["memory"][self._master].recorded
        is_first = recorded is not None and self.state["saved"][recorded].map == 0
        self.take("map_is_cleared", self._master, 1 if is_first else 0)

    def _snapshot_is_validated(self, _is_missed: int) -> None:
        self.take("snapshot_is_validated", self._master)

    def _validation_is_indeterminate(self) -> None:
        self.take("validation_is_not_written", self._master)
        self._clear()

    def _snapshot_fails(self) -> None:
        self.take("snapshot_fails", self._master)
        self._clear()

    def _snapshot_is_recorded(self, _is_missed: int) -> None:
        self.take("commit_is_sent", self._master)
        self.take("snapshot_is_recorded", self._master)

    def _record_is_indeterminate(self) -> None:
        self.take("commit_is_sent", self._master)
        self.take("commit_is_in_doubt", self._master)
        self.take("execution_stops", self._master)

    def _older_map_is_cleared(self) -> None:
        self._clear()

    def _member_is_lost(self, member: int) -> None:
        master = self._master
        self.take("member_ends", member)
        for other in self._up():
            if other != member:
                self.take("member_is_removed", other, member)
        if member != master and self.state["runs"][master] is not None:
            self.take("execution_stops", master)

    def _read(self) -> None:
        """Let a new coordinator read the record that it has in memory afterwards."""
        if self.state["knows_record"][self._master]:
            return
        wanted = self.before["memory"]
        places = [
            place
            for place, record in enumerate(self.state["records"])
            if recorded_in(self.state, record) == (wanted.recorded, wanted.map, wanted.ongoing)
        ]
        if places:
            self.take("record_is_read", self._master, places[-1])
        else:
            self.take("record_is_missing", self._master)

    def _job_goes_on(self) -> None:
        self._read()
        self._start(self.before["owner"])

    def _job_is_found_corrupted(self) -> None:
        self._read()
        self.take("job_is_found_corrupted", self._master)


def recorded_in(state: State, record: Plain) -> tuple[int, int, int]:
    """Return recorded id, map and last id of a record, as `snapshot` has them: its maps begin with the other one."""
    if record.recorded is None:
        return 0, 0, record.ongoing
    named = state["saved"][record.recorded]
    return named.id, 1 - named.map, record.ongoing


def stepped(runner: Runner, pair: Pair, event: Event, after: State) -> Pair:
    """Return the pair after a step of `snapshot`; StepError where `streams` has no such step."""
    is_strict = bool(dict(runner.world.constants)["strict"])
    step = LockStep(runner, pair.abstract, after, pair.concrete, is_strict)
    step.follow(event)
    return Pair(after, _without_the_past(runner, step.state, after))


def _without_the_past(runner: Runner, state: State, abstract: State) -> State:
    """Return a state that remembers of executions, records and snapshots only what `snapshot` does."""
    nothing, execution = runner.start, state["underway"][0]
    changes: dict[str, Plain] = dict.fromkeys(BUDGETS, PLENTY)
    if abstract["job"] is not snapshot.Job.RUNNING:
        execution = nothing["underway"][0]
        changes["present"], changes["runs"] = nothing["present"], nothing["runs"]
    elif abstract["execution"].phase is snapshot.Phase.NONE:
        blank = nothing["underway"][0]
        execution = execution._replace(
            taking=None, arrived=blank.arrived, source_write=blank.source_write, counter_write=blank.counter_write
        )
    for name in ("memory", "phase", "runs"):
        kept: Plain = changes[name] if name in changes else state[name]
        changes[name] = tuple(
            nothing[name][member] if state["ended"][member] else one for member, one in enumerate(kept)
        )
    return _renumbered(state, abstract, execution, changes)


def _renumbered(state: State, abstract: State, execution: Plain, changes: dict[str, Plain]) -> State:
    """Return the state with the records and snapshots that are still spoken of, in their order."""
    spoken_of = {
        (record.recorded, record.map, record.ongoing)
        for record in (abstract["memory"], abstract["primary_ledger"].record, abstract["backup_ledger"].record)
    }
    last = {record: place for place, record in enumerate(state["records"])}
    places = [
        place
        for record, place in sorted(last.items(), key=lambda item: item[1])
        if recorded_in(state, record) in spoken_of or place + 1 == state["confirmed"]
    ]
    records = [state["records"][place] for place in places]
    named = {one.recorded for one in (*records, *changes["memory"])} | {execution.taking, execution.restored}
    slots = sorted(slot for slot in named if slot is not None)
    number = {None: None} | {old: new for new, old in enumerate(slots)}
    blank = state["saved"][0]._replace(id=0)
    saved = [state["saved"][old] for old in slots]
    empty = _blank_of(blank)
    return state.replaced(
        changes
        | {
            "records": tuple(one._replace(recorded=number[one.recorded]) for one in records),
            "confirmed": sum(place < state["confirmed"] for place in places),
            "memory": tuple(one._replace(recorded=number[one.recorded]) for one in changes["memory"]),
            "underway": (execution._replace(taking=number[execution.taking], restored=number[execution.restored]),),
            "saved": (*saved, *(empty,) * (len(state["saved"]) - len(saved))),
        }
    )


def _blank_of(one: Plain) -> Plain:
    """Return a snapshot that was not begun."""
    zeros = tuple((0,) * len(row) for row in one.sent)
    return one._replace(
        id=0,
        map=0,
        is_terminal=False,
        is_validated=False,
        is_cleared=False,
        offset=(0,) * len(one.offset),
        sent=zeros,
        counted=tuple((0,) * len(row) for row in one.counted),
    )


def difference(pair: Pair) -> str | None:
    """Return in what a pair differs, None where it is alike."""
    abstract, concrete = pair.abstract, pair.concrete
    if abstract["job"] is not snapshot.Job.RUNNING:
        return None
    master = next(member for member, is_up in enumerate(abstract["is_up"]) if is_up)
    execution, run, record = abstract["execution"], concrete["underway"][0], abstract["memory"]
    items = tuple(tuple(lane.count(snapshot.Token.ITEM) for lane in lanes) for lanes in execution.queue)
    emitted_items = tuple(tuple(len(lane) for lane in lanes) for lanes in run.queue)
    compared = {
        "offset": (run.offset, execution.offset),
        "counted": (run.counted, execution.counted),
        "items under way": (emitted_items, items),
        "phase": (concrete["phase"][master], PHASES[execution.phase]),
        "record": (recorded_in(concrete, concrete["memory"][master]), (record.recorded, record.map, record.ongoing)),
    }
    for name, (found, wanted) in compared.items():
        if found != wanted:
            return f"{name} is {found}, and should be {wanted}"
    return None
