"""The graph of a proof: what each claim leans on, at which actions, and where a proof fails."""

import xml.etree.ElementTree as ElementTree
from functools import cache

from gridproof_model.language import ANY_NUMBER
from gridproof_properties.claims.proof_graph import ProofGraph
from gridproof_properties.proofs.argument import Argument
from gridproof_properties.proofs.arguments.two_phase_commit import argument
from gridproof_properties.proofs.prove import prove
from gridproof_reports.drawing.proof_graph_drawing import draw_proof_graph

WITHOUT_LEMMAS = Argument(argument.specification, proved_in=(), explored_in=())


@cache
def proved() -> ProofGraph:
    return ProofGraph.of(argument, prove(argument, {"size": ANY_NUMBER}))


@cache
def failed() -> ProofGraph:
    return ProofGraph.of(WITHOUT_LEMMAS, prove(WITHOUT_LEMMAS, {"size": 2}))


def test_a_claim_leans_on_lemmas_at_the_actions_that_would_break_it_otherwise() -> None:
    needed_at = proved().leans_on["managers_agree"]["where_commit_is_sent_nobody_has_aborted"]

    assert "manager_receives_commit" in needed_at


def test_each_stands_above_what_it_leans_on_unless_they_lean_on_each_other() -> None:
    row = {name: at for at, names in enumerate(proved().rows) for name in names}

    assert sorted(row) == sorted(proved().nodes)
    assert row["managers_agree"] == 0
    assert row["where_commit_is_sent_nobody_has_aborted"] < row["whoever_was_heard_works_no_more"]
    assert row["commit_means_that_all_were_heard"] < row["decisions_are_announced"]


def test_the_outline_says_each_sentence_once() -> None:
    lines = [*proved().outline()]

    for node in proved().nodes.values():
        assert sum(line.strip() == node.sentence for line in lines) == 1


def test_where_a_proof_fails_the_step_and_the_states_around_it_are_shown() -> None:
    node, lines = failed().nodes["managers_agree"], [*failed().outline()]

    assert not node.is_proved
    assert "managers_agree, which is not proved" in lines
    assert [line for line in node.failure if line.endswith("changes:")] != []
    assert node.failure[-1] == "after, not: managers_agree"


def test_the_picture_has_a_box_for_each_node_and_a_line_for_each_lean() -> None:
    drawn = ElementTree.fromstring(draw_proof_graph(proved()))

    groups = [group.get("class", "") for group in drawn.iter("{http://www.w3.org/2000/svg}g")]
    assert sum(not kind.startswith("lean") for kind in groups) == len(proved().nodes)
    assert sum(kind.startswith("lean") for kind in groups) == sum(map(len, proved().leans_on.values()))
    assert not any("open" in kind for kind in groups)
    assert 'class="claim open"' in draw_proof_graph(failed())


def test_the_picture_of_a_failed_proof_shows_the_action_and_the_states_around_it() -> None:
    drawn = ElementTree.fromstring(draw_proof_graph(failed()))

    shown = " ".join(text.text or "" for text in drawn.iter("{http://www.w3.org/2000/svg}text"))
    for line in failed().nodes["managers_agree"].failure:
        assert " ".join(line.replace("_", " ").split()) in shown
