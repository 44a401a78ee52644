"""Whole runs whose seeds once showed a defect, of the members or of a judge.

The story of each stands beside it in this folder, in the commit that names it, or here; it is an example of what holds
of every seed, and Hypothesis draws others. Every step is read, as alarms of trace validation were found so. Draws have
changed since some of them were found: they are kept for what they draw now.
"""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gridproof_implementation.simulator.draw import draw_scenario
from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_implementation.simulator.workloads import WORKLOADS
from gridproof_properties.campaign.scenarios import judge_scenario
from tests.profiles import examples

PARTED = ("split", "overlapping-split", "one-way", "pause")
VARIED = DrawOptions(is_varied=True)
SEEDS = st.integers(0, 2**31)
OPTIONS = st.one_of(
    st.just(DrawOptions()),
    st.just(VARIED),
    st.builds(DrawOptions, workload=st.sampled_from([workload.name for workload in WORKLOADS])),
    st.just(DrawOptions(faults=PARTED)),
)


OLD = (
    (500378, DrawOptions(faults=PARTED)),
    (1001290, DrawOptions()),
    (3000225, DrawOptions(workload="queue")),
    (5001295, DrawOptions(workload="queue")),
    (5002342, DrawOptions()),
    (9011230, DrawOptions(workload="mixed")),
    (20001910, DrawOptions(workload="jobs")),
    (310006915, VARIED),
    (310007939, VARIED),
    (310012763, VARIED),
    (330007246, VARIED),
    (330014853, VARIED),
    (330011393, VARIED),
    (1484, VARIED),
    (340015307, VARIED),
    (350000808, VARIED),
    (710000342, VARIED),
    (710007491, VARIED),
    (720004132, VARIED),
    (720004550, VARIED),
    (730004627, VARIED),
    (771000815, DrawOptions(workload="jobs")),
    (740013064, VARIED),
    (730009776, VARIED),
    (750002664, VARIED),
    (750009393, VARIED),
    (750018406, VARIED),
    (360001348, VARIED),
    (360003936, VARIED),
    (360010801, VARIED),
    (360013368, VARIED),
)
"""Whose story the run has no more, or a test beside this one has: they are for the night."""


# A release is a call like any other, and waits for its next attempt (calls.33).
@example(94, DrawOptions())
# It ended in vain, and nobody asked again: a lock that a dead member held for ever.
@example(164, DrawOptions())
# Its partition moved before that, to members that had never asked.
@example(232, DrawOptions())
# Validation's own alarms: a step of the members that the specification, or the follower before it, refused wrongly.
# An id was written that its coordinator never heard of (`snapshot`).
@example(500067, VARIED)
# A coordinator had never listed the one before it, which no record says that it removed (`snapshot`).
@example(730004279, VARIED)
# A caller was turned down for now when it wanted to join, and merged later (`invocation`).
@example(740002340, VARIED)
# A member had heard from its former master how a migration ended, and said so to the next one (`tables`).
@example(310010288, VARIED)
# The network had repeated a check before the first write (`replication`).
@example(139000067, DrawOptions(faults=("duplicate",)))
# A partition was arranged a second time, by another cluster (the follower of rows).
@example(30003112, DrawOptions(faults=("crash", "split")))
# An update for a former slot was refused, and its backup's table doubted (the follower of `replication`).
@example(5001392, DrawOptions(workload="mixed", minutes=1))
# Two tables were about, and an update was of a primary that one of them did not know (the same).
@example(60001696, DrawOptions(workload="queue"))
# A job's only data member went (the follower of `snapshot`).
@example(9002069, DrawOptions())
@example(5002696, DrawOptions(workload="jobs"))
# A new master had joined while the cluster was passive, in which state no record says that it was (`ownership`).
@example(884000087, DrawOptions(faults=("cluster-state", "crash", "restart", "crash-at-step", "leave")))
# And alarms that were right. Missing members went for good one by one, and the first began a round before the new
# master had collected rows (`ownership`).
@example(740007878, VARIED)
# A participant answered before all was written (`snapshot`).
@example(30090237, DrawOptions(workload="jobs", faults=("join", "leave", "promote-lite", "cluster-state")))
@given(SEEDS, OPTIONS)
@settings(max_examples=examples(10, nightly=2_000))
def test_no_run_breaks_a_promise(seed: int, draw_options: DrawOptions) -> None:
    judged = judge_scenario(draw_scenario(seed, draw_options), refined=True)

    assert [verdict.sentence for verdict in (*judged.broken, *judged.failed_judges)] == []


@pytest.mark.nightly
@pytest.mark.parametrize(("seed", "draw_options"), OLD)
def test_no_older_run_breaks_a_promise(seed: int, draw_options: DrawOptions) -> None:
    test_no_run_breaks_a_promise.hypothesis.inner_test(seed, draw_options)  # type: ignore[attr-defined]
