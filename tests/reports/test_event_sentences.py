"""The table of sentences fits the types of events."""

from dataclasses import fields
from string import Formatter

import pytest

from gridproof_model.events import EVENTS
from gridproof_model.events.replication import BackupApplied
from gridproof_model.events.trace_event import TraceEvent
from gridproof_model.events.words import Applied
from gridproof_reports.reading import event_sentences
from gridproof_reports.reading.event_sentences import SENTENCES, sentence_of

ME = "member 3"


def test_every_type_of_event_has_a_line_and_nothing_else_has() -> None:
    assert SENTENCES.keys() == set(EVENTS.values())


@pytest.mark.parametrize("kind", [kind for kind, said in SENTENCES.items() if said], ids=lambda kind: kind.__name__)
def test_a_sentence_names_fields_of_its_event(kind: type[TraceEvent]) -> None:
    named = {name for _, name, _, _ in Formatter().parse(SENTENCES[kind] or "") if name}
    assert named <= {"me", *(field.name for field in fields(kind))}


def test_what_depends_on_what_an_event_says_has_a_case() -> None:
    by_case = {kind.__name__ for kind, said in SENTENCES.items() if not said and said is not None}
    assert by_case
    assert by_case <= set(event_sentences._by_case.__code__.co_names)


def test_several_values_are_a_list_and_truth_is_a_word() -> None:
    event = BackupApplied(2, "map", 1, 4, Applied.NEXT, False, 5, 6)
    assert sentence_of(event, ME) == "member 3, backup 1 of partition 2, applies version 4 (next, dirty false)"
