"""Events are types: frozen, named, each of one part."""

from collections.abc import Callable
from dataclasses import FrozenInstanceError, fields
from importlib import import_module
from pkgutil import iter_modules
from types import NoneType, UnionType
from typing import Any, Union, cast, get_args, get_origin, get_type_hints

import pytest

from gridproof_model import events, trace
from gridproof_model.events import CONDITIONS, EVENTS, NAMES, PROTOCOL_EVENTS, Event
from gridproof_model.events.invocation import CallEnded
from gridproof_model.events.partitioning import RowInstalled
from gridproof_model.events.trace_event import TraceEvent
from gridproof_model.events.words import CallEnding, WhyRowChanged
from tools.trace_format_page import PARTS

PLAIN = {int, str, bool, float, bytes, NoneType}
ROW = RowInstalled(3, 2, (0, None), WhyRowChanged.PLANNED)


def declared() -> set[type[TraceEvent]]:
    """Return the types of events that stand in the modules, in a union or not."""
    modules = [import_module(f"{events.__name__}.{module.name}") for module in iter_modules(events.__path__)]
    found = [value for module in modules for value in vars(module).values() if isinstance(value, type)]
    return {kind for kind in found if issubclass(kind, TraceEvent)}


def holds_nothing_that_changes(hint: object) -> bool:
    """Whether values of a type are plain ones, words, events, or tuples of these."""
    if get_origin(hint) in (tuple, UnionType, Union):
        return all(part is ... or holds_nothing_that_changes(part) for part in get_args(hint))
    return hint in PLAIN or (isinstance(hint, type) and issubclass(hint, str | TraceEvent))


def test_no_field_holds_what_can_be_changed() -> None:
    kinds: list[type[Any]] = [*EVENTS.values(), *trace.RECORD_KINDS.values()]
    hints = [(kind.__name__, name, hint) for kind in kinds for name, hint in get_type_hints(kind).items()]

    assert [(kind, name) for kind, name, hint in hints if not holds_nothing_that_changes(hint)] == []


def test_no_event_can_be_changed() -> None:
    made = [cast(Callable[..., Event], kind)(*range(len(fields(kind)))) for kind in EVENTS.values()]
    places = [(one, field.name) for one in made for field in fields(one)]

    assert [(NAMES[type(one)], name) for one, name in places if can_be_changed(one, name)] == []
    assert [NAMES[type(one)] for one in made if hasattr(one, "__dict__")] == []


def can_be_changed(event: Event, name: str) -> bool:
    """Whether a field of an event can be set or removed."""
    changes: list[Callable[[], None]] = [lambda: setattr(event, name, 7), lambda: delattr(event, name)]
    for change in changes:
        try:
            change()
        except FrozenInstanceError:
            continue
        return True
    return False


def test_no_record_of_a_trace_can_be_changed() -> None:
    record = trace.EventRecord("run", 1, 0, ROW)

    with pytest.raises(FrozenInstanceError):
        record.member = 3  # type: ignore[misc]


def test_an_event_is_its_fields() -> None:
    assert (
        RowInstalled(3, 2, (0, None), WhyRowChanged.PLANNED) == ROW != RowInstalled(3, 2, (0, 1), WhyRowChanged.PLANNED)
    )
    assert RowInstalled(partition=3, version=2, slots=(0, None), why=WhyRowChanged.PLANNED) == ROW
    assert {ROW: 1}[RowInstalled(3, 2, (0, None), WhyRowChanged.PLANNED)] == 1


def test_an_event_without_a_field_is_none() -> None:
    with pytest.raises(TypeError, match="confirmed"):
        CallEnded(1, CallEnding.ACKNOWLEDGED, 2)  # type: ignore[call-arg]


def test_every_type_of_event_is_of_one_part() -> None:
    listed = [kind for kinds in PARTS.values() for kind in kinds]
    bases = {TraceEvent, *(kind.__base__ for kind in listed)}

    assert len(listed) == len(set(listed))
    assert declared() - bases == set(listed) == set(EVENTS.values()) == set(NAMES)


def test_an_event_is_called_by_its_class() -> None:
    assert NAMES[RowInstalled] == "row-installed"
    assert EVENTS["row-installed"] is RowInstalled


def test_steps_of_the_protocol_are_no_conditions() -> None:
    assert PROTOCOL_EVENTS.isdisjoint(CONDITIONS)
    assert len(PROTOCOL_EVENTS) > 90


def test_every_event_says_what_happened() -> None:
    silent = [kind for kind in EVENTS.values() if kind.__doc__ is None or kind.__doc__.startswith(kind.__name__)]

    assert silent == []


def test_an_event_shows_its_words_as_texts() -> None:
    assert "why='planned'" in repr(ROW)
