"""What runs meet, of what there is."""

from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_model.language.run import Event, Runner
from gridproof_model.specifications.replication import specification
from gridproof_properties.explorer.explore import explore
from suite.coverage import SMALL, Coverage, Phase, cover_seeds, denominator_of, report

WORLD = specification.world(**{**SMALL, "moves": 0, "endings": 0, "changes": 0})
RUNNER = Runner(WORLD)


def test_the_denominator_counts_every_reachable_state() -> None:
    assert denominator_of(RUNNER).states == explore(WORLD, stories=False).states


def test_a_step_is_counted_with_its_phase_and_the_faults_at_work() -> None:
    coverage, start = Coverage(), next(RUNNER.initial_states())
    write = Event("primary_executes_write", (0, 0))
    coverage.saw(start, write, RUNNER.step(start, write), ("drop",))
    assert coverage.taken == {("primary_executes_write", Phase.CALM, "drop")}
    assert [str(shape) for shape in coverage.shapes] == [
        "backup of a primary that agrees, 1 behind; in its mail: update +1"
    ]


def test_what_was_never_met_is_reported() -> None:
    lines = list(report(Coverage(), denominator_of(RUNNER)))
    assert any(line.startswith("never met: sync_is_requested when ") for line in lines)
    assert any(line.startswith("shapes met in 0 steps: 0 of ") for line in lines)


def test_actions_of_other_specifications_are_counted_with_the_faults_at_work() -> None:
    coverage = Coverage()
    coverage.acts("snapshot", "snapshot_begins", ())
    lines = list(report(coverage, denominator_of(RUNNER)))
    assert any(line.startswith("snapshot: actions met: 1 of ") for line in lines)
    assert "snapshot: never met: execution_starts" in lines
    assert "snapshot: never met: snapshot_begins" not in lines


def test_a_run_with_a_job_meets_actions_of_jobs_rows_and_calls() -> None:
    coverage = cover_seeds(range(2, 3), DrawOptions(client_operations=20, workload="jobs"))
    assert {"ownership", "invocation", "snapshot"} == {specification for specification, _, _ in coverage.acted}


def test_runs_meet_something() -> None:
    coverage = cover_seeds(range(1, 3), DrawOptions(client_operations=20))
    assert coverage.shapes & denominator_of(RUNNER).shapes
