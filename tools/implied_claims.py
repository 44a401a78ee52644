"""Which measured claims imply which, in a world: `python -m tools.implied_claims SPEC [--set NAME=VALUE ...]`.

The world is explored whole, every action included. *Where*: in each state that shows the one, the other holds, so that
its share of time is at least as large. *Before*: no path comes to the one that did not meet the other, or meets it
there, so that whatever the rates the other is at least as likely within any time; actions that happen at once pass over
the states between, and of these only *where* is safe. Of a pair of which the sentences make a reader think so (`SAID`)
and that is neither, the states in which the one is come to without the other are counted: two such numbers may stand in
a table the wrong way round.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from gridproof.arguments.specifications import add_constants, add_specification, chosen_specification, chosen_world
from gridproof_model.language import Specification, World
from gridproof_properties.explorer.sparse import Mask, by_places, reached
from gridproof_properties.measuring import predicates_of
from gridproof_properties.measuring.explored import explored
from gridproof_properties.measuring.staged import Steps

MEMORY_BYTES = 4 << 30
Pair = tuple[str, str]
SAID: Mapping[str, Sequence[Pair]] = {
    "durability": (
        ("all_that_was_acknowledged_is_lost", "an_acknowledged_write_is_lost"),
        ("all_that_was_acknowledged_is_lost", "the_partition_is_lost"),
        ("the_partition_is_lost", "the_last_write_is_lost"),
        ("the_last_write_is_lost", "one_crash_from_loss"),
    ),
    "invocation": (
        ("a_strict_success_is_lost_with_one_member", "an_acknowledged_write_is_lost"),
        ("a_call_is_about_to_be_executed_after_it_succeeded", "an_earlier_attempt_answers_for_the_last"),
    ),
    "ownership": (
        ("data_is_lost_with_fewer_crashes_than_copies", "a_partition_is_lost"),
        ("slot_0_is_empty_though_nobody_ended", "copies_are_fewer_though_nobody_went"),
        ("two_take_themselves_for_the_master", "views_differ_on_who_is_master"),
        ("two_members_act_as_primary_for_different_views", "two_are_primary_by_their_own_rows"),
        ("the_old_primary_still_answers_reads", "two_are_primary_by_their_own_rows"),
    ),
}
"""The one by whose sentence the other has happened, too."""


@dataclass(frozen=True, slots=True)
class Implied:
    """What a world says of two claims."""

    one: str
    other: str
    shown: int
    """States that show the one."""
    elsewhere: int
    """Of these, states in which the other does not hold."""
    without: int
    """Of these, states to which a path leads that has not met the other."""

    @property
    def word(self) -> str:
        """How the one implies the other; empty where it does not."""
        return "where" if not self.elsewhere else "before" if not self.without else ""

    def __str__(self) -> str:
        """Return a sentence."""
        if self.word:
            return f"{self.one}: {self.other} holds {'there' if self.word == 'where' else 'there or before'}"
        return (
            f"{self.one}: come to without {self.other} in {self.without:,} of {self.shown:,} states, "
            f"where the other does not hold in {self.elsewhere:,}"
        )


def implied(specification: Specification, world: World) -> Iterator[Implied]:
    """Yield every pair of sometimes-claims of a world of which the one is seen."""
    predicates = predicates_of(specification, world, [])
    actions = [action.name for action in world.actions]
    found = explored(world, predicates, actions=actions, memory_bytes=MEMORY_BYTES)
    steps = Steps.of(found)
    ways = by_places(steps.sources, steps.targets, None, found.size)
    holds: dict[str, Mask] = {one.name: found.holds(one) for one in predicates}
    avoiding = {name: reached(ways, found.start > 0, ~there) for name, there in holds.items()}
    for one, other in permutations(holds, 2):
        if shown := int(holds[one].sum()):
            elsewhere, without = holds[one] & ~holds[other], holds[one] & avoiding[other]
            yield Implied(one, other, shown, int(np.sum(elsewhere)), int(np.sum(without)))


def main() -> int:
    """Print what implies what, and what does not although the sentences suggest it; 1 where such a pair is."""
    parser = argparse.ArgumentParser(prog="python -m tools.implied_claims")
    add_specification(parser)
    add_constants(parser)
    arguments = parser.parse_args()
    named = chosen_specification(arguments)
    said, wrong = SAID.get(named.specification.name, ()), 0
    for pair in implied(named.specification, chosen_world(named, arguments)):
        is_said = (pair.one, pair.other) in said
        wrong += is_said and not pair.word
        if is_said or pair.word:
            print(f"{'as said' if is_said and pair.word else 'NOT SO' if is_said else 'found'}: {pair}", flush=True)
    print(f"\n{wrong} of the {len(said)} that sentences suggest are not so")
    return int(wrong > 0)


if __name__ == "__main__":
    raise SystemExit(main())
