"""The installed list of what each property has killed is the one that the suite makes."""

from suite.commands.killed import FILE, bugs_killed, text
from suite.zoo.members import MEMBER_MUTANTS


def test_the_installed_list_is_the_present_one() -> None:
    assert FILE.read_text(encoding="utf-8") == text(), "write it anew: python -m suite killed"


def test_a_mutant_without_a_witness_was_killed_by_nothing() -> None:
    listed = {bug["number"] for bugs in bugs_killed().values() for bug in bugs}

    assert [one.number for one in MEMBER_MUTANTS if (one.number in listed) is not one.is_proved] == []
