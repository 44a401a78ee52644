"""A stream job that runs beside the other work of a run.

The rider submits the job to a member while clients work and faults strike. Once faults have stopped, the job gets the
time that it needs, and when the grid is at rest, the rider reads how the job ended and what it counted. Two events in
the trace record the job: `job-asked` says which job was requested, and `job-seen` what was found."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from gridproof_implementation.protocol.effects import Answer, Effect
from gridproof_implementation.protocol.job import JobConfig
from gridproof_implementation.protocol.jobs.messages import item_at
from gridproof_implementation.protocol.jobs.records import JOB_RESULTS, partition_of_text, results_map
from gridproof_implementation.protocol.member import GridMember
from gridproof_implementation.protocol.node import Call
from gridproof_implementation.protocol.settings import SECOND_US
from gridproof_implementation.protocol.structures.map import Get
from gridproof_implementation.simulator.host import Host, next_alive
from gridproof_implementation.simulator.scenario import StreamJob
from gridproof_implementation.simulator.world import World
from gridproof_model.events.harness import JobAsked, JobSeen, Totals
from gridproof_model.events.words import Guarantee

NAME = "counts"
UNKNOWN = "unknown"
"""The status of a job that no member knows or reports."""
FIRST_CALL = -2
"""The number of a rider's first call; a rider counts its calls downwards, as clients count theirs upwards."""
LOOK_EVERY_US = 100_000
CALM_US = 3 * SECOND_US
"""The job counts as over once no member has had work to do for it during this time; until then a new master may find
the job."""

Recorder = Callable[[JobAsked | JobSeen], None]
"""A function that records an event."""


@dataclass(slots=True)
class JobRider:
    """One job, and the member to which it is submitted; mutable."""

    world: World
    job: StreamJob
    record: Recorder
    _submitter: Host | None = None
    _is_taken_in: bool = False
    """Whether the submitting member has handled the request for the job; a paused member does so later, or never."""
    _is_confirmed: bool = False
    _answers: dict[int, Answer] = field(default_factory=dict)

    @property
    def config(self) -> JobConfig:
        """The configuration of the job that is submitted."""
        job = self.job
        return JobConfig(
            NAME,
            Guarantee(job.guarantee),
            snapshot_interval_us=job.snapshot_interval_ms * 1_000,
            fail_on_indeterminate=job.strict,
            shard_count=job.shards,
            items_per_shard=job.items,
            key_count=job.keys,
            item_interval_us=job.item_interval_ms * 1_000,
        )

    def set_out(self) -> None:
        """Arrange that the job is submitted when its time has come."""
        self.world.at(self.job.at_ms * 1_000, self._submit)

    def on_end(self, host: Host) -> None:
        """When the submitting member ends, note whether the master had confirmed the job to this member."""
        if host is self._submitter:
            self._is_confirmed = self._is_taken_in and not host.member.node.jobs.is_unconfirmed(NAME)

    def on_answer(self, answer: Answer) -> None:
        """Handle the answer to one of the rider's own calls."""
        self._answers[answer.call] = answer

    def wait(self, deadline_us: int) -> None:
        """Let time pass until no member has work with the job any more, or until the deadline has passed."""
        until_us = self.world.now_us + deadline_us
        calm_us = 0
        while calm_us < CALM_US and self.world.now_us < until_us:
            self.world.run(self.world.now_us + LOOK_EVERY_US)
            is_calm = not any(
                host.alive and host.member.node.jobs.is_under_way(NAME) for host in self.world.latest_hosts
            )
            calm_us = calm_us + LOOK_EVERY_US if is_calm else 0

    def look(self, patience_us: int) -> None:
        """Read how the job ended and what it counted, and record this; do nothing if the job was never submitted."""
        if self._submitter is None:
            return
        if self._submitter.alive:
            self.on_end(self._submitter)
        keys = list(owed_totals(self.config))
        structures = [(JOB_RESULTS, NAME), *((results_map(NAME), key) for key in keys)]
        texts = self._read([Get(structure, key) for structure, key in structures], patience_us)
        totals = [(key, *_total(text)) for key, text in zip(keys, texts[1:], strict=True) if text is not None]
        self.record(JobSeen(NAME, self._is_confirmed, texts[0] or self._status(), tuple(totals)))

    def _submit(self) -> None:
        host = next_alive(self.world.latest_hosts, self.job.address_index)
        if host is None or self._submitter is not None:
            return
        self._submitter = host
        job = self.job
        owed = as_totals(owed_totals(self.config))
        self.record(
            JobAsked(NAME, self.config.guarantee, job.strict, job.shards, job.items, owed, job.snapshot_interval_ms)
        )
        self.world.enter(host, self._start_job, self.config)

    def _start_job(self, member: GridMember, config: JobConfig, now_us: int) -> Sequence[Effect]:
        self._is_taken_in = True
        return member.start_job(config, now_us)

    def _status(self) -> str:
        """Return the status of the job, as its coordinator reports it."""
        statuses = (host.member.node.jobs.status_of(NAME) for host in self.world.latest_hosts if host.alive)
        return next((str(status) for status in statuses if status is not None), UNKNOWN)

    def _read(self, gets: Sequence[Get], patience_us: int) -> Sequence[str | None]:
        """Return the values of entries; None for an entry that is absent, or for which no member answered.

        A member with little room for calls refuses some of them; these are repeated as long as each repetition brings
        further answers.
        """
        self._answers.clear()
        hosts = [host for host in self.world.latest_hosts if host.alive]
        for host in hosts:  # a member whose clock jumped may answer nothing for a while: then another one is asked
            places, before = self._unanswered(gets), len(gets) + 1
            while 0 < len(places) < before:
                self._ask(host, {FIRST_CALL - place: gets[place] for place in places}, patience_us)
                places, before = self._unanswered(gets), len(places)
        values = [self._answers.get(FIRST_CALL - place) for place in range(len(gets))]
        return [None if one is None or one.value is None else str(one.value) for one in values]

    def _ask(self, host: Host, gets: Mapping[int, Get], patience_us: int) -> None:
        """Ask a member for entries, given by the numbers of the calls, and wait for its answers."""
        for call, get in gets.items():
            partition = partition_of_text(get.key, self.world.config.partition_count)
            self._answers.pop(call, None)
            self.world.call(host, Call(call, get, partition))
        until_us = self.world.now_us + patience_us
        while not gets.keys() <= self._answers.keys() and self.world.now_us < until_us:
            self.world.run(self.world.now_us + LOOK_EVERY_US)

    def _unanswered(self, gets: Sequence[Get]) -> list[int]:
        return [place for place in range(len(gets)) if not self._is_answered(place)]

    def _is_answered(self, place: int) -> bool:
        answer = self._answers.get(FIRST_CALL - place)
        return answer is not None and answer.failure is None


def as_totals(totals: Mapping[str, tuple[int, int]]) -> Totals:
    """Return counts and sums by key in the form that events use."""
    return tuple((key, count, total) for key, (count, total) in totals.items())


def _total(text: str) -> tuple[int, int]:
    """Return the count and the sum that an entry of a job's results contains."""
    count, total = text.split()
    return int(count), int(total)


def owed_totals(job: JobConfig) -> Mapping[str, tuple[int, int]]:
    """Return the count and the sum of each key, in the order of keys, as they have to be if every item is counted
    once."""
    counts: Counter[str] = Counter()
    sums: Counter[str] = Counter()
    for shard in range(job.shard_count):
        for number in range(job.items_per_shard):
            item = item_at(job, shard, number)
            counts[item.key] += 1
            sums[item.key] += item.value
    return {key: (counts[key], sums[key]) for key in sorted(counts)}
