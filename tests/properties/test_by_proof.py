"""What a verdict says by proof, and what it leaves alone."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from gridproof.checks.run import verdict_object
from gridproof.ci.gate import Gate, JudgedRun
from gridproof.ci.junit import suite_of
from gridproof_model.language import ANY_NUMBER, Array, Bool, BoolExpr, IndexExpr, Specification, Step, count, for_all
from gridproof_model.language.run import Event, Runner
from gridproof_properties.claims.known import Knowledge
from gridproof_properties.claims.ledger import Evidence
from gridproof_properties.judging.by_proof import ByProof, OfClaim, Share, WhyNot
from gridproof_properties.judging.guarantee import Finding
from gridproof_properties.judging.judge import Property
from gridproof_properties.judging.panel import judge_run
from gridproof_properties.judging.verdict import Result
from gridproof_properties.proofs.argument import Argument
from gridproof_properties.refinement import REFINEMENTS
from gridproof_properties.validation.concluding import Basis, Concluding
from gridproof_properties.validation.engine import Observation, Validation
from gridproof_properties.validation.table import Line, ObservationTable, Seen, validate_log
from tests.properties.validated_runs import run_of, scenario
from tools.by_proof import InEveryState
from tools.ledger_page import record

specification = Specification("lamps", "At most one of some lamps is lit, until there is a storm.", source="drawn")
how_many = specification.constant("count", 2, "How many lamps there are.", least=1)
lamps = specification.index("lamp", how_many)
lit = specification.variable("lit", Array(lamps, Bool()), "Which are lit.")
stormy = specification.variable("stormy", Bool(), "Whether there was a storm.")


@specification.action(lamps, source="drawn")
def is_lit(lamp: IndexExpr) -> Step:
    """Somebody lights a lamp, where none is lit."""
    return Step(when=[for_all(lamps, lambda one: ~lit[one])], then=[lit[lamp].becomes(True)])


@specification.action(source="drawn")
def storm_comes() -> Step:
    """There is a storm."""
    return Step(when=[~stormy], then=[stormy.becomes(True)])


@specification.always(source="drawn")
def one_is_lit() -> BoolExpr:
    """At most one lamp is lit."""
    return count(lamps, lambda one: lit[one]) <= 1


@specification.always(source="drawn")
def one_is_lit_without_storm() -> BoolExpr:
    """Without a storm at most one lamp is lit."""
    return stormy | (count(lamps, lambda one: lit[one]) <= 1)


argument = Argument(specification, proved_in=({},), explored_in=({},))
PROVED = Evidence.gather(argument).knowledge


def table(lamps_there: int = 2) -> ObservationTable:
    found = ObservationTable(specification, {"count": lamps_there}, argument=argument)

    @found.observes("lit")
    def read(line: Line) -> Seen:
        return Seen("is_lit", (line.number("lamp"),), {"lit": line["all"]} if "all" in line.fields else {})

    @found.observes("storm")
    def read_storm(line: Line) -> Seen:
        return Seen("storm_comes")

    return found


def verdict_on(folder: Path, lines: Sequence[Mapping[str, object]], lamps_there: int = 2) -> Finding:
    log, known = folder / "log.jsonl", folder / "known.json"
    log.write_text("".join(json.dumps(line) + "\n" for line in lines))
    record([(argument, PROVED)], known)
    return validate_log(log, table(lamps_there), known)[0]


def followed(verdict: Finding) -> ByProof:
    assert verdict.by_proof is not None, verdict.sentence
    return verdict.by_proof


def of_claim(verdict: Finding, claim: str = "one_is_lit") -> OfClaim:
    return next(one for one in followed(verdict).claims if one.claim == claim)


def test_of_a_program_that_hides_what_it_does_nothing_is_concluded(tmp_path: Path) -> None:
    """A toy that lights both of its lamps, and says that it has lit one: what explains its line has one, it has two."""
    found = verdict_on(tmp_path, [{"event": "lit", "lamp": 0}])

    assert found.result is Result.HOLDS
    assert not any(one.is_of_the_run for one in followed(found).claims)
    assert "none of the run itself" in followed(found).headline


def test_where_every_line_states_what_the_claim_speaks_of_it_holds_of_the_run_itself(tmp_path: Path) -> None:
    found = verdict_on(tmp_path, [{"event": "lit", "lamp": 0, "all": [True, False]}])

    assert of_claim(found).is_of_the_run
    assert next(followed(found).rows()).word == "of the run itself"


def test_one_line_that_does_not_state_it_is_enough_to_conclude_nothing_of_the_run(tmp_path: Path) -> None:
    found = verdict_on(tmp_path, [{"event": "storm"}, {"event": "lit", "lamp": 0, "all": [True, False]}])

    assert not of_claim(found).is_of_the_run
    assert of_claim(found).of_all is Share.CONCLUDED


def test_what_is_concluded_of_some_behaviours_is_not_said_of_whatever_explains_the_records() -> None:
    claim = OfClaim("one_is_lit", "At most one lamp is lit.", 1, 1, not_concluded=(WhyNot("`stormy` is so", 1, ""),))

    assert "by proof 0 of 1 claim hold" in ByProof("lamps", 2, 0, (claim,)).headline
    assert "records, 1 more of some behaviours; none of the run itself" in ByProof("lamps", 2, 0, (claim,)).headline


def test_of_a_refused_log_nothing_follows(tmp_path: Path) -> None:
    found = verdict_on(tmp_path, [{"event": "lit", "lamp": 0}, {"event": "lit", "lamp": 1}])

    assert found.result is Result.BROKEN
    assert found.by_proof is None


def test_a_condition_that_a_record_took_away_is_not_concluded_and_names_the_record(tmp_path: Path) -> None:
    found = verdict_on(tmp_path, [{"event": "lit", "lamp": 0}, {"event": "storm"}])

    (why,) = of_claim(found, "one_is_lit_without_storm").not_concluded
    assert (why.why, why.first) == ("`stormy` is so", "first by storm")
    assert of_claim(found).of_all is Share.CONCLUDED


def test_a_larger_world_than_was_proved_is_said(tmp_path: Path) -> None:
    found = verdict_on(tmp_path, [{"event": "lit", "lamp": 4}], lamps_there=8)

    assert of_claim(found).of_all is Share.BUT_FOR_SIZE
    assert of_claim(found).size == "proved for count 2; validated with count 8"


def test_a_behaviour_that_begins_where_the_claim_is_false_keeps_nothing() -> None:
    runner, concluding = Runner(specification.world()), Concluding(Basis(argument, PROVED))
    validation = Validation(runner, ())
    validation.go_on_in(runner, (runner.start.replaced({"lit": (True, True)}),))
    concluding.begin(validation)
    validation.take(Observation([Event("storm_comes")]))
    concluding.end(str, validation)

    found = concluding.conclude().claims[0]
    assert found.of_all is Share.NOT
    assert found.not_concluded[0].why == "it begins in a state that breaks what the proof rests on: one_is_lit"


def test_it_begins_with_other_history_where_nothing_would_follow_from_the_first() -> None:
    runner, concluding = Runner(specification.world()), Concluding(Basis(argument, PROVED))
    validation = Validation(runner, (runner.start.replaced({"lit": (True, True)}),))
    concluding.begin(validation, {"lit": (True, False)})
    validation.take(Observation([Event("storm_comes")]))
    concluding.end(str, validation)

    assert concluding.conclude().claims[0].of_all is Share.CONCLUDED


def test_a_condition_that_was_so_before_the_end_is_counted_of_a_behaviour() -> None:
    InEveryState.counted.clear()
    runner, concluding = Runner(specification.world()), InEveryState(Basis(argument, PROVED))
    for is_calm in (True, False):
        validation = Validation(runner, (runner.start.replaced({"stormy": not is_calm}),))
        concluding.begin(validation)
        validation.take(Observation([Event("storm_comes") if is_calm else Event("is_lit", (0,))]))
        concluding.end(str, validation)

    assert [one.says_something for one in concluding.conclude().claims] == [2, 0], "a storm, where both end"
    assert InEveryState.counted == {("lamps", "one_is_lit"): 2, ("lamps", "one_is_lit_without_storm"): 1}


def test_of_behaviours_given_up_nothing_is_concluded() -> None:
    concluding = Concluding(Basis(argument, PROVED))
    validation = Validation(Runner(specification.world()), (Runner(specification.world()).start,))
    concluding.begin(validation)
    concluding.end(str, validation)
    concluding.given_up += 1

    assert {share for _, share in concluding.conclude().shares()} == {Share.NOT}
    assert "1 more given up" in concluding.conclude().headline


def test_what_is_proved_for_any_number_is_concluded_of_every_size(tmp_path: Path) -> None:
    of_any = Evidence.gather(Argument(specification, proved_in=({"count": ANY_NUMBER},), explored_in=())).knowledge
    known, log = tmp_path / "known.json", tmp_path / "log.jsonl"
    record([(argument, Knowledge(of_any.proved))], known)
    log.write_text('{"event": "lit", "lamp": 4}\n')

    assert of_claim(validate_log(log, table(8), known)[0]).of_all is Share.CONCLUDED


@pytest.mark.parametrize("prop", REFINEMENTS, ids=lambda prop: prop.name)
def test_every_behaviour_of_a_run_is_counted_once_for_every_claim(prop: Property) -> None:
    (verdict,) = judge_run(run_of(scenario()), (prop,), {})
    found = verdict.by_proof
    if found is None:
        assert verdict.compared == 0
        return

    for one in found.claims:
        left_out = sum(why.behaviours for why in one.not_concluded)
        assert one.behaviours + one.but_for_size + left_out == found.behaviours, one.claim


@pytest.mark.parametrize("prop", REFINEMENTS[:3], ids=lambda prop: prop.name)
def test_of_a_run_without_faults_something_is_concluded(prop: Property) -> None:
    (verdict,) = judge_run(run_of(scenario()), (prop,), {})
    assert verdict.by_proof is not None

    assert not all(one.of_all is Share.NOT for one in verdict.by_proof.claims)


def test_a_verdict_says_it_as_json_and_in_junit() -> None:
    found = next(one for one in judge_run(run_of(scenario()), REFINEMENTS, {}) if one.by_proof is not None)
    follows = found.by_proof
    assert follows is not None

    said = json.dumps(verdict_object(found))
    suite = suite_of(JudgedRun(("run",), (found,)), Gate(), sees_nothing=False)

    assert follows.headline in json.loads(said)["by_proof"]["sentence"]
    assert suite.cases[0].properties["by proof"].splitlines() == [follows.headline, *follows.lines()]
