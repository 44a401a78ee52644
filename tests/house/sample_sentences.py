"""Draws sentences of the tree by a seed, for a reader who has not seen the code.

`python -m tests.house.sample_sentences 1` prints them: twenty verdicts on runs that are mutated or go well, twenty
messages of errors that a user can cause, and sixty-four sentences of docstrings, comments, the glossary and the
documents. The reader marks each: is it understood at one reading; of a verdict also whether it names the member, the
key or partition, the time, what was seen, and the rule.
"""

import ast
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from random import Random

from gridproof_model.trace import Record
from gridproof_properties.catalogue import CATALOGUE
from gridproof_properties.judging.panel import judge_run
from gridproof_properties.judging.verdict import Reason, Result, Verdict
from suite.zoo import TRACE_MUTATIONS, mutated_polls, mutated_simulations, mutated_steps
from suite.zoo.trace_mutation import NothingToMutateError, TraceMutation
from tests.house.message_frames import Raised, framed
from tests.house.source_tree import ROOT, every_module
from tests.properties.polled_run import polled_run
from tests.suite import good_runs, test_mutated_simulations, test_mutated_steps

VERDICTS, BROKEN, MESSAGES = 20, 14, 20
SHARES = {"docstrings": 34, "comments": 6, "glossary": 8, "documents": 16}
"""How many sentences of what."""
Mutated = Callable[[], Sequence[Record]]


def draw_verdicts(dice: Random, number: int = VERDICTS, broken: int = BROKEN) -> list[str]:
    """Return verdicts, each with its property: so many of mutated runs that broke it, the others of the same runs."""
    drawn: list[str] = []
    others: list[Verdict] = []
    mutations = list(_mutated_runs())
    while len(drawn) < broken:
        mutation, run = dice.choice(mutations)
        try:
            verdicts = judge_run(run(), CATALOGUE, {})
        except NothingToMutateError:
            continue
        found = [v for v in verdicts if v.result is Result.BROKEN and v.property in mutation.breaks]
        said = [f"{v.property} {v.result}: {v.sentence}" for v in found]
        drawn += [one for one in dice.sample(said, min(1, len(said))) if one not in drawn]
        others += [v for v in verdicts if v.result is not Result.BROKEN and v.reason is not Reason.NOT_LOOKED_AT]
    rest = dict.fromkeys(f"{v.property} {v.result}: {v.sentence}" for v in others)
    return [*drawn, *dice.sample(list(rest), number - broken)]


def _mutated_runs() -> Iterator[tuple[TraceMutation, Mutated]]:
    for one in mutated_steps.TRACE_MUTATIONS:
        yield one, lambda one=one: test_mutated_steps.run_for(one)[1]  # type: ignore[misc]
    for one in mutated_simulations.TRACE_MUTATIONS:
        yield one, lambda one=one: test_mutated_simulations.run_for(one)[1]  # type: ignore[misc]
    for one in mutated_polls.TRACE_MUTATIONS:
        yield one, lambda one=one: one.mutate(polled_run().records)  # type: ignore[misc]
    for one in TRACE_MUTATIONS:
        yield one, lambda one=one: one.mutate(good_runs.good_run())  # type: ignore[misc]


def draw_messages(dice: Random, number: int = MESSAGES) -> list[str]:
    """Return texts with which the product raises an error of its own, each as a handler shows it to users."""
    found = dict[str, Raised]()
    for module in every_module(with_tests=False):
        for node in ast.walk(module.tree):
            match node:
                case ast.Raise(exc=ast.Call(func=ast.Name(id=name), args=[text, *_])) if name.endswith("Error"):
                    if isinstance(text, ast.JoinedStr | ast.Constant) and len(ast.unparse(text)) > 20:
                        found[f"{module.name}:{node.lineno}"] = module, node, name, text
                case _:
                    pass
    return [f"{place}: {framed(dice, found[place])}" for place in dice.sample(list(found), number)]


def draw_sentences(dice: Random) -> list[str]:
    """Return sentences of the tree, in the shares of `SHARES`."""
    pools = {"docstrings": _docstrings, "comments": _comments, "glossary": _glossary, "documents": _documents}
    return [one for kind, number in SHARES.items() for one in dice.sample(list(pools[kind]()), number)]


def _docstrings() -> Iterator[str]:
    for module in every_module(with_tests=False):
        for node in ast.walk(module.tree):
            if (
                isinstance(node, ast.Expr)
                and isinstance(node.value, ast.Constant)
                and isinstance(node.value.value, str)
            ):
                for sentence in _sentences(node.value.value):
                    yield f"{module.name}:{node.lineno}: {sentence}"


def _comments() -> Iterator[str]:
    for module in every_module(with_tests=False):
        for number, line in enumerate(module.text.splitlines(), start=1):
            found = re.match(r"\s*# (\w.*)", line)
            if found and not found[1].startswith(("type:", "noqa", "fmt:", "pyright:")):
                yield f"{module.name}:{number}: {found[1]}"


def _glossary() -> Iterator[str]:
    for line in (ROOT / "GLOSSARY.md").read_text("utf-8").splitlines():
        if line.startswith("| ") and not line.startswith("| ---"):
            yield f"GLOSSARY.md: {line}"


def _documents() -> Iterator[str]:
    for path in sorted((ROOT / "docs").rglob("*.md")):
        text = re.sub(r"```.*?```", "", path.read_text("utf-8"), flags=re.DOTALL)
        plain = "\n".join(line for line in text.splitlines() if not line.startswith(("|", "#", "!", "<", ">")))
        for sentence in _sentences(plain):
            yield f"{path.relative_to(ROOT).as_posix()}: {sentence}"


def _sentences(text: str) -> list[str]:
    """Return the sentences of a text, of four words at least; none goes on in another paragraph or item of a list."""
    paragraphs = re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )", text)
    parts = (part for one in paragraphs for part in re.split(r"(?<=[.!?])\s+(?=[A-Z`\"(])", " ".join(one.split())))
    return [whole for part in parts if len((whole := " ".join(part.split())).split()) >= 4]


def main(seed: int) -> None:
    """Print what a seed draws."""
    for title, draw in (("verdicts", draw_verdicts), ("messages", draw_messages), ("sentences", draw_sentences)):
        print(f"{title}, seed {seed}")
        for number, one in enumerate(draw(Random(f"{title} {seed}")), start=1):
            print(f"  {number}. {one}")


if __name__ == "__main__":
    main(int(sys.argv[1]))
