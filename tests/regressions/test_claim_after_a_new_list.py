"""A member in nobody's list that waited for ever.

Found by `gridproof simulate --seed 500378 --faults split,overlapping-split,one-way,pause`. Members 2 and 3 are cut off,
and member 3 marks everybody older but member 2. The cut heals; the master's next two lists leave member 2 out, then
member 3, and the second does not reach it. Now everybody older was marked, but a claim was looked for only when a mark
was new. So member 3 stayed alone in an old list, was notified at every heartbeat that it is a stranger, and never
became the master that could have merged.
"""

from gridproof_implementation.protocol.membership.messages import Goodbye
from gridproof_model.events.membership import ClaimBegun
from tests.implementation.protocol.grids import events_in, one_of


def test_a_mark_that_stands_counts_once_the_list_leaves_the_last_unmarked_elder_out() -> None:
    one = one_of(4, place=3)
    for place in (0, 1):
        one.hand_over(place, Goodbye())
    one.hand_over(0, one.update(one.version + 1, (0, 1, 3)))

    effects = one.hand_over(0, Goodbye())

    assert len(events_in(effects, ClaimBegun)) == 1
