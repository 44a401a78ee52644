"""The audit of a grid: build, load, enlarge, crash, reveal.

The audit drives the port and records; it judges nothing. Its story:

1. Members start one by one; after each, the grid settles and every member shows its table ("joined 1" ...).
2. Every key is written; right after some acknowledgements every member shows its own copy ("acknowledgement").
3. One more member joins. Some keys are read through each member, then all keys once, as a client would ("after join
   4"); every third is written again, so that copies left behind somewhere are old ("load again").
4. Nothing happens for a while, and a lite member joins where the grid has such members: nothing may move ("quiet",
   "lite member joined").
5. The oldest member is killed (SIGKILL). Some keys are written before anyone noticed ("during crash 1"). The grid
   settles; views, contents, and all keys ("after crash 1").
6. Reveal (bug-zoo 2, rule 2): clients are silent, and up to `backup_count` members are killed one by one, the grid at
   rest before each; all keys are read after each. A copy that was never made, or made wrong, shows now.

A member is killed only when the grid is at rest, so a grid that keeps b backups owes every acknowledged write
throughout. When the grid misses the deadline, nobody else is killed: it would prove nothing. Without backups nobody is
killed at all, and the keys are read "at the end".
"""

from dataclasses import dataclass, field
from random import Random

from gridproof_implementation.adapter import AdapterError, Grid, Options
from gridproof_model.identity import Member
from gridproof_model.trace import MemberChange, Outcome
from gridproof_properties.audits.recorder import NOT_OFFERED, SETTLED, UNSETTLED, Recorder, Sink, new_run
from gridproof_properties.audits.settle import settle


@dataclass(frozen=True, slots=True)
class GridPlan:
    """How much of everything an audit does."""

    key_count: int = 800
    sampled_every: int = 10
    """Every how many acknowledgements all copies are looked at."""
    rewritten_every: int = 3
    """Every how many keys one is written again after the last member joined."""
    crash_write_count: int = 30
    """Writes between a crash and the moment the grid noticed."""
    read_through_every: int = 4
    """Every how many keys one is read through each member too."""
    closer_look_count: int = 20
    """Keys whose every copy is recorded when a read surprises, per stage."""
    quiet_ms: int = 1_000
    settle_deadline_ms: int = 30_000


def audit_grid(grid: Grid, system: str, options: Options, sink: Sink, plan: GridPlan | None = None) -> None:
    """Run the whole audit; AdapterError when the grid cannot be driven any further."""
    recorder = Recorder(options.run or new_run(system), sink)
    recorder.head(
        system=system,
        version=grid.version,
        seed=options.seed,
        partition_count=grid.partition_count,
        backup_count=grid.backup_count,
    )
    _GridAudit(grid, recorder, options, plan or GridPlan()).run()


@dataclass(slots=True)
class _GridAudit:
    grid: Grid
    recorder: Recorder
    options: Options
    plan: GridPlan
    acknowledged: dict[str, str] = field(default_factory=dict)
    """The last acknowledged value by key: where to look closer, not a verdict."""
    keys: dict[str, int] = field(default_factory=dict)
    """Every key ever written, with its partition."""
    writes: int = 0
    at_rest: bool = True

    def run(self) -> None:
        for count in range(1, self.options.member_count + 1):
            self._join(count)
        self._write(range(self.plan.key_count), "load")
        self._look_at_contents("loaded")
        self._enlarge(self.options.member_count + 1)
        self._change_nothing()
        if self.grid.backup_count == 0:
            self._read_all("at the end")
        else:
            chance = Random(self.options.seed)
            self._crash(self.grid.members()[0], 1)
            for count in range(1, self.grid.backup_count + 1):
                data_members = [member for member in self.grid.members() if not member.lite]
                if self.at_rest and len(data_members) > 1:
                    self._reveal(chance.choice(data_members[1:]), count)

    def _join(self, count: int) -> None:
        member = self.grid.start_member()
        self.recorder.joined(self.grid.now_ms, member, self.grid.group_of(member))
        self._settle_and_look(f"joined {count}")

    def _enlarge(self, count: int) -> None:
        self._join(count)
        self._look_at_contents(f"joined {count}")
        self._read_all(f"after join {count}")
        self._write(range(0, self.plan.key_count, self.plan.rewritten_every), "load again")
        self._look_at_contents("loaded again")

    def _change_nothing(self) -> None:
        """Let time pass, and let a member join that may own nothing."""
        self.grid.wait(self.plan.quiet_ms)
        self._settle_and_look("quiet")
        try:
            member = self.grid.start_member(lite=True)
        except AdapterError as error:
            self.recorder.event(self.grid.now_ms, NOT_OFFERED, str(error))
            return
        self.recorder.joined(self.grid.now_ms, member, self.grid.group_of(member))
        self._settle_and_look("lite member joined")

    def _crash(self, victim: Member, count: int) -> None:
        self._kill(victim)
        first = self.plan.key_count
        self._write(range(first, first + self.plan.crash_write_count), f"during crash {count}", sampled_every=1)
        self._settle_and_look(f"crashed {count}")
        self._look_at_contents(f"crashed {count}")
        self._read_all(f"after crash {count}")

    def _reveal(self, victim: Member, count: int) -> None:
        self._kill(victim)
        self._settle_and_look(f"revealed {count}")
        self._look_at_contents(f"revealed {count}")
        self._read_all(f"after reveal {count}")

    def _kill(self, victim: Member) -> None:
        self.grid.crash(victim)
        self.recorder.gone(self.grid.now_ms, victim, MemberChange.CRASHED)

    def _settle_and_look(self, stage: str) -> None:
        """Wait for rest, then record the table of every member."""
        ended = settle(self.grid, self.plan.settle_deadline_ms)
        self.at_rest = ended.settled
        self.recorder.event(self.grid.now_ms, SETTLED if ended.settled else UNSETTLED, f"{stage}: {ended}")
        for member in self.grid.members():
            # A lone group is split when it grows (reference partitioning 6.2): groups may change without the member.
            self.recorder.updated(member, self.grid.group_of(member))
        for member in self.grid.members():
            rows = self.grid.view_table(member)
            self.recorder.view(self.grid.now_ms, stage, member, rows, settled=ended.settled)

    def _write(self, numbers: range, stage: str, *, sampled_every: int | None = None) -> None:
        """Write these keys, a value each that no other write has."""
        if not self.grid.holds_data:
            return
        for number in numbers:
            key, value = f"key-{number}", f"value-{self.writes}"
            self.writes += 1
            partition = self.keys.setdefault(key, self.grid.partition_of(key))
            begin_ms = self.grid.now_ms
            answer = self.grid.write(key, value)
            self.recorder.wrote(stage, key, partition, value, answer, (begin_ms, self.grid.now_ms))
            if answer.outcome is Outcome.OK:
                self.acknowledged[key] = value
                if self.writes % (sampled_every or self.plan.sampled_every) == 0:
                    self._look_at_copies(key, "acknowledgement")

    def _read_all(self, stage: str) -> None:
        """Read some keys through each member, then every key once; of the first that surprise, every copy."""
        for key in list(self.keys)[:: self.plan.read_through_every]:
            for member in self.grid.members():
                self._read(key, f"through members {stage}", member)
        surprises = [key for key in self.keys if self._read(key, stage)]
        for key in surprises[: self.plan.closer_look_count]:
            self._look_at_copies(key, stage)

    def _read(self, key: str, stage: str, through: Member | None = None) -> bool:
        """Read one key; return whether the answer is another value than the last acknowledged one."""
        begin_ms = self.grid.now_ms
        answer = self.grid.read(key, through=through)
        self.recorder.read(stage, key, self.keys[key], answer, (begin_ms, self.grid.now_ms))
        return answer.outcome is Outcome.OK and answer.value != self.acknowledged.get(key, answer.value)

    def _look_at_copies(self, key: str, stage: str) -> None:
        partition = self.keys[key]
        for member in self.grid.members():
            begin_ms = self.grid.now_ms
            held = self.grid.read_replica(member, partition)
            self.recorder.read_copy(stage, key, partition, member, held, (begin_ms, self.grid.now_ms))

    def _look_at_contents(self, stage: str) -> None:
        """Record what every member holds of every partition, in whatever role."""
        if not self.grid.holds_data:
            return
        for member in self.grid.members():
            # A lone group is split when it grows (reference partitioning 6.2): groups may change without the member.
            self.recorder.updated(member, self.grid.group_of(member))
        for member in self.grid.members():
            rows = self.grid.view_table(member)
            for partition, row in enumerate(rows):
                held = self.grid.read_replica(member, partition)
                if held is not None or member.id in row.slots:
                    self.recorder.digest(self.grid.now_ms, stage, member, partition, held, settled=self.at_rest)
