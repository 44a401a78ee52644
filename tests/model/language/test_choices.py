"""Two plain choices of one enumeration in if_else."""

from enum import Enum

from gridproof_model.language import Bool, OneOf, Sequence, Specification, Step, if_else
from gridproof_model.language.run import Event, Runner


class Colour(Enum):
    """A colour."""

    RED = "red"
    GREEN = "green"


drawn = Specification("coloured", "Coloured.", source="drawn")
flag = drawn.variable("flag", Bool(), "A flag.")
colour = drawn.variable("colour", OneOf(Colour), "A colour.", initial=Colour.GREEN)
lane = drawn.variable("lane", Sequence(OneOf(Colour), 2), "A lane.")


@drawn.action(source="drawn")
def paint() -> Step:
    """The flag says which colour; green is sent in any case."""
    return Step(
        when=[],
        then=[
            colour.becomes(if_else(flag, Colour.GREEN, Colour.RED)),
            flag.becomes(~flag),
            lane.becomes(lane.append(Colour.GREEN)),
        ],
    )


def test_if_else_chooses_between_two_plain_choices() -> None:
    runner = Runner(drawn.world())
    (start,) = runner.initial_states()
    once = runner.step(start, Event("paint"))

    assert (once["colour"], runner.step(once, Event("paint"))["colour"]) == (Colour.RED, Colour.GREEN)


def test_a_plain_choice_is_appended() -> None:
    runner = Runner(drawn.world())
    (start,) = runner.initial_states()

    assert runner.step(start, Event("paint"))["lane"] == (Colour.GREEN,)
