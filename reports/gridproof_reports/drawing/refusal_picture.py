"""Draws a refused event in a space-time diagram, below the events that were explained just before it.

The lanes are members or, for a log that is no trace, the elements that the specification's actions name; if there are
none of these, there is one lane. Below each step stands the action that explains it. Nothing that came after the
refused event is drawn, as it was not validated.
"""

import json
from collections.abc import Iterable, Sequence
from textwrap import wrap

from gridproof_model.events import NAMES
from gridproof_model.trace import EventRecord, MemberChange, MemberRecord, ViewRecord
from gridproof_properties.judging.verdict import Element, LogLine, Occurrence, Refusal
from gridproof_properties.judging.words import count
from gridproof_reports.drawing.space_time import DETAIL_CHARACTERS_MAX, Mark, Step, cut, draw_picture
from gridproof_reports.reading.event_sentences import members_of, say_event, say_member, who
from gridproof_reports.reading.messages import Message, sent_by, taken_in_by

WHY_LINES_MAX = 4
MARKS = {MemberChange.JOINED: Mark.RING, MemberChange.CRASHED: Mark.CROSS, MemberChange.LEFT: Mark.CROSS}


def draw_refusal(refusal: Refusal, title: str) -> str:
    """Return the picture as the text of a self-contained SVG file."""
    shown = [*refusal.before, refusal.event]
    lanes = _lanes(shown)
    more = count(refusal.left_out, "earlier step")
    steps = [Step(f"… {more}, explained too")] if refusal.left_out else []
    sent: dict[Message, tuple[int, int]] = {}
    for one in shown:
        steps.append(_step(one, lanes, len(steps), sent, refusal if one is refusal.event else None))
    labels = [" ".join(map(str, element)) for element in lanes] or ["the log"]
    return draw_picture(title, labels, steps)


def _lanes(shown: Sequence[Occurrence]) -> list[Element]:
    """Return the elements that the steps are about, sorted by number; their sets are in order of appearance."""
    found = [element for one in shown for element in _about(one)]
    kinds = list(dict.fromkeys(kind for kind, _ in found))
    return sorted(set(found), key=lambda element: (kinds.index(element[0]), element[1]))


def _about(one: Occurrence) -> Iterable[Element]:
    match one.recorded:
        case EventRecord() as record:
            return [("member", member) for member in members_of(record)]
        case MemberRecord(member=member) | ViewRecord(observer=member):
            return [("member", member)]
        case _:
            return one.named


def _step(
    one: Occurrence, lanes: Sequence[Element], row: int, sent: dict[Message, tuple[int, int]], refusal: Refusal | None
) -> Step:
    about = tuple(lanes.index(element) for element in _about(one))
    arrows: list[tuple[int, int]] = []
    if isinstance(one.recorded, EventRecord) and about:
        found = [sent.pop(message, None) for message in taken_in_by(one.recorded)]
        arrows = [place for place in found if place is not None and place[1] != about[0]]
        sent.update(dict.fromkeys(sent_by(one.recorded), (row, about[0])))
    actions = tuple(cut(f"as {action.replace('_', ' ')}") for action in one.actions)
    if refusal is not None:
        everywhere = about or tuple(range(max(len(lanes), 1)))
        return Step(cut(_words(one)), everywhere, _reasons(refusal), Mark.REFUSED, tuple(arrows))
    mark = MARKS.get(one.recorded.change, Mark.RING) if isinstance(one.recorded, MemberRecord) else Mark.DOTS
    return Step(cut(_words(one)), about if lanes else (0,), actions, mark, tuple(arrows))


def _words(one: Occurrence) -> str:
    """Return the time of an event, and the event in words."""
    match one.recorded:
        case EventRecord() as record:
            return _at(one, say_event(record) or f"{who(record)}: {NAMES[record.kind].replace('-', ' ')}")
        case MemberRecord() as record:
            return _at(one, say_member(record))
        case ViewRecord():
            return _at(one, one.text)
        case LogLine(number=number, fields=fields):
            return f"line {number}: {json.dumps(dict(fields), ensure_ascii=False)}"
        case _:
            return one.text


def _at(one: Occurrence, words: str) -> str:
    return f"{one.at_ms:,} ms: {words}"


def _reasons(refusal: Refusal) -> tuple[str, ...]:
    why = refusal.why.removeprefix(f"{refusal.event.text}: ")
    lines = wrap(why.replace("_", " "), DETAIL_CHARACTERS_MAX)
    return tuple(lines[:WHY_LINES_MAX])
