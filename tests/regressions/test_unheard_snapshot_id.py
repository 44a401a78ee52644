"""A coordinator's id is written, and the next one takes it from the record, before the first one hears of it.

A lite master had the id of a snapshot written at the data member; the answer took more than 60 s, for messages between
the two were slow. The data member took it for gone meanwhile, read the record and went on with the next id. The events
of the first came after those of the second, and validation by `snapshot` had looked for the id in vain.
"""

from gridproof_implementation.simulator.draw import draw_scenario
from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_properties.campaign.scenarios import judge_scenario


def test_the_next_coordinator_goes_on_from_an_id_that_the_first_has_not_heard_of() -> None:
    judged = judge_scenario(draw_scenario(500067, DrawOptions(is_varied=True)), refined=True)
    found = next(verdict for verdict in judged.verdicts if verdict.property == "refines-snapshot")

    assert (judged.broken, found.compared > 400) == ((), True)
