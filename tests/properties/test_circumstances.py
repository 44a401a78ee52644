"""What befell a run, and which promise it takes away."""

from gridproof_implementation.simulator.scenario import Scenario, Script, Strike
from gridproof_model.trace import EventRecord, MemberChange, MemberRecord
from gridproof_properties.circumstances import Witness
from gridproof_properties.verdict import PromiseLevel

SETTLED = EventRecord("run", 1, "settled", None, "started")


def member(number: int, change: MemberChange, *, lite: bool = False) -> MemberRecord:
    return MemberRecord("run", 0, number, change, f"uuid-{number}", f"group-{number}", lite)


def promise_after(name: str, *departures: int, strikes: tuple[Strike, ...] = ()) -> PromiseLevel:
    """Two data members and a lite one start; some leave."""
    witness = Witness(Scenario(1, arranged=True).with_scripts((Script((), strikes),)))
    for number, lite in enumerate((False, False, True)):
        witness.observe(member(number, MemberChange.JOINED, lite=lite))
    witness.observe(SETTLED)
    for number in departures:
        witness.observe(member(number, MemberChange.LEFT))
    return witness.promises()[name]


def test_a_leaver_takes_nothing_away_while_a_data_member_stays() -> None:
    assert promise_after("no-dirty-read", 0) is PromiseLevel.PROMISED


def test_the_last_data_member_that_leaves_has_nobody_to_hand_its_data_to() -> None:
    assert promise_after("no-dirty-read", 0, 1) is PromiseLevel.WEAKNESS


def test_who_leaves_a_passive_cluster_hands_nothing_over() -> None:
    passive = Strike("cluster-state", 0, 10, (0,), 2)

    assert promise_after("no-dirty-read", 0, strikes=(passive,)) is PromiseLevel.WEAKNESS
    assert promise_after("no-dirty-read", strikes=(passive,)) is PromiseLevel.PROMISED


def test_messages_that_arrive_twice_take_away_that_a_success_stands_for_copies() -> None:
    repeated = Scenario(1).with_scripts((Script((), (Strike("duplicate", 0, 10, (0, 1), 30),)),))

    promises = Witness(repeated).promises()

    assert promises["strict-means-copies"] is PromiseLevel.WEAKNESS
    assert Witness(Scenario(1)).promises()["strict-means-copies"] is PromiseLevel.PROMISED


def test_calls_before_the_first_arrangement_take_away_that_an_addition_counts_once() -> None:
    early, late = (Witness(Scenario(1, arranged=arranged)).promises() for arranged in (False, True))

    assert early["addition-executed-once"] is PromiseLevel.WEAKNESS
    assert late["addition-executed-once"] is PromiseLevel.PROMISED
