"""The page of the track record: on which version each finding was seen, and in how many of its trials."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from gridproof_properties.judging.words import count
from gridproof_properties.stories.hazelcast import NOT_PLAYED
from gridproof_properties.stories.story import Ending, Played, Story

REPEAT = "gridproof story --all --versions {versions} --times {times} --page docs/track-record.md"
INTRODUCTION = """\
# Track record: the documents' findings on running members

Findings about the documents ([findings.md](findings.md)) are stories that are possible by the rules of the documents.
Here each story is played on running Hazelcast members, which are real processes without simulation. If a story needs a
late or lost message, the message gate of a member's agent holds or drops it, and the story says so; otherwise no
message is held. Every trial begins with fresh members and ends with a read of every copy concerned. A is the oldest
member of a trial, B the next one, and so on.

`happened n of m`: in n of m trials the members behaved as the finding says. `refuted`: the members reached the
situation of the story, and behaved differently every time. A story whose situation was not reached counts as not
played, without a result. A story *by chance* may end either way in the same situation: it is only counted, and never
refuted. A story *out of order* needs messages in an order in which members on real connections do not take them: it
shows on what order the rules rely, and not what an operator will see. Of the versions that were played, *mended* names
the last one that shows a story, and the first later one that does not; the change was made between these two.
"""


def make_page(stories: Sequence[Story], record: Sequence[Played], made_by: str = "") -> str:
    """Return the page as Markdown, with the commands that make it; a dash means: not played on that version."""
    versions = list(dict.fromkeys(one.version for one in record))
    times = max((len(one.times) for one in record), default=0)
    by_key = {(one.story, one.version): one for one in record}
    repeat = made_by or REPEAT.format(versions=",".join(versions), times=times)
    lines = [INTRODUCTION, "```", repeat, "```", ""]
    lines += [f"| story | {' | '.join(versions)} | |", f"|---|{'---|' * (len(versions) + 1)}"]
    for story in stories:
        cells = [said(story, by_key.get((story.name, version))) for version in versions]
        kind = "by chance" if story.by_chance else "out of order" if story.out_of_order else ""
        words = ", ".join(filter(None, (kind, mended(story, versions, by_key))))
        lines.append(f"| [{story.name}](#{story.name}) | {' | '.join(cells)} | {words} |")
    for story in stories:
        lines += ["", *_section(story, [one for one in record if one.story == story.name])]
    if NOT_PLAYED:
        unplayed = (f"- Not played: *{finding}*. What it takes: {needs}." for finding, needs in NOT_PLAYED.items())
        lines += ["", "## Not played yet", "", *unplayed]
    return "\n".join(lines) + "\n"


def said(story: Story, played: Played | None) -> str:
    """Return the text of a cell: how often a story happened on a version."""
    if played is None:
        return "–"
    happened, refuted = played.count(Ending.HAPPENED), played.count(Ending.REFUTED)
    if not happened + refuted:
        return "not played"
    if not happened and not story.by_chance:
        return f"refuted, {refuted} of {refuted}"
    return f"happened {happened} of {happened + refuted}"


def mended(story: Story, versions: Sequence[str], record: Mapping[tuple[str, str], Played]) -> str:
    """Return between which versions a story ceased to happen; empty if it still happens, or if this is not certain."""
    looked = [one for version in versions if (one := record.get((story.name, version))) is not None]
    by_age = sorted(looked, key=lambda one: [int(part) for part in one.version.split(".")])
    seen = [number for number, one in enumerate(by_age) if one.count(Ending.HAPPENED)]
    behind = [one for one in by_age[seen[-1] + 1 :] if one.count(Ending.REFUTED)] if seen else []
    return f"mended after {by_age[seen[-1]].version}, by {behind[0].version}" if behind and not story.by_chance else ""


def _section(story: Story, record: Sequence[Played]) -> list[str]:
    lines = [f"## {story.name}", "", f"Finding: {story.finding}.", "", f"The documents say: {story.claim}.", ""]
    lines += [
        f"Looked for: {story.seen}.",
        "",
        f"Messages held or lost: {story.held or 'none; the story needs only load and faults'}.",
        "",
    ]
    for one in record:
        times = Counter((once.ending is Ending.NOT_PLAYED, once.sentence.rstrip(".")) for once in one.times)
        unreached = {False: "", True: " that did not reach the situation"}
        apart = [f"in {count(n, 'trial')}{unreached[is_not]}, {seen}" for (is_not, seen), n in times.items()]
        shown = f"; {'; '.join(apart)}"
        if len(times) < 2:
            shown = "".join(f"{'; in each, ' if len(one.times) > 1 else ': '}{seen}" for _, seen in times)
        shown = re.sub("in each, (.*); in another trial: ", r"in some, \1; in others, ", shown)
        how_often = re.sub(r"^(\w+),? (\d+ of \d+)$", r"\1 in \2 trials", said(story, one))
        lines.append(f"- {one.version}: {how_often}{shown}.")
    return lines
