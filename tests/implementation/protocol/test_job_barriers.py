"""Where a job's inputs come together: alignment of barriers."""

from dataclasses import dataclass, field

from gridproof_implementation.protocol.jobs.edges import InboundEdge
from gridproof_implementation.protocol.jobs.messages import Barrier, Item, NoMoreItems, RestoreEnd, SavedState
from gridproof_model.events.words import Guarantee
from gridproof_model.membership import MemberId
from tests.implementation.protocol.grids import member_at

A, B = member_at(0).id, member_at(1).id
BARRIER = Barrier(1, 0, terminal=False)
TERMINAL = Barrier(1, 0, terminal=True)
BEFORE, BEHIND = Item(0, 0, "k", 1), Item(0, 1, "k", 2)


@dataclass
class Heard:
    """A consumer that remembers what it got."""

    items: list[Item] = field(default_factory=list)
    saved: list[Barrier] = field(default_factory=list)
    state: list[SavedState] = field(default_factory=list)
    ended: bool = False

    def restore(self, saved: SavedState) -> None:
        self.state.append(saved)

    def restored(self) -> None:
        pass

    def count(self, item: Item) -> None:
        self.items.append(item)

    def barrier_arrived(self, source: MemberId, barrier: Barrier) -> None:
        pass

    def save(self, barrier: Barrier) -> None:
        self.saved.append(barrier)

    def inputs_ended(self) -> None:
        self.ended = True


def edge_with(guarantee: Guarantee) -> tuple[InboundEdge, Heard]:
    heard = Heard()
    edge = InboundEdge((A, B), guarantee, heard)
    for source in (A, B):
        edge.put(source, (RestoreEnd(),))
    return edge, heard


def test_exactly_once_leaves_an_input_alone_that_is_past_its_barrier() -> None:
    edge, heard = edge_with(Guarantee.EXACTLY_ONCE)

    edge.put(A, (BEFORE, BARRIER, BEHIND))

    assert (heard.items, heard.saved) == ([BEFORE], [])


def test_the_state_is_saved_when_the_last_barrier_arrives_and_then_items_pass_again() -> None:
    edge, heard = edge_with(Guarantee.EXACTLY_ONCE)

    edge.put(A, (BARRIER, BEHIND))
    edge.put(B, (BARRIER,))

    assert (heard.items, heard.saved) == ([BEHIND], [BARRIER])


def test_at_least_once_keeps_draining_past_a_barrier() -> None:
    edge, heard = edge_with(Guarantee.AT_LEAST_ONCE)

    edge.put(A, (BARRIER, BEHIND))

    assert (heard.items, heard.saved) == ([BEHIND], [])


def test_a_terminal_barrier_always_aligns() -> None:
    edge, heard = edge_with(Guarantee.AT_LEAST_ONCE)

    edge.put(A, (TERMINAL, BEHIND))

    assert heard.items == []


def test_an_input_that_ended_counts_as_arrived() -> None:
    edge, heard = edge_with(Guarantee.EXACTLY_ONCE)

    edge.put(A, (BARRIER,))
    edge.put(B, (NoMoreItems(),))

    assert heard.saved == [BARRIER]


def test_no_item_passes_before_every_input_has_emitted_its_saved_state() -> None:
    heard = Heard()
    edge = InboundEdge((A, B), Guarantee.EXACTLY_ONCE, heard)
    saved = SavedState("counter", "k", (1, 1))

    edge.put(A, (RestoreEnd(), BEFORE))
    assert heard.items == []
    edge.put(B, (saved, RestoreEnd()))

    assert (heard.state, heard.items) == ([saved], [BEFORE])


def test_the_inputs_have_ended_when_the_last_one_has() -> None:
    edge, heard = edge_with(Guarantee.EXACTLY_ONCE)

    edge.put(A, (NoMoreItems(),))
    assert not heard.ended
    edge.put(B, (NoMoreItems(),))

    assert heard.ended
