"""The page of one exploration."""

from pathlib import Path

from gridproof_model.language import ClaimKind
from gridproof_model.whole_file import write_whole
from gridproof_properties.explorer import Exploration
from gridproof_reports.contents.exploration_report import ExplorationReport, exploration_report, typed_constant
from gridproof_reports.drawing.state_graph import StateGraph
from gridproof_reports.drawing.state_graph_drawing import action_keys, draw_state_graph
from gridproof_reports.drawing.story_picture import draw_story
from gridproof_reports.pages.environment import environment, seconds_in_words

KIND_WORDS = {
    ClaimKind.ALWAYS: "Always: in every state that can be reached",
    ClaimKind.SOMETIMES: "Sometimes: in at least one of them",
    ClaimKind.EVENTUALLY: "Eventually: on every fair way, sooner or later",
}


def render_exploration(report: ExplorationReport) -> str:
    """Return the page as one self-contained HTML document."""
    graph = report.graph if isinstance(report.graph, StateGraph) else None
    return (
        environment()
        .get_template("exploration.html.j2")
        .render(
            report=report,
            found=report.found,
            constants=[(name.replace("_", " "), typed_constant(value)) for name, value in report.found.world.constants],
            facts=_facts(report),
            kind_words=KIND_WORDS,
            with_story={story.name for story in report.stories},
            pictures=[(story, draw_story(story.story)) for story in report.stories],
            graph=graph,
            drawing=draw_state_graph(graph) if graph is not None else "",
            keys=action_keys(graph) if graph is not None else (),
        )
    )


def _facts(report: ExplorationReport) -> list[tuple[str, str]]:
    found = report.found
    facts = [
        (found.counted, f"{found.states:,}"),
        ("transitions", f"{found.transitions:,}"),
        ("depth", f"{found.depth:,}"),
    ]
    if found.group_size > 1:
        facts.append(("renamings", f"{found.group_size:,}"))
    took = f"{found.seconds:.2f} s" if found.seconds < 10 else seconds_in_words(found.seconds)
    return [*facts, ("memory", f"{found.bytes_per_state:.0f} bytes a state"), ("took", took)]


def build_exploration_report(found: Exploration, out: Path, *, repeat_line: str = "") -> Path:
    """Write the page of one exploration to the file `out` and return the file."""
    return write_whole(out, render_exploration(exploration_report(found, repeat_line)))
