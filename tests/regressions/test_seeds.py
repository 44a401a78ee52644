"""Whole runs whose seeds once showed a defect, of the members or of a judge.

Each stands beside its story in this folder; here it is an example of what holds of every seed, and Hypothesis draws
others. Draws have changed since some of them were found: they are kept for what they draw now.
"""

from hypothesis import example, given, settings
from hypothesis import strategies as st

from gridproof_implementation.simulator.draw import draw_scenario
from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_implementation.simulator.workloads import WORKLOADS
from gridproof_properties.campaign.scenarios import judge_scenario

PARTED = ("split", "overlapping-split", "one-way", "pause")
VARIED = DrawOptions(is_varied=True)
SEEDS = st.integers(0, 2**31)
OPTIONS = st.one_of(
    st.just(DrawOptions()),
    st.just(VARIED),
    st.builds(DrawOptions, workload=st.sampled_from([workload.name for workload in WORKLOADS])),
    st.just(DrawOptions(faults=PARTED)),
)


@example(500378, DrawOptions(faults=PARTED))
@example(1001290, DrawOptions())
@example(3000225, DrawOptions(workload="queue"))
@example(5001295, DrawOptions(workload="queue"))
@example(5002342, DrawOptions())
@example(9011230, DrawOptions(workload="mixed"))
@example(20001910, DrawOptions(workload="jobs"))
@example(310006915, VARIED)
@example(310007939, VARIED)
@example(310012763, VARIED)
@example(330007246, VARIED)
@example(330014853, VARIED)
@example(330011393, VARIED)
@example(1484, VARIED)
@example(340015307, VARIED)
@example(350000808, VARIED)
@example(710000342, VARIED)
@example(710007491, VARIED)
@example(720004132, VARIED)
@example(360001348, VARIED)
@example(360003936, VARIED)
@example(360010801, VARIED)
@example(360013368, VARIED)
@given(SEEDS, OPTIONS)
@settings(max_examples=10)
def test_no_run_breaks_a_promise(seed: int, draw_options: DrawOptions) -> None:
    judged = judge_scenario(draw_scenario(seed, draw_options), refined=False)

    assert [verdict.sentence for verdict in (*judged.broken, *judged.failed_judges)] == []
