"""Draws sentences of the tree by a seed, for a reader who has not seen the code.

`python -m tests.house.sample_sentences 1` prints them: twenty verdicts on runs that are mutated or go well, twenty
messages of errors that a user can cause, and sixty-four sentences of docstrings, comments, the glossary and the
documents, each after the sentences before it in its paragraph. The reader, who has read README.md, GLOSSARY.md and
docs/protocol, marks each: is it understood at one reading; of a verdict also whether it names the member, the key or
partition, the time, what was seen, and the rule.
Mixed with as many sentences of libraries that are known for their texts, the marks show how strict the reader is.
"""

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from random import Random

from gridproof_model.trace import Record
from gridproof_properties.catalogue import CATALOGUE
from gridproof_properties.judging.panel import judge_run
from gridproof_properties.judging.verdict import Reason, Result, Verdict
from suite.zoo import TRACE_MUTATIONS, mutated_polls, mutated_simulations, mutated_steps
from suite.zoo.trace_mutation import NothingToMutateError, TraceMutation
from tests.house.source_tree import ROOT, Module, dotted_name, every_module
from tests.properties.polled_run import polled_run
from tests.suite import good_runs, test_mutated_simulations, test_mutated_steps

VERDICTS, BROKEN, MESSAGES = 20, 14, 20
SHARES = {"docstrings": 34, "comments": 6, "glossary": 8, "documents": 16}
"""How many sentences of what."""
Mutated = Callable[[], Sequence[Record]]
Raised = tuple[Module, ast.AST, str, ast.expr]
"""The node that raises or shows an error, the error's class (empty if it is only shown), and its text."""


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
    found = _raised()
    return [f"{place}: {framed(dice, found[place])}" for place in dice.sample(list(found), number)]


@cache
def _raised() -> dict[str, Raised]:
    """Return by their places the errors of the product's own that it raises."""
    found = dict[str, Raised]()
    for module in every_module(with_tests=False):
        for node in ast.walk(module.tree):
            match node:
                case ast.Raise(exc=ast.Call(func=ast.Name(id=name), args=[text, *_])) if name.endswith("Error"):
                    if isinstance(text, ast.JoinedStr | ast.Constant) and len(ast.unparse(text)) > 20:
                        found[f"{module.name}:{node.lineno}"] = module, node, name, text
                case _:
                    pass
    return found


def framed(dice: Random, raised: Raised, handlers: int = 2) -> str:
    """Return a text as one of the nearest handlers shows it, at most five callers away; the text if none does."""
    module, node, error, text = raised
    kinds = {error, *(ast.unparse(base) for kind in _classes(error) for base in kind.bases)}
    for one in ast.walk(_left_by(node, set()) or node) if handlers > 1 else ():
        said = one.value if isinstance(one, ast.Assign) else None
        if isinstance(said, ast.JoinedStr) or (isinstance(said, ast.Constant) and isinstance(said.value or 0, str)):
            text = next(_put(text, ast.unparse(one).partition(" = ")[0], said), text)
    made = [one for kind in _classes(error) for one in kind.body if isinstance(one, ast.FunctionDef)]
    text = next((said for one in made for given in one.args.args[1:2] for said in _put(one, given.arg, text)), text)
    places = [(module, node)]
    for _ in range(5 if handlers and error else 0):
        left = dict.fromkeys((where, _left_by(one, kinds)) for where, one in places)
        if shown := [one for where, way in left for one in _shown(where, way, error, text)]:
            return framed(dice, dice.choice(shown), handlers - 1)
        places = [use for where, way in left if isinstance(way, ast.FunctionDef) for use in _uses(where, way)]
    return ast.unparse(text)


def _left_by(node: ast.AST, kinds: set[str]) -> ast.AST | None:
    parent = _index()[0].get(node)
    if parent is None or isinstance(parent, ast.FunctionDef):
        return parent
    tried = parent.handlers if isinstance(parent, ast.Try) and node in parent.body else []
    caught = (one for one in tried if one.type and kinds & set(re.findall(r"\w+", ast.unparse(one.type))))
    return next(caught, None) or _left_by(parent, kinds)


def _shown(module: Module, way: ast.AST | None, error: str, text: ast.expr) -> Iterator[Raised]:
    for node in ast.walk(way) if isinstance(way, ast.ExceptHandler) else ():
        if isinstance(node, ast.Raise | ast.Return | ast.Expr):
            name, said = f"{getattr(way, 'name', '')}", ast.unparse(node)
            raised = re.findall(r"^raise (?:\w+\.)*(\w+)\(|$", said)[0]
            again = [text] if re.match(rf"raise [\w.]+\((str\()?{name}\)", said) else []
            for one in [*_put(node, name, text), *again]:
                yield module, node, error if raised == "type" else raised, one


def _put(node: ast.AST, name: str, text: ast.expr) -> Iterator[ast.expr]:
    inside: list[ast.expr] = getattr(text, "values", [text])
    for one in (one.values for one in ast.walk(node) if isinstance(one, ast.JoinedStr)):
        parts = [inside if getattr(getattr(part, "value", part), "id", "") == name else [part] for part in one]
        if inside in parts:
            yield ast.JoinedStr([value for part in parts for value in part])


@cache
def _uses(module: Module, function: ast.FunctionDef) -> list[tuple[Module, ast.AST]]:
    here, owner = dotted_name(module), getattr(_index()[0][function], "name", function.name)
    imports = rf"from ({here}|{here.rpartition('.')[0]}) import (\([^)]*|.*)\b{owner}\b"
    named = _index()[1][owner if function.name.startswith("__") else function.name]
    return [(other, node) for other, node in named if other is module or re.search(imports, other.text)]


def _classes(error: str) -> list[ast.ClassDef]:
    own = [one for _, one in _index()[1][error] if isinstance(one, ast.ClassDef)]
    return [*own, *(above for one in own for base in one.bases for above in _classes(ast.unparse(base)))]


@cache
def _index() -> tuple[dict[ast.AST, ast.AST], defaultdict[str, list[tuple[Module, ast.AST]]]]:
    """Return the parent of each node, and the nodes that have or use each name."""
    parents, names = dict[ast.AST, ast.AST](), defaultdict[str, list[tuple[Module, ast.AST]]](list)
    for module in every_module(with_tests=False):
        for node in ast.walk(module.tree):
            parents.update(dict.fromkeys(ast.iter_child_nodes(node), node))
            names[getattr(node, "id", getattr(node, "attr", getattr(node, "name", "")))].append((module, node))
    return parents, names


def draw_sentences(dice: Random) -> list[str]:
    """Return sentences of the tree, in the shares of `SHARES`."""
    pools = {"docstrings": _docstrings, "comments": _comments, "glossary": _glossary, "documents": _documents}
    return [one for kind, number in SHARES.items() for one in dice.sample(list(pools[kind]()), number)]


def _docstrings() -> Iterator[str]:
    """Yield each sentence with what it is about, as a reader of the code and of the site of documents sees it."""
    for module in every_module(with_tests=False):
        for owner in ast.walk(module.tree):
            body = getattr(owner, "body", None)
            for before, node in pairwise([owner, *body] if isinstance(body, list) else []):
                if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                    place = f"{module.name}:{node.lineno}:{_documented(before)}"
                    yield from (f"{place} {one}" for one in _sentences(str(node.value.value)))


def _documented(node: ast.AST) -> str:
    """Return the name of what the next text is about, with a colon; empty for a file."""
    match node:
        case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            return f" {name}:"
        case ast.AnnAssign(target=target) | ast.Assign(targets=[target]):
            return f" {ast.unparse(target)}:"
        case _:
            return ""


def _comments() -> Iterator[str]:
    for module in every_module(with_tests=False):
        written = re.finditer(r"^ *#[ ]\w.*(?:\n *# .*)*", module.text, re.MULTILINE)
        for found in written:
            text = re.sub(r"^ *# ", "", found[0], flags=re.MULTILINE)
            if not text.startswith(("type:", "noqa", "fmt:", "pyright:")):
                number = module.text.count("\n", 0, found.start()) + 1
                yield from (f"{module.name}:{number}: {one}" for one in _sentences(text))


def _glossary() -> Iterator[str]:
    for line in (ROOT / "GLOSSARY.md").read_text("utf-8").splitlines():
        if line.startswith("| ") and not line.startswith("| ---"):
            yield f"GLOSSARY.md: {line}"


def _documents() -> Iterator[str]:
    """Yield each sentence of the documents with its page and the heading above it."""
    for path in sorted((ROOT / "docs").rglob("*.md")):
        text = re.sub(r"```.*?```", "", path.read_text("utf-8"), flags=re.DOTALL)
        for section in re.split(r"^#+ ", text, flags=re.MULTILINE):
            heading, _, body = section.partition("\n")
            plain = "\n".join(line for line in body.splitlines() if not line.startswith(("|", "!", "<", ">")))
            place = f"{path.relative_to(ROOT).as_posix()}, {heading}:"
            yield from (f"{place} {sentence}" for sentence in _sentences(plain))


def _sentences(text: str) -> list[str]:
    """Return the sentences of four words at least, each after what its paragraph or item says before it, in brackets.

    So the reader meets a sentence as somebody does who reads the text; no sentence goes on in another paragraph.
    """
    drawn: list[str] = []
    for paragraph in re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )", text):
        before = ""
        for part in re.split(r"(?<=[.!?])\s+(?=[A-Z`\"(])", " ".join(paragraph.split())):
            if len(part.split()) >= 4:
                drawn.append(f"[{before}] {part}" if before else part)
            before = f"{before} {part}".strip()
    return drawn


def main(seed: int) -> None:
    """Print what a seed draws."""
    for title, draw in (("verdicts", draw_verdicts), ("messages", draw_messages), ("sentences", draw_sentences)):
        print(f"{title}, seed {seed}")
        for number, one in enumerate(draw(Random(f"{title} {seed}")), start=1):
            print(f"  {number}. {one}")


if __name__ == "__main__":
    main(int(sys.argv[1]))
