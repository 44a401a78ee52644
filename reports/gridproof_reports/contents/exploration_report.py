"""The contents of the report on an exploration.

The report has the claims and their stories, the number of new states at each distance from the start, drawn as columns,
and, if the world is too large to draw, the command for a smaller one. The smaller worlds are chosen by hand among those
of at most 120 states, by what they show.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from gridproof_model.language import ClaimKind, World
from gridproof_model.language.notation import Notation
from gridproof_model.language.values import Plain
from gridproof_properties.claims.story import Story, story_of
from gridproof_properties.explorer import ClaimVerdict, Exploration
from gridproof_properties.judging.verdict import Result, worst_of
from gridproof_properties.judging.words import count
from gridproof_reports.drawing.figure import Figure, NumberTable, Panel
from gridproof_reports.drawing.state_graph import STATES_MAX, StateGraph, read_state_graph
from gridproof_reports.drawing.style import ACCENT, FONT_SIZE, MUTED, PANEL_WIDTH, RULE, new_drawing, to_svg

FAILURE = "failure"
"""The name of the story of the failure, which belongs to no claim."""


@dataclass(frozen=True, slots=True)
class ExplorationStory:
    """A behaviour that decides a claim, or leads to the failure that ended the exploration."""

    name: str
    kind: str
    word: str
    story: Story


@dataclass(frozen=True, slots=True)
class Refusal:
    """A guard in words, and how often it was the first guard of its action that was false."""

    guard: str
    count: int


@dataclass(frozen=True, slots=True)
class ActionRow:
    """How often an action happened, and how often it was refused."""

    name: str
    sentence: str
    source: str
    fired: int
    refusals: tuple[Refusal, ...]


@dataclass(frozen=True, slots=True)
class NoStateGraph:
    """Why there is no picture of the states, and the command that draws a smaller world if one is known."""

    reason: str
    command: str | None


@dataclass(frozen=True, slots=True)
class ExplorationReport:
    """The contents of the report on one exploration."""

    found: Exploration
    repeat_line: str
    claims: tuple[tuple[ClaimKind, tuple[ClaimVerdict, ...]], ...]
    """The claims by kind; in each kind, broken claims come before claims that hold."""
    stories: tuple[ExplorationStory, ...]
    actions: tuple[ActionRow, ...]
    depths: Figure
    graph: StateGraph | NoStateGraph

    @property
    def outcome(self) -> Result:
        """The worst verdict: broken after a failure, and unknown if some states were not explored."""
        return outcome(self.found)

    @property
    def headline(self) -> str:
        """The verdict on all claims in one sentence."""
        return headline(self.found)

    @property
    def never_fired(self) -> tuple[str, ...]:
        """The actions that never happened."""
        return tuple(row.name for row in self.actions if row.fired == 0)


def exploration_report(found: Exploration, repeat_line: str = "") -> ExplorationReport:
    """Return the report of an exploration; a small world is explored again, for its graph."""
    kinds = ((kind, tuple(_worst_first(found, kind))) for kind in ClaimKind)
    return ExplorationReport(
        found=found,
        repeat_line=repeat_line,
        claims=tuple((kind, verdicts) for kind, verdicts in kinds if verdicts),
        stories=tuple(_stories(found)),
        actions=tuple(_action_rows(found)),
        depths=depth_figure(found.level_sizes, found.counted),
        graph=read_state_graph(found) or _no_graph(found),
    )


def outcome(found: Exploration) -> Result:
    """Return the worst verdict of an exploration.

    It is "broken" after a failure; "unknown" if some states were not explored, or if no state tested any claim.
    """
    results = [verdict.result for verdict in found.judged]
    if found.failure is not None:
        return Result.BROKEN
    if not found.tested:
        results.append(Result.UNKNOWN)
    return worst_of([*results, Result.HOLDS if found.is_complete else Result.UNKNOWN])


def headline(found: Exploration) -> str:
    """Return one sentence with the verdict on all claims, and with how far they were judged."""
    if found.failure is not None:
        return f"The specification fails: {found.failure.sentence}."
    results = [verdict.result for verdict in found.tested]
    counted = f"{found.states:,} {found.counted}"
    extent = f"all {counted}" if found.is_complete else f"the {counted} seen before it stopped"
    claims = f"{len(results)} {'claim' if len(results) == 1 else 'claims'}"
    broken, unknown = results.count(Result.BROKEN), results.count(Result.UNKNOWN)
    if broken:
        return f"{broken} of {claims} {'is' if broken == 1 else 'are'} broken, judged over {extent}."
    if unknown:
        return f"{unknown} of {claims} could not be decided over {extent}; none is broken."
    vacuous = len(found.judged) - len(results)
    rest = f"; nothing tests {vacuous} more" if vacuous else ""
    if not results:
        return f"Nothing tests any claim in {extent}."
    return f"{f'All {claims} hold' if len(results) != 1 else 'The claim holds'}, judged over {extent}{rest}."


def shows(verdict: ClaimVerdict) -> str:
    """Return one sentence that says what the behaviour of a verdict shows."""
    seen = verdict.claim.kind is ClaimKind.SOMETIMES
    return f"{'Happens' if seen else 'Does not hold'}: {verdict.claim.sentence}"


def _worst_first(found: Exploration, kind: ClaimKind) -> list[ClaimVerdict]:
    mine = [verdict for verdict in found.verdicts if verdict.claim.kind is kind]
    return sorted(mine, key=lambda verdict: -verdict.result.severity)


def _stories(found: Exploration) -> Iterator[ExplorationStory]:
    """Yield the story of the failure, then those of broken claims, then those of claims of the kind "sometimes"."""
    if found.failure is not None and found.failure.witness:
        story = story_of(found.world, found.failure.sentence, found.failure.witness)
        yield ExplorationStory(FAILURE, FAILURE, Result.BROKEN.value, story)
    witnessed = [verdict for verdict in found.judged if verdict.witness]
    for verdict in sorted(witnessed, key=lambda verdict: -verdict.result.severity):
        story = story_of(found.world, shows(verdict), verdict.witness, verdict.cycle)
        yield ExplorationStory(verdict.claim.name, verdict.claim.kind.value, verdict.word, story)


def _action_rows(found: Exploration) -> Iterator[ActionRow]:
    notation = Notation()
    for row in found.coverage:
        action = found.world.action(row.action)
        counted = zip(action.guards, row.refused, strict=True)
        refusals = tuple(Refusal(notation.text(guard), count) for guard, count in counted)
        yield ActionRow(action.name, action.sentence, action.source, row.fired, refusals)


def _no_graph(found: Exploration) -> NoStateGraph:
    command = command_for_smaller(found.world)
    if not found.is_complete:
        return NoStateGraph(f"The search ended before it had seen every state: {found.stopped_because}.", command)
    if found.failure is not None and found.states <= STATES_MAX:
        return NoStateGraph("A step or a claim of this world is undefined somewhere.", None)
    counted = f"{found.states:,} {found.counted}"
    return NoStateGraph(f"A picture is drawn of at most {STATES_MAX} states; this world has {counted}.", command)


HEIGHT = 170
TOP = 20
"""The height that is kept free for the label of the highest column."""
FOOT = 20
"""The height of the row of labels below the columns."""
LABEL_WIDTH = 26
"""The width of a number below its column."""
BARE_COLUMNS_MAX = 9
"""If there are more columns than this, only the highest one has its number above it."""


def depth_figure(level_sizes: Sequence[int], what: str) -> Figure:
    """Return the figure of the number of new states at each distance; `what` names the things counted."""
    total = sum(level_sizes)
    highest = max(level_sizes, default=0)
    at = level_sizes.index(highest) if level_sizes else 0
    return Figure(
        name="depths",
        title=f"{what.capitalize()} by distance from the start",
        caption=f"How many {what} are first reached after each number of steps: most, {highest:,}, after {at}.",
        panels=(
            Panel(
                "New at each distance", _draw(level_sizes, f"{total:,} {what} over {count(len(level_sizes), 'depth')}")
            ),
        ),
        numbers=NumberTable(
            ("distance", f"new {what}"), tuple((str(depth), f"{size:,}") for depth, size in enumerate(level_sizes))
        ),
    )


def _draw(level_sizes: Sequence[int], label: str) -> str:
    drawing = new_drawing(HEIGHT)
    bottom, pitch = HEIGHT - FOOT, PANEL_WIDTH / max(len(level_sizes), 1)
    highest = max(level_sizes, default=0) or 1
    every = -(-LABEL_WIDTH * len(level_sizes) // PANEL_WIDTH) or 1
    for depth, size in enumerate(level_sizes):
        middle, height = (depth + 0.5) * pitch, max(1, size / highest * (bottom - TOP))
        drawing.bar(middle, -height, width=pitch * 0.78, bottom=bottom, color=ACCENT.light)
        if len(level_sizes) <= BARE_COLUMNS_MAX or size == highest:
            drawing.text(middle, bottom - height - 4, f"{size:,}", size=FONT_SIZE, color=MUTED.light, ha="center")
        if depth % every == 0:
            drawing.text(middle, HEIGHT - 5, str(depth), size=FONT_SIZE, color=MUTED.light, ha="center")
    drawing.plot([0, PANEL_WIDTH], [bottom, bottom], color=RULE.light, linewidth=1)
    return to_svg(drawing, label)


DRAWN_WORLDS: Mapping[str, Mapping[str, Plain]] = {
    "two_phase_commit": {"size": 2},
    "ownership": {"members": 2, "orders": 0},
    "invocation": {
        "backups": 0, "attempts": 1, "retries": 0, "handlings": 1, "changes": 0, "endings": 0,
        "waiting_operations": False, "other_refusals": False, "last_steps": False, "departures": False,
    },
    "snapshot": {"at_once": True, "members": 1, "items": 0, "endings": 0, "removals": 0, "stops": 0},
}  # fmt: skip
"""For each specification, the constants of the world to draw, if they differ from the defaults."""
TOO_LARGE = frozenset({"durability", "replication"})
"""Specifications that have no world of at most 120 states that shows a claim."""


def command_for_smaller(world: World) -> str | None:
    """Return the command that explores and draws a smaller world of the specification; None if none is known."""
    constants = DRAWN_WORLDS.get(world.name)
    is_known = constants is not None and constants.keys() <= dict(world.constants).keys()
    return None if constants is None or not is_known else explore_line(world.name, constants, besides=["--out smaller"])


def explore_line(
    specification: str,
    constants: Mapping[str, Plain],
    *,
    symmetry: bool = False,
    eventually: bool = True,
    memory_mib: int | None = None,
    besides: Sequence[str] = (),
) -> str:
    """Return the command line that explores a world; `besides` has further options."""
    settings = [f"--set {name}={typed_constant(value)}" for name, value in constants.items()]
    options = [
        *(["--symmetry"] if symmetry else []),
        *([] if eventually else ["--no-eventually"]),
        *([f"--memory {memory_mib}"] if memory_mib is not None else []),
        *besides,
    ]
    return " ".join(["gridproof explore", specification, *settings, *options])


def typed_constant(value: Plain) -> str:
    """Return a constant in the form that `--set` reads."""
    if isinstance(value, Enum):
        return value.name.lower()
    return str(value).lower() if isinstance(value, bool) else str(value)
