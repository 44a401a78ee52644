"""Plays a scenario on a live fleet.

Clients are threads; each talks to the member at its address or, if that member has ended, to the next member that runs;
clients ask at their own pace while faults take effect and heal, and every operation is recorded with the times at which
it began and ended. Then all faults heal, missing members are started again, the grid settles by its own predicate, and
every copy and every key is read: at rest, and once more a little later, since a repair in the background may mend or
break something (docs/faults-on-live-systems.md).

This judges nothing. A client whose member has ended asks the next member from then on; a call that is not answered in
time has an unknown outcome, and its client goes on.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Lock, Thread
from time import monotonic, sleep

from gridproof_implementation.adapter import Ability, Adapter, AdapterError, CannotSayError, Options
from gridproof_implementation.live.addresses import Addresses
from gridproof_implementation.live.agent_grid import AgentGrid
from gridproof_implementation.live.draw import group_of
from gridproof_implementation.live.fault import Heal, LiveFault
from gridproof_implementation.live.faults import LIVE_FAULTS_BY_NAME
from gridproof_implementation.live.operations import HELD_BY_MAPS, Said, ask, entries_of, one_by_one
from gridproof_implementation.live.process import NOT_SENT
from gridproof_implementation.simulator.scenario import ClientOperation, FaultEvent, Scenario, Script
from gridproof_implementation.simulator.workload import Workload
from gridproof_implementation.simulator.workloads import get_workload
from gridproof_model.events import Event
from gridproof_model.events.conditions import FaultBegun, FaultEnded
from gridproof_model.events.fault_counts import AFTER_THE_WORK, IT_TAKES_TWO, NOBODY_THERE, NOTHING_TO_DO
from gridproof_model.events.harness import FleetFailed, Repaired
from gridproof_model.membership import Member
from gridproof_model.trace import MemberChange, OperationKind, Outcome, Record
from gridproof_properties.audits.recorded_grid import RecordedGrid
from gridproof_properties.audits.recorder import Recorder, Sink
from gridproof_properties.audits.settle import SETTLE_DEADLINE_MS, settle
from gridproof_properties.audits.table_poll import TablePoll
from gridproof_properties.judging.work import AT_REST, BUSY, LATER

CALL_DEADLINE_S = 8.0
"""How long a client waits for an answer: longer than the default backup timeout of 5 s."""
POLLED_SETTLE_MS = 60_000
"""A run waits for rest at most `POLLED_SETTLE_MS`, then at most `SETTLE_DEADLINE_MS`; the second wait is recorded."""
LATER_MS = 2_000
ASKED_AT_ONCE = 8
LOOK_EVERY_S = 0.05
"""While a fault is awaited: how often the run checks whether clients are still at work."""


FaultOutcome = tuple[FaultEvent, str]
"""A fault event whose time has come, and the reason why it affected no member; empty if it did affect one."""


def play_live(
    scenario: Scenario,
    grid: AgentGrid,
    system: Adapter,
    options: Options,
    sink: Sink,
    outcomes: list[FaultOutcome],
) -> None:
    """Play a scenario on a grid that has no members yet; raise AdapterError if the grid can no longer be driven.

    The outcome of each fault event is added to `outcomes` when its time comes.
    """
    lock = Lock()

    def take(record: Record) -> None:
        with lock:
            sink(record)

    grid.deadline_s = CALL_DEADLINE_S
    recorded = RecordedGrid(grid, system, options, take, settle_deadline_ms=SETTLE_DEADLINE_MS)
    _LiveRun(scenario, grid, recorded, recorded.recorder, outcomes).run()


@dataclass(slots=True)
class _LiveRun:
    scenario: Scenario
    grid: AgentGrid
    recorded: RecordedGrid
    recorder: Recorder
    outcomes: list[FaultOutcome]
    partitions: Mapping[str, int] = field(default_factory=dict)
    uses: dict[str, str] = field(default_factory=dict)
    """For each key, the workload that it belongs to."""
    numbering: Lock = field(default_factory=Lock)
    striking: Lock = field(default_factory=Lock)
    """This lock is held while a fault begins or heals, but not during requests for which members may take long."""
    addresses: Addresses = field(init=False)
    is_broken_off: bool = False

    def run(self) -> None:
        self._start()
        for script in self.scenario.scripts:
            self._learn_keys(script)
            with TablePoll(self.grid, self.recorder, self.numbering, BUSY, self.partitions.values()):
                self._play(script)
                self._come_to_rest()
            self._rest(AT_REST)
            self.recorded.wait(LATER_MS)
            self._rest(LATER)

    def _start(self) -> None:
        if Ability.FOUND in self.recorded.abilities:
            self.recorded.start_founders()
        for index in range(len(self.recorded.members()), self.scenario.members):
            self.recorded.start_member(group=group_of(self.scenario, index), lite=index in self.scenario.lite)
        self.recorded.stage = "started"
        settle(self.grid, POLLED_SETTLE_MS)
        self.recorded.settle()
        self.addresses = Addresses(self.grid, self._record_change, self._event)

    def _learn_keys(self, script: Script) -> None:
        """Find out what each key is used for, and its partition."""
        for client_operation in script.client_operations:
            self.uses |= dict.fromkeys(entries_of(client_operation), client_operation.use)
        unknown = sorted(self.uses.keys() - self.partitions.keys())
        with ThreadPoolExecutor(ASKED_AT_ONCE) as pool:
            found = dict(zip(unknown, pool.map(self.grid.partition_of, unknown), strict=True))
        for key, partition in found.items():
            self.recorded.note_route(key, partition)
        self.partitions = {**self.partitions, **found}

    # Methods about clients

    def _play(self, script: Script) -> None:
        """Let clients work and faults take effect; return when all faults have healed and all members run again."""
        clients: dict[int, list[ClientOperation]] = {}
        for client_operation in script.client_operations:
            clients.setdefault(client_operation.client, []).append(client_operation)
        spans_ms = (sum(one.pause_ms for one in asked) for asked in clients.values())
        end_s = monotonic() + max(spans_ms, default=0) / 1_000
        threads = [Thread(target=self._work, args=[asked, end_s], daemon=True) for asked in clients.values()]
        for thread in threads:
            thread.start()
        try:
            self._strike_all(script.fault_events, threads)
        finally:
            for thread in threads:  # operations under way are recorded before the run ends
                thread.join()
        for address_index in range(len(self.addresses)):
            self.addresses.start_again(address_index)

    def _work(self, client_operations: Sequence[ClientOperation], end_s: float) -> None:
        for client_operation in client_operations:
            is_late = monotonic() > end_s  # checked before the pause: the last operation comes after all pauses
            sleep(0 if is_late else client_operation.pause_ms / 1_000)
            if self.is_broken_off or is_late:
                return
            for one in one_by_one(client_operation):
                place = self.addresses.next_to(client_operation.client % len(self.addresses))
                if place is not None:
                    self._ask(one, place[1])

    def _ask(self, client_operation: ClientOperation, member: Member, stage: str = BUSY) -> Said:
        with self.numbering:
            operations = [self.recorder.begin_operation() for _ in client_operation.keys]
            begin_ms = self.grid.now_ms
        said = ask(self.grid, client_operation, member)
        for _ in range(len(self.addresses)):  # a call that never reached an ended member is made at another
            place = self.addresses.next_to(self.addresses.index_of(member) + 1)
            if not said.answer.detail.startswith(NOT_SENT) or place is None or place[1] == member:
                break
            member, said = place[1], ask(self.grid, client_operation, place[1])
        with self.numbering:
            call, span_ms = operations[0] if len(operations) > 1 else None, (begin_ms, self.grid.now_ms)
            for operation, line in zip(operations, said.lines, strict=True):
                asked = line.kind, stage, line.key, self.partitions.get(line.key), line.value
                self.recorder.ended(
                    asked, said.answer, span_ms, client=client_operation.client, operation=operation,
                    expected=client_operation.expected, answered=line.answer, call=call,
                )  # fmt: skip
        return said

    # Methods about faults

    def _strike_all(self, fault_events: Sequence[FaultEvent], clients: Sequence[Thread]) -> None:
        """Have each fault take effect and heal at its time; no fault waits for a member that takes long to leave or to
        start.

        A member that takes long may be waiting for a connection that another fault has cut.
        """
        begin_s = monotonic()
        with ThreadPoolExecutor(max(1, len(fault_events))) as beside:
            events = [beside.submit(self._play_fault, one, begin_s, clients) for one in fault_events]
        for event in events:
            event.result()

    def _play_fault(self, fault_event: FaultEvent, begin_s: float, clients: Sequence[Thread]) -> None:
        at_s, fault = begin_s + fault_event.at_ms / 1_000, LIVE_FAULTS_BY_NAME[fault_event.fault]
        try:
            if not _work_until(at_s, clients):
                with self.striking:
                    self.outcomes.append((fault_event, AFTER_THE_WORK))
                return
            heal = self._strike(fault, fault_event)
            if heal is None:
                return
            sleep(max(0.0, at_s + fault_event.for_ms / 1_000 - monotonic()))
            with self.striking:
                self.addresses.look_for_ended()
                address_index = heal()
            if address_index is not None:
                self.addresses.start_again(address_index)
            self._event(FaultEnded(fault.name, fault.describe(fault_event)))
        except AdapterError:
            self.is_broken_off = True
            raise

    def _strike(self, fault: LiveFault, fault_event: FaultEvent) -> Heal | None:
        with self.striking:
            self.addresses.look_for_ended()
            aimed = (self.addresses.member_at(address_index) for address_index in fault_event.address_indices)
            numbers = tuple(self.recorder.number(member.id) for member in aimed if member is not None)
            self._event(FaultBegun(fault.name, fault.harms, numbers, fault.describe(fault_event)))
            why, place = self._why_nobody(fault_event), len(self.outcomes)
            self.outcomes.append((fault_event, ""))  # now, as a member that fails during it was struck
            heal = None if fault.asks else fault.inject(self.addresses, fault_event)
        if fault.asks:  # the fault asks a member, which may take its time
            heal = fault.inject(self.addresses, fault_event)
        if heal is None:
            self.outcomes[place] = fault_event, why or NOTHING_TO_DO
            self._event(FaultEnded(fault.name, fault.describe(fault_event), struck=False))
        return heal

    def _why_nobody(self, fault_event: FaultEvent) -> str:
        """Return why a fault event affected no member, as far as the running members show it."""
        alive = [self.addresses.member_at(address_index) for address_index in range(len(self.addresses))]
        if sum(member is not None for member in alive) < 2 and LIVE_FAULTS_BY_NAME[fault_event.fault].needs_network:
            return IT_TAKES_TWO
        is_anybody = any(self.addresses.member_at(one) is not None for one in fault_event.address_indices)
        return "" if is_anybody else NOBODY_THERE

    def _record_change(self, member: Member, change: MemberChange) -> None:
        with self.numbering:
            if change is MemberChange.JOINED:
                self.recorder.joined(self.grid.now_ms, member, self.grid.group_of(member))
            else:
                self.recorder.gone(self.grid.now_ms, member, change)

    def _event(self, event: Event) -> None:
        with self.numbering:
            self.recorder.event(self.grid.now_ms, event)

    # Methods about rest

    def _come_to_rest(self) -> None:
        """If the system restores copies only on command, give the command; then wait until the grid is at rest."""
        self.addresses.look_for_ended()
        if Ability.REPAIR in self.recorded.abilities:
            try:
                self.grid.repair_copies()
                self._event(Repaired())
            except AdapterError as error:
                self._event(FleetFailed(str(error)))
        settle(self.grid, POLLED_SETTLE_MS)

    def _rest(self, stage: str) -> None:
        """Wait until the grid is at rest, and read every copy and every key."""
        self.addresses.look_for_ended()
        self.recorded.stage = stage
        self.recorded.settle()
        self.recorded.keys.update(self._entries())
        self.recorded.look_at_contents()
        self._look_at_copies(stage)
        keys = list(self._entries())
        with ThreadPoolExecutor(ASKED_AT_ONCE) as pool:
            lanes = [keys[lane::ASKED_AT_ONCE] for lane in range(ASKED_AT_ONCE)]
            deque(pool.map(self._read_at_rest, range(ASKED_AT_ONCE), lanes))
        for key, use in self.uses.items():
            if use not in HELD_BY_MAPS:
                self._look_into(stage, get_workload(use), key)

    def _read_at_rest(self, lane: int, keys: Sequence[str]) -> None:
        """Read keys through their owners, one after another; several threads (lanes) do so at the same time, each as a
        client of its own."""
        client = self.scenario.clients + lane
        for key in self.recorded.while_it_answers(keys):
            with self.numbering:
                operation, begin_ms = self.recorder.begin_operation(), self.grid.now_ms
            answer = self.grid.read(key)
            value = answer.value if answer.outcome is Outcome.OK else None
            asked = OperationKind.READ, self.recorded.stage, key, self.partitions[key], value
            with self.numbering:
                self.recorder.ended(asked, answer, (begin_ms, self.grid.now_ms), client=client, operation=operation)

    def _entries(self) -> Mapping[str, int]:
        """Return the keys of map entries, with their partitions: such keys have copies."""
        return {key: one for key, one in self.partitions.items() if self.uses[key] in HELD_BY_MAPS}

    def _look_into(self, stage: str, workload: Workload, key: str) -> None:
        """Read a list, or, in the last stage, empty a queue."""
        asked = sum(key in one.keys for script in self.scenario.scripts for one in script.client_operations)
        member, drained = self.recorded.members()[0], workload.drain(key, asked)
        looks = drained if stage == LATER else () if drained else (workload.look(key),)
        for client_operation in self.recorded.while_it_answers(looks):
            said = self._ask(client_operation, member, stage)
            if drained and said.answer.outcome is Outcome.OK and said.value is None:
                return

    def _look_at_copies(self, stage: str) -> None:
        """Record the copies of every key at each member that holds its partition."""
        for member in self.recorded.members():
            begin_ms = self.grid.now_ms
            try:
                held = self.grid.read_replicas(member)
            except CannotSayError:
                continue
            for key, partition in self._entries().items():
                if partition in held:
                    span_ms = begin_ms, self.grid.now_ms
                    self.recorder.read_copy(stage, key, partition, member, held[partition], span_ms)


def _work_until(at_s: float, clients: Sequence[Thread]) -> bool:
    """Wait until a moment of the monotonic clock; return whether clients are still at work then."""
    while (left_s := at_s - monotonic()) > 0 and any(client.is_alive() for client in clients):
        sleep(min(left_s, LOOK_EVERY_S))
    return any(client.is_alive() for client in clients)
