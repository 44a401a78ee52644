"""A refused event is drawn, and cannot be overlooked."""

import re
from dataclasses import replace
from typing import Any

from gridproof_model.events.operation import Executed
from gridproof_model.events.replication import BackupApplied
from gridproof_model.events.words import Applied
from gridproof_model.trace import EventRecord, MemberChange, MemberRecord
from gridproof_properties.judging.verdict import LogLine, Occurrence, Refusal
from gridproof_reports.drawing.refusal_picture import draw_refusal
from gridproof_reports.drawing.space_time import OCTAGON_PX
from gridproof_reports.reading.messages import sent_by, taken_in_by

WRITE = EventRecord("run", 5, 1, Executed(0, "map:a", "Put", 2, 9, (4, 7), True, (2,), 1))
NEXT = BackupApplied(0, "map:a", 2, 7, Applied.NEXT, False, 2, 9)
UPDATE = EventRecord("run", 6, 0, NEXT)
OF_NOBODY = Occurrence("backup-applied", replace(UPDATE, member=None))
WRITTEN = Occurrence("executed", WRITE, ("primary_executes_write(member 1)",))
APPLIED = Occurrence("backup-applied", UPDATE, ("update_is_applied(member 0)",))
REFUSAL = Refusal("partition 0", "backup-applied: it states version 7, and the specification 8", APPLIED, (WRITTEN,), 0)


def picture(**changed: Any) -> str:
    """The picture of the refusal, changed in some fields."""
    return draw_refusal(replace(REFUSAL, **changed), "what it shows")


def marked(svg: str) -> str:
    """What is drawn of the one event that is refused."""
    (found,) = re.findall(r'<g class="refused">(.*?)</g>', svg, re.DOTALL)
    return str(found)


def test_the_refused_event_has_a_band_a_shape_and_a_word() -> None:
    found = marked(picture())

    assert found.count("<rect ") == found.count("<path ") == 1
    assert ">refused: 6 ms: member 0, backup 2 of partition 0, applies version 7" in found


def test_the_mark_stands_on_the_lane_of_who_recorded_it() -> None:
    svg = picture()
    (lane,) = re.findall(r'x="(\d+)" [^>]*>member 0<', svg)

    assert f"M {int(lane) - OCTAGON_PX // 2} " in marked(svg)


def test_no_explained_step_is_marked() -> None:
    assert "executes Put" not in marked(picture())
    assert '<circle class="dot"' in picture()


def test_what_is_wrong_stands_below() -> None:
    assert ">it states version 7, and the specification 8</text>" in picture()


def test_a_step_stands_above_the_action_that_it_was_taken_as() -> None:
    assert ">as primary executes write(member 1)</text>" in picture()


def test_a_message_is_a_line_from_its_sender() -> None:
    assert picture().count('<line class="arrow"') == 1
    assert '<line class="arrow"' not in picture(before=())


def test_both_ends_of_a_message_say_the_same() -> None:
    assert set(taken_in_by(UPDATE)) <= set(sent_by(WRITE))
    assert not set(taken_in_by(replace(UPDATE, event=replace(NEXT, version=6)))) & set(sent_by(WRITE))


def test_who_comes_and_goes_is_marked() -> None:
    came, left = (MemberRecord("run", 1, 3, how, "d/1", "d") for how in (MemberChange.JOINED, MemberChange.LEFT))

    assert '<circle class="ring"' in picture(before=(Occurrence("", came),))
    assert '<path class="cross"' in picture(before=(Occurrence("", left),))


def test_what_was_explained_earlier_is_counted() -> None:
    assert "… 1,205 earlier steps, explained too" in picture(left_out=1_205)
    assert "earlier" not in picture()


def test_a_log_that_names_nobody_has_one_lane() -> None:
    line = Occurrence("idle", LogLine(3, (("event", "idle"),)))
    svg = picture(event=line, before=())

    assert svg.count('class="lane"') == 1
    assert ">the log</text>" in svg
    assert marked(svg).count("<path ") == 1


def test_an_event_of_nobody_is_marked_on_every_lane() -> None:
    assert marked(picture(event=OF_NOBODY, before=())).count("<path ") == 1
    assert marked(picture(event=OF_NOBODY, before=(WRITTEN, APPLIED))).count("<path ") == 2


def test_words_of_a_log_are_no_markup() -> None:
    line = Occurrence("idle", LogLine(3, (("why", "<script>"),)))

    assert "<script>" not in picture(event=line)
