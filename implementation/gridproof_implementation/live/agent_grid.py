"""A grid whose members are agents.

This file has the whole port of a grid over the protocol of `docs/adapter-protocol.md`: an adapter only adds a command
line, and its agent only answers questions about one member of the system. All else is in this file: starting and ending
processes, the clock, the deadline of each call, which outcomes count as unknown, and whether all members are at rest.

- A call that brings no answer has an unknown outcome. A call that is answered with an error has an unknown outcome,
  too: it may have failed after the system executed it.
- A member is a process and its address. The name that a member gives itself may change, for instance after a split, so
  it is read again with each table, and is not used to distinguish members.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import replace
from time import monotonic, sleep
from typing import Any, TypeVar
from uuid import NAMESPACE_OID, uuid4, uuid5

from gridproof_implementation.adapter import (
    AdapterError,
    CannotSayError,
    ObservedRow,
    Options,
    ReadAnswer,
    ReplicaContent,
    WriteAnswer,
)
from gridproof_implementation.live import answers
from gridproof_implementation.live import running as runs
from gridproof_implementation.live.agent_library import check_count, check_offers, hello_of
from gridproof_implementation.live.attached import Attachment, Command
from gridproof_implementation.live.configured import group_of_next
from gridproof_implementation.live.network import Network
from gridproof_implementation.live.process import (
    ANSWER_TIMEOUT_S,
    FAILED,
    AgentProcess,
    Fleet,
    Launch,
    NotSentError,
    without_answer,
)
from gridproof_implementation.live.running import LaunchedAgent, MessageGate, Polled, ask_checked, ask_surely
from gridproof_model.groups import CUT
from gridproof_model.membership import Address, Member, MemberId
from gridproof_model.trace import OperationKind, Outcome

T = TypeVar("T")
START_TIMEOUT_S = 60.0


def agents(launch_for: Callable[[Options], Launch]) -> Callable[[Options], AbstractContextManager["AgentGrid"]]:
    """Return a function that opens a grid of agents, each started by this launch; AdapterError if something is
    missing."""
    return lambda options: open_agents(launch_for(options), options)


@contextmanager
def open_agents(launch: Launch, options: Options, deadline_s: float = ANSWER_TIMEOUT_S) -> Iterator["AgentGrid"]:
    """Open a grid that has no members yet; leaving the context ends every process.

    The first agent is started at once, as an agent knows the system's version and what the system offers.
    """
    with ExitStack() as parts:
        network = parts.enter_context(Network()) if options.networked else None
        grid = AgentGrid(parts.enter_context(Fleet()), launch, options, deadline_s, network)
        try:
            yield grid
        finally:
            grid.leave_as_found()


class AgentGrid:
    """The grid port over agents; members are named in join order."""

    def __init__(
        self, fleet: Fleet, launch: Launch, options: Options, deadline_s: float, network: Network | None = None
    ) -> None:
        self._fleet = fleet
        self.network = network
        """The network of the run, in which each member has its own host; None if all members are on this machine."""
        self._launch = launch
        self._options = options
        self.deadline_s = deadline_s
        """How long the suite waits for an answer."""
        self._begin_s = monotonic()
        self._namespace = uuid5(NAMESPACE_OID, str(uuid4()))
        self._started = self._entered = self._turn = 0
        self._running: dict[Member, AgentProcess] = {}
        self._leaving: dict[Member, AgentProcess] = {}
        self._agents: dict[Member, LaunchedAgent] = {}
        """The agent of every member that ever started."""
        self._known: dict[str, MemberId] = {}
        """The member to which each name belongs; a member may have had several names."""
        self._founders: Sequence[str] = ()
        """The addresses of the members that founded the grid, in order."""
        self._names: dict[MemberId, str] = {}
        """The process name of every member that ever started."""
        self._waiting: LaunchedAgent | None
        """An agent that has said hello but has started no member yet."""
        self._attachment: Attachment | None = None
        """Attaches the grid to members that the suite did not start; None if there are no such members."""
        self._waiting, self.hello = self._greet()
        self.traits = replace(self.hello.traits, at_once=True)
        if self.hello.attached is not None:
            self._attachment = Attachment(self.hello.attached, self.hello.system)
            self.traits = replace(self.traits, key_prefix=self._attachment.keys.prefix)
        check_count(self.hello, options)
        self.version = self.hello.version
        self.partition_count = self.hello.partitions or options.partition_count
        """The number of partitions: the system's own if it cannot be chosen, else the chosen one."""
        self.backup_count = options.backup_count
        self.holds_data = answers.PUT.name in self.hello.offers
        self.abilities = self.hello.abilities
        self.operations = runs.kinds_of(self.hello)
        self._locks: set[str] = set()
        """The keys that clients have used as locks."""

    @property
    def now_ms(self) -> int:
        """Real milliseconds since the grid was opened."""
        return int((monotonic() - self._begin_s) * 1000)

    # Methods about members

    def start_member(self, *, group: str | None = None, lite: bool = False) -> Member:
        """Start one agent and its member, which joins through every running member."""
        if group is None:
            group = group_of_next(self._options, self._started - (self._waiting is not None))
        for wanted, word in ((lite, "lite members"), (group is not None, "groups")):
            if wanted and word.split()[0] not in self.hello.offers:
                raise AdapterError(f"{self.hello.system} has no {word}; start an ordinary data member instead")
        if self.traits.fixed and self._running:
            raise AdapterError(f"{self.hello.system} takes no members after its first members; start no further member")
        agent = self._waiting or self._greet()[0]
        self._waiting = None
        return self._start(agent, lite=lite, group=group)

    def start_founders(self) -> tuple[Member, ...]:
        """Start the agents one by one and their members all together; then let the first member found the grid."""
        count = self.traits.size(self._options.member_count, self.backup_count)
        agents = [self._waiting or self._greet()[0], *(self._greet()[0] for _ in range(1, count))]
        self._waiting = None
        if self._attachment is not None:
            found = zip(agents, self._attachment.attached.addresses, strict=True)
            agents = [replace(agent, host=address.host, port=address.port) for agent, address in found]
        self._founders = addresses = [str(agent.address) for agent in agents]

        def start(agent: LaunchedAgent) -> answers.Started:
            others = [one for one in addresses if one != str(agent.address)]
            return self._ask_to_start(agent, seeds=others)

        with ThreadPoolExecutor(count) as pool:
            answered = list(pool.map(start, agents))
        members = tuple(self._enter(agent, one, False) for agent, one in zip(agents, answered, strict=True))
        if answers.FOUND.name in self.hello.offers:
            about = {"founders": addresses, "backups": self.backup_count}
            self._ask(agents[0].process, answers.FOUND, START_TIMEOUT_S, **about)
        return members

    def repair_copies(self) -> None:
        """Ask the oldest member to restore lost copies."""
        self._ask(self._running[self._oldest()], answers.REPAIR, START_TIMEOUT_S)

    def members(self) -> tuple[Member, ...]:
        """The members whose processes the suite has not ended, oldest first."""
        return tuple(self._running)

    def group_of(self, member: Member) -> str:
        """Return the group that the agent named; the member's own name if every member is a group of its own.

        If all data members were started in one group, its name ends with `CUT`: no agent says how its group is cut.
        """
        agent = self._agents[member]
        if member not in self._running:
            return str(member.id)
        started = [self._agents[other].group for other in self._running if not other.lite]
        is_lone = len(started) > 1 and set(started) == {agent.group} == {agent.shown_group} != {None}
        return f"{agent.group}{CUT}" if is_lone and not member.lite else agent.shown_group or agent.process.name

    def crash(self, member: Member) -> None:
        """Kill the agent and all that it started (SIGKILL); if it did not start its member, the operator's command ends
        the member."""
        if self._running[member].is_running:
            self._by_operator(Command.CRASH, member)
        self._running.pop(member).kill()

    def leave(self, member: Member) -> None:
        """Ask the member to leave, and then end its process; until it is gone, calls may still go through it."""
        leaver = self._leaving[member] = self._running.pop(member)
        try:
            self._ask(leaver, answers.LEAVE, START_TIMEOUT_S)
            leaver.wait_gone(self.deadline_s)
        finally:
            del self._leaving[member]
            leaver.kill()

    def start_again(self, member: Member) -> Member:
        """Start again, at the same address, a member that has ended; it counts as another member. Raise AdapterError if
        the member does not start."""
        self._by_operator(Command.START, member)
        agent, _ = self._greet(again=self._agents[member])
        try:
            return self._start(agent, lite=member.lite, group=self._agents[member].group)
        except AdapterError:
            agent.process.kill()
            raise

    def pause(self, member: Member) -> None:
        """Stop a member's processes (SIGSTOP), so that they answer nothing."""
        if not self._by_operator(Command.PAUSE, member):
            self._running[member].stop()

    def resume(self, member: Member) -> None:
        """Let a member's processes continue (SIGCONT)."""
        if not self._by_operator(Command.RESUME, member):
            self.process_of(member).go_on()

    def leave_as_found(self) -> None:
        """Bring members that the suite did not start to their earlier state; AdapterError if something is left over."""
        if self._attachment is not None:
            self._attachment.leave_as_found(self.remove)

    def _by_operator(self, command: Command, member: Member) -> bool:
        """If the suite did not start the member, run an operator's command and return True; else return False."""
        if self._attachment is not None:
            self._attachment.do(command, self._agents[member].address)
        return self._attachment is not None

    def host_of(self, member: Member) -> int | None:
        """Return the host that a member has or had in the network of the run; None if there is no network."""
        return self._agents[member].number

    def process_of(self, member: Member) -> AgentProcess:
        """Return the agent of a running or leaving member, for calls, faults and verbs that are not in the port.

        NotSentError if the member no longer runs.
        """
        running = self._running.get(member) or self._leaving.get(member)
        if running is None:
            raise NotSentError(f"{member} has ended, so nothing was sent to it; ask a running member")
        return running

    def gate_of(self, member: Member) -> MessageGate:
        """Return the message gate of a member whose agent offers one."""
        return MessageGate(self.process_of(member), self.deadline_s)

    # Methods about tables, and about the grid at rest

    def view_table(self, observer: Member) -> Sequence[ObservedRow]:
        """Return the rows as this member shows them, one for each partition; an unknown name counts as another
        member."""
        rows = self._rows(observer, self._ask(self._running[observer], answers.TABLE))
        if len(rows) != self.partition_count:
            wrong = f"the table of {observer} has {len(rows)} rows, but the grid has {self.partition_count} partitions"
            raise AdapterError(f"{wrong}; mend the agent")
        return rows

    def poll(self, observer: Member, deadline_s: float) -> Polled:
        """Return the rows of a member's table, and the members that it lists; meanwhile, other members may be started.

        Raise CannotSayError if a name in the table is not known yet, and AgentGoneError if the member has no agent.
        """
        table = self._ask(self.process_of(observer), answers.TABLE, deadline_s)
        self._known[table.member] = observer.id
        named = {name for row in table.rows for name in row if name is not None}
        if unknown := named.union(table.members or ()) - self._known.keys():
            which = f"{min(unknown)}, but no member has given itself this name yet"
            raise CannotSayError(f"the table of {observer} names {which}; ask again later")
        listed = None if table.members is None else tuple(self._known[name] for name in table.members)
        return self._rows(observer, table), listed

    def _rows(self, observer: Member, table: answers.Table) -> Sequence[ObservedRow]:
        self._known[table.member] = observer.id
        return [
            ObservedRow(tuple(None if name is None else self._id_of(name) for name in row), version)
            for row, version in zip(table.rows, table.versions, strict=True)
        ]

    def why_unsettled(self) -> str | None:
        """Return why the grid is not at rest: each member has to list the running members, wait for nothing, and have
        the same table."""
        looks: list[tuple[AgentProcess, answers.Settled]] = []
        for member, process in self._running.items():
            try:
                look = answers.SETTLED.read(process.ask(answers.SETTLED.name, self.deadline_s))
            except FAILED as error:
                return f"{process.name} does not answer: {error}"
            self._known[look.member] = member.id
            looks.append((process, look))
        running_now = sorted(process.name for process, _ in looks)
        for process, look in looks:
            listed = sorted(self._process_name_of(name) for name in look.members)
            if listed != running_now:
                return f"{process.name} lists {', '.join(listed) or 'no member'}, but {', '.join(running_now)} run"
            if look.why is not None:
                return f"{process.name}: {look.why}"
            if look.stamp != looks[0][1].stamp:
                return f"the table of {process.name} differs from that of {looks[0][0].name}"
        return None

    def wait(self, duration_ms: int) -> None:
        """Sleep for a number of milliseconds."""
        sleep(duration_ms / 1000)

    # Methods about entries

    def partition_of(self, key: str) -> int:
        """Return a key's partition by the system's own rule, as the oldest member says."""
        return self._ask(self._running[self._oldest()], answers.PARTITION, key=key).partition

    def partition_elsewhere(self, key: str) -> int:
        """Return a key's partition according to another member than the oldest; these members are asked in turn."""
        return self._ask(self._running[self._next_member()], answers.PARTITION, key=key).partition

    def write(self, key: str, value: str, through: Member | None = None) -> WriteAnswer:
        """Put an entry through the next member in turn or the given member; several threads may do so at once, as in
        `read`."""
        return self._change(answers.PUT, through, key=key, value=value)

    def write_many(self, entries: Mapping[str, str], through: Member | None = None) -> WriteAnswer:
        """Put several entries in one call, through the next member in turn or the given member."""
        return self._change(answers.PUT_MANY, through, entries=dict(entries))

    def remove(self, key: str, through: Member | None = None) -> WriteAnswer:
        """Remove an entry through the next member in turn or the given member."""
        return self._change(answers.REMOVE, through, key=key)

    def operate(
        self, kind: OperationKind, key: str, value: str | None = None, expected: str | None = None, *, client: int = 0
    ) -> ReadAnswer:
        """Ask for an operation through the next member in turn; for a lock, ask the client's own member, which then
        holds the lock."""
        asked, member = runs.LOCKED if key in self._locks else runs.ITEMS, self._next_member()
        if kind in runs.OF_LOCKS:
            self._locks.add(key)
            member = self.members()[client % len(self._running)]
        named = asked if kind is OperationKind.READ else kind
        return self.operate_through(member, named, key, value, expected, client=client)

    def operate_through(
        self, member: Member, kind: str, key: str, value: str | None, expected: str | None, *, client: int
    ) -> ReadAnswer:
        """Ask this member for an operation, by the agents' name for its kind; for a lock the value names the client."""
        said = str(client) if kind in runs.OF_LOCKS else value
        answer = runs.operated(lambda: self.process_of(member), self.deadline_s, kind, key, said, expected)
        return replace(answer, member=member.id)

    def read(self, key: str, *, through: Member | None = None) -> ReadAnswer:
        """Read through the owner that the oldest member names, or through the given member."""
        try:
            member = through or self._owner_of(key)
            answer = self._get(member, key)
            if not (is_sure := self._is_sure(answer, key, member)):  # a client may have written it in between
                answer = self._get(member, key)
                is_sure = self._is_sure(answer, key, member)
        except FAILED as error:
            outcome, detail = without_answer(error)
            return ReadAnswer(outcome, detail=detail)
        if not is_sure:
            return ReadAnswer(Outcome.UNKNOWN, detail="absent, though the owner did not report it", member=member.id)
        by = None if answer.executed_by is None else self._id_of(answer.executed_by)
        return ReadAnswer(answer.outcome, answer.value, answer.why, member.id, by)

    def read_replica(self, member: Member, partition: int) -> ReplicaContent | None:
        """Return what the member itself holds of one partition."""
        return self._copies(member, [partition]).get(partition)

    def read_replicas(self, member: Member) -> Mapping[int, ReplicaContent]:
        """Return what the member itself holds of every partition, in one answer."""
        return self._copies(member, None)

    # Methods that the other methods share

    def _start(self, agent: LaunchedAgent, *, lite: bool = False, group: str | None = None) -> Member:
        """Let an agent start its member, which joins through every running member."""
        seeds = [str(member.id.address) for member in tuple(self._running)]  # others may end or start meanwhile
        answered = self._ask_to_start(agent, seeds=seeds, lite=lite, group=group)
        return self._enter(replace(agent, group=group), answered, lite)

    def _ask_to_start(self, agent: LaunchedAgent, **about: Any) -> answers.Started:
        asynchronous = self._options.async_backup_count
        size = {"partitions": self.partition_count, "backups": self.backup_count, "async_backups": asynchronous}
        where = {"name": agent.process.name, "host": agent.host, "port": agent.port}
        founders = self._founders if str(agent.address) in self._founders else []
        usual = {"lite": False, "group": None, "founders": founders, **about}
        return self._ask(agent.process, answers.START, START_TIMEOUT_S, **where, **size, **usual)

    def _enter(self, agent: LaunchedAgent, answered: answers.Started, lite: bool) -> Member:
        self._entered += 1  # a member that is started again counts as another one
        name = agent.process.name
        agent.process.keys = None if self._attachment is None else self._attachment.keys
        member = Member(MemberId(answered.address, uuid5(self._namespace, f"{name} {self._entered}")), lite)
        self._agents[member] = replace(agent, shown_group=answered.group)
        self._running[member] = agent.process
        self._names[member.id] = name
        self._known[answered.member] = member.id
        return member

    def _greet(self, again: LaunchedAgent | None = None) -> tuple[LaunchedAgent, answers.Hello]:
        """Start an agent, or start one again that has ended, and return it with its hello."""
        self._started += again is None
        name = f"member-{self._started:02d}"
        agent = runs.launch_agent(self._fleet, self._launch, self.network, again or name)
        hello = hello_of(agent.process, f"the agent of {agent.process.name}", START_TIMEOUT_S)
        check_offers(hello)
        return agent, hello

    def _ask(self, process: AgentProcess, verb: answers.Verb[T], timeout_s: float | None = None, **asked: Any) -> T:
        """Return a checked answer; AdapterError if there is none."""
        return ask_surely(process, verb, self.deadline_s if timeout_s is None else timeout_s, **asked)

    def _change(
        self, verb: answers.Verb[answers.Ended], through: Member | None = None, **arguments: Any
    ) -> WriteAnswer:
        member = through or self._next_member()
        try:
            answer = ask_checked(self.process_of(member), verb, self.deadline_s, **arguments)
        except FAILED as error:
            outcome, detail = without_answer(error)
            return WriteAnswer(outcome, detail=detail, member=member.id)
        by = None if answer.executed_by is None else self._id_of(answer.executed_by)
        return WriteAnswer(answer.outcome, answer.confirmed, answer.why, member.id, by)

    def _get(self, member: Member, key: str) -> answers.Ended:
        return ask_checked(self.process_of(member), answers.GET, self.deadline_s, key=key)

    def _is_sure(self, answer: answers.Ended, key: str, by: Member) -> bool:
        """Whether a read can be relied on; if it found no entry, another member may have to confirm the absence."""
        is_absent = answer.outcome is Outcome.OK and answer.value is None
        other = by if not is_absent or answer.confirm is None else self._running_by_name(answer.confirm)
        if other is None or other == by:
            return other is not None
        try:
            second = self._get(other, key)
        except FAILED:
            return False
        return second.outcome is Outcome.OK and second.value is None

    def _owner_of(self, key: str) -> Member:
        """Return the running member that the oldest member names as owner; if it does not run, the next that runs."""
        found = ask_checked(self.process_of(self._oldest()), answers.PARTITION, self.deadline_s, key=key)
        owner = None if found.owner is None else self._running_by_name(found.owner)
        return owner or self._next_member()

    def _copies(self, member: Member, partitions: Sequence[int] | None) -> Mapping[int, ReplicaContent]:
        asked: dict[str, Any] = {} if partitions is None else {"partitions": list(partitions)}
        process = self._running[member]
        found = self._ask(process, answers.REPLICAS, **asked)
        if found.unknown:
            unknown = f"its entries of partition {min(found.unknown)} at present"
            raise CannotSayError(f"{process.name} cannot show {unknown}; ask again later")
        return {copy.partition: ReplicaContent(copy.role, copy.version, copy.entries) for copy in found.held.values()}

    def _oldest(self) -> Member:
        if not self._running:
            raise AdapterError(f"no member of {self.hello.system} runs; start a member first")
        return next(iter(self._running))

    def _next_member(self) -> Member:
        self._oldest()
        self._turn += 1
        return self.members()[self._turn % len(self._running)]

    def _process_name_of(self, name: str) -> str:
        known = self._known.get(name)
        return self._names.get(known, name) if known is not None else name

    def _running_by_name(self, name: str) -> Member | None:
        wanted = self._known.get(name)
        return next((member for member in tuple(self._running) if member.id == wanted), None)

    def _id_of(self, name: str) -> MemberId:
        """Return the member with this name; a name that no running member has stands for a stranger."""
        if name not in self._known:
            for member, process in tuple(self._running.items()):
                with suppress(*FAILED):
                    said = answers.SETTLED.read(process.ask(answers.SETTLED.name, self.deadline_s))
                    self._known[said.member] = member.id
        return self._known.setdefault(name, MemberId(Address(name, 0), uuid5(self._namespace, f"stranger {name}")))
