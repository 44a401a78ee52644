"""What the report of an exploration says."""

from collections.abc import Iterator
from dataclasses import dataclass

from gridproof_model.language import ClaimKind
from gridproof_model.language.notation import Notation
from gridproof_properties.claims.story import Story, story_of
from gridproof_properties.explorer import ClaimVerdict, Exploration
from gridproof_properties.judging.verdict import Result, worst_of
from gridproof_reports.depths import depth_figure
from gridproof_reports.figure import Figure
from gridproof_reports.smaller_worlds import command_for_smaller
from gridproof_reports.state_graph import STATES_MAX, StateGraph, read_state_graph

FAILURE = "failure"
"""The name of the story that no claim asked for."""


@dataclass(frozen=True, slots=True)
class ExplorationStory:
    """A behaviour that decides a claim, or the failure that ended everything."""

    name: str
    kind: str
    word: str
    story: Story


@dataclass(frozen=True, slots=True)
class Refusal:
    """A guard in words, and how often it was the first that did not hold."""

    guard: str
    count: int


@dataclass(frozen=True, slots=True)
class ActionRow:
    """How an action fared."""

    name: str
    sentence: str
    source: str
    fired: int
    refusals: tuple[Refusal, ...]


@dataclass(frozen=True, slots=True)
class NoStateGraph:
    """Why there is no picture of the states, and the command that draws a smaller world, where one is known."""

    reason: str
    command: str | None


@dataclass(frozen=True, slots=True)
class ExplorationReport:
    """Everything one exploration has to say."""

    found: Exploration
    repeat_line: str
    claims: tuple[tuple[ClaimKind, tuple[ClaimVerdict, ...]], ...]
    """By kind; what is broken before what holds."""
    stories: tuple[ExplorationStory, ...]
    actions: tuple[ActionRow, ...]
    depths: Figure
    graph: StateGraph | NoStateGraph

    @property
    def outcome(self) -> Result:
        """The worst verdict; broken after a failure, and unknown when states are left that nobody saw."""
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
    """Return the report of an exploration; a small world is walked once more, for its graph."""
    kinds = ((kind, tuple(_worst_first(found, kind))) for kind in ClaimKind)
    return ExplorationReport(
        found=found,
        repeat_line=repeat_line,
        claims=tuple((kind, verdicts) for kind, verdicts in kinds if verdicts),
        stories=tuple(_stories(found)),
        actions=tuple(_action_rows(found)),
        depths=depth_figure(found.level_sizes, "states" if found.group_size == 1 else "classes of states"),
        graph=read_state_graph(found) or _no_graph(found),
    )


def outcome(found: Exploration) -> Result:
    """Return the worst verdict of an exploration.

    Broken after a failure; unknown when it did not see every state, or when nothing put any of its claims to the test.
    """
    results = [verdict.result for verdict in found.judged]
    if found.failure is not None:
        return Result.BROKEN
    if not found.tested:
        results.append(Result.UNKNOWN)
    return worst_of([*results, Result.HOLDS if found.is_complete else Result.UNKNOWN])


def headline(found: Exploration) -> str:
    """Return the verdict on all claims, and how far they were judged, in one sentence."""
    if found.failure is not None:
        return f"The specification fails: {found.failure.sentence}."
    results = [verdict.result for verdict in found.tested]
    counted = f"{found.states:,} {'states' if found.group_size == 1 else 'classes of states'}"
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
    """Return what the behaviour of a verdict shows, in one sentence."""
    seen = verdict.claim.kind is ClaimKind.SOMETIMES
    return f"{'Happens' if seen else 'Does not hold'}: {verdict.claim.sentence}"


def _worst_first(found: Exploration, kind: ClaimKind) -> list[ClaimVerdict]:
    mine = [verdict for verdict in found.verdicts if verdict.claim.kind is kind]
    return sorted(mine, key=lambda verdict: -verdict.result.severity)


def _stories(found: Exploration) -> Iterator[ExplorationStory]:
    """Yield the failure's story, those of broken claims, then what was seen to happen."""
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
    counted = f"{found.states:,} {'states' if found.group_size == 1 else 'classes of states'}"
    return NoStateGraph(f"A picture is drawn of at most {STATES_MAX} states; this world has {counted}.", command)
