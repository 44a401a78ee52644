"""Turns clauses into lemmas that read like sentences, and lemmas into a Python module for users to keep."""

import re
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from enum import Enum
from functools import cached_property, reduce
from itertools import chain, combinations, count
from pathlib import Path
from textwrap import fill
from types import ModuleType
from typing import Any

from gridproof_model import language
from gridproof_model.language import BoolExpr, Plain, Specification, SpecificationError, tree
from gridproof_model.language.declarations import Claim, ClaimKind
from gridproof_model.language.expressions import Bool, Expr, IndexSet, Int, OneOf, bind
from gridproof_model.language.notation import Binding, Notation, Text
from gridproof_model.language.specification import variables_in
from gridproof_model.language.structures import Record
from gridproof_model.language.tree import Domain
from gridproof_model.language.world import Open, negated
from gridproof_model.user_error import UserError
from gridproof_properties.proofs.argument import Argument, Constants
from gridproof_properties.proofs.finding.candidates import Clause
from gridproof_properties.proofs.finding.predicates import template_of
from gridproof_properties.proofs.finding.trees import both, free, noun_of, operation, quantified, substituted

NAME_MAX = 60
_SIGNS = {"≠": "not", "≤": "at most", "≥": "at least", "<": "below", ">": "above", "for ": ""}
"""The word that replaces each sign in the name of a lemma."""


def lemma_of(clause: Clause, names: Collection[str]) -> Claim:
    """Return a clause as an always-claim of the specification, under a name that is not used yet."""
    template = clause.columns.template
    literals = [(predicate.node, holds) for predicate, holds in clause.said()]
    spoken_of = {name for node, _ in literals for name in free(node)}
    used = [bound for bound in template if bound.name in spoken_of]
    named = _first_names(used)
    taken = frozenset(bound.name for bound in named.values())
    said = [(_named(substituted(node, named), taken), holds) for node, holds in literals]
    elements = [named[bound.name] for bound in used]
    apart = [
        negated(operation(tree.Operator.EQUAL, one, other))
        for one, other in combinations(elements, 2)
        if one.domain == other.domain
    ]
    premises = [node for node, holds in said if not holds]
    conclusions = [node for node, holds in said if holds]
    if not conclusions:
        conclusions = [negated(premises.pop())]
    elif not premises and len(conclusions) > 1:
        premises = [negated(conclusions.pop(0))]
    body = _implied([*apart, *premises], conclusions)
    node = reduce(lambda inner, bound: quantified(tree.Quantifier.ALL, bound, inner), reversed(elements), body)
    name = _name(elements, premises, conclusions, names)
    return Claim(ClaimKind.ALWAYS, name, _sentence(elements, premises, conclusions), "lemma", node)


def _first_names(used: list[tree.Bound]) -> dict[str, tree.Bound]:
    """Return the names that the elements in use would have if there were no other elements."""
    indexes = [bound.domain for bound in used if isinstance(bound.domain, IndexSet)]
    fresh = list(template_of({index: indexes.count(index) for index in indexes}))
    named: dict[str, tree.Bound] = {}
    for bound in used:
        named[bound.name] = next(one for one in fresh if one.domain == bound.domain)
        fresh.remove(named[bound.name])
    return named


def _named(node: tree.Node, taken: frozenset[str]) -> tree.Node:
    """Return an expression in which each quantifier binds a unique name."""
    if not isinstance(node, tree.Quantified):
        parts = tree.children(node)
        return tree.with_children(node, tuple(_named(part, taken) for part in parts)) if parts else node
    noun = noun_of(node.bound.domain) if isinstance(node.bound.domain, IndexSet) else node.bound.name.split("~")[0]
    name = next(one for one in chain((noun,), (f"{noun}_{n}" for n in count(2))) if one not in taken)
    bound = tree.Bound(name, node.bound.domain)
    body = _named(substituted(node.body, {node.bound.name: bound}, 9), taken | {name})
    return replace(node, bound=bound, body=body)


def _implied(premises: list[tree.Node], conclusions: list[tree.Node]) -> tree.Node:
    conclusion = reduce(lambda left, right: operation(tree.Operator.OR, left, right), conclusions)
    return operation(tree.Operator.IMPLIES, reduce(both, premises), conclusion) if premises else conclusion


def _sentence(elements: list[tree.Bound], premises: list[tree.Node], conclusions: list[tree.Node]) -> str:
    names, nouns = [bound.name for bound in elements], [noun_of(bound.domain) for bound in elements]
    kind = "different " if len(set(nouns)) < len(nouns) else ""
    if_, then = _said(premises, " and "), _said(conclusions, " or ")
    opening = f"for each {kind}{' and '.join(names)}: " if names else ""
    whole = f"{opening}if {if_}, then {then}." if premises else f"{opening}{then}."
    return whole[0].upper() + whole[1:]


def _said(nodes: Sequence[tree.Node], between: str) -> str:
    return between.join(Notation().text(node, Binding.COMPARE) for node in nodes)


def _name(
    elements: list[tree.Bound], premises: list[tree.Node], conclusions: list[tree.Node], names: Collection[str]
) -> str:
    """Return an unused name made of the words of the lemma's sentence, except the names of elements."""
    parts = [part for node in (*premises, *conclusions) for part in tree.walk(node)]
    unsaid = {bound.name for bound in (*elements, *(part.bound for part in parts if isinstance(part, tree.Quantified)))}
    sides = [" ".join(_spelled(_said(*side), unsaid)) for side in ((premises, " and "), (conclusions, " or "))]
    name = "_".join(" means ".join(side for side in sides if side).split())
    if len(name) > NAME_MAX:
        name = name[: name.rindex("_", 0, NAME_MAX)] if "_" in name[:NAME_MAX] else name[:NAME_MAX]
    name = name if name[:1].isalpha() else f"lemma_{name}"
    return next(one for one in chain((name,), (f"{name}_{n}" for n in count(2))) if one not in names)


def _spelled(text: str, unsaid: Collection[str]) -> Iterator[str]:
    """Yield the words of a text, with signs replaced by words."""
    for sign, word in _SIGNS.items():
        text = text.replace(sign, f" {word} ")
    yield from (word for word in re.findall(r"[a-z0-9_]+", text.lower()) if word not in unsaid)


WIDTH = 120

_PYTHON = {"and": "&", "or": "|", "=": "==", "≤": "<=", "×": "*", "div": "//", "mod": "%"}
"""The signs of the notation that Python writes differently."""
_TURNED = {"==": "==", "!=": "!=", "<": ">", "<=": ">="}
_AFTER = {
    tree.Operator.SELECT: "{}[{}]",
    tree.Operator.STORE: "{}.store({}, {})",
    tree.Operator.IS_NONE: "{}.is_none",
    tree.Operator.VALUE: "{}.value",
    tree.Operator.ORDINAL: "{}.ordinal",
    tree.Operator.LENGTH: "{}.length",
    tree.Operator.AT: "{}.at({})",
    tree.Operator.APPEND: "{}.append({})",
    tree.Operator.REMOVE: "{}.without({})",
    tree.Operator.IMPLIES: "{}.implies({})",
}

_OURS = frozenset({"argument", "Argument"})
"""The names that a module of lemmas defines itself."""


class NamelessError(UserError, ValueError):
    """Raised if a part of a lemma has no name in the specification's module; the error's message is one line."""


class PredicateError(UserError, ValueError):
    """Raised if a predicate that the user adds is not valid; the error's message is one line."""


def predicate_from(text: str, specification: Specification) -> tree.Node:
    """Return the condition that a text states; the text uses the names of the specification's modules.

    An element is named by the noun of its set, as in `member`; a second and a third one are `other_member` and
    `third_member`. If the noun itself is used for something else, the first one is `any_member`.
    """
    names: dict[str, Any] = {}
    for module in _modules(specification):
        names.update(vars(module))
    for index in specification.index_sets:
        noun = noun_of(index)
        for name in (f"any_{noun}", f"other_{noun}", f"third_{noun}", noun):
            names.setdefault(name, bind(index, name))
    try:
        said: object = eval(text, names)
    except (Exception, SystemExit) as error:
        known = {SpecificationError: "problem", SyntaxError: "msg"}
        words = next((str(getattr(error, name)) for kind, name in known.items() if isinstance(error, kind)), None)
        reason = words or f"{type(error).__name__}: {error}"
        why = " ".join(reason.split())
        raise PredicateError(f"--with {text} cannot be read: {why}; write a condition on the variables") from None
    if not isinstance(said, BoolExpr):
        what = said.node.domain.describe() if isinstance(said, Expr) else f"{type(said).__name__} of Python"
        raise PredicateError(f"--with {text}: a predicate must be a condition of a specification, not {what}")
    if not variables_in(said.node):
        raise PredicateError(f"--with {text}: the predicate reads no variable; write a condition on a variable")
    return said.node


def declared_names(specification: Specification) -> frozenset[str]:
    """Return the names that a specification's modules define, and that no lemma may use as its name."""
    return frozenset(name for module in _modules(specification) for name in vars(module)) | _OURS


def home_of(specification: Specification) -> Path | None:
    """Return the folder in which a specification's modules are found; None if they belong to a package."""
    modules = [module for module in _modules(specification) if "." not in module.__name__]
    return Path(modules[0].__file__ or "").resolve().parent if modules else None


def module_text(argument: Argument, caption: str) -> str:
    """Return the text of a module that declares an argument and its lemmas; raise NamelessError for a part that cannot
    be imported."""
    source = Source(argument.specification)
    specification = source.name_of(argument.specification)
    lemmas = [_lemma_text(lemma, source) for lemma in argument.lemmas]
    worlds = [
        f"    proved_in={_worlds(argument.proved_in, source)},",
        f"    explored_in={_worlds(argument.explored_in, source)},",
    ]
    source.imported["gridproof_properties.proofs.argument"] = {"Argument"}
    if lemmas:
        source.imported["gridproof_model.language"] = {"BoolExpr", *source.language}
    opened = {value.name for world in argument.proved_in for value in world.values() if isinstance(value, Open)}
    if opened:
        source.imported.setdefault("gridproof_model.language", set()).update(opened)
    imports = [_import(module, names) for module, names in sorted(source.imported.items())]
    head = [f'"""{caption}"""', "", *imports, "", "argument = Argument(", f"    {specification},", *worlds, ")"]
    return "\n".join([*head, *lemmas]) + "\n"


def _worlds(given: Sequence[Constants], source: "Source") -> str:
    said = [
        "{" + ", ".join(f'"{name}": {source.constant(value)}' for name, value in world.items()) + "}" for world in given
    ]
    line = f"({', '.join(said)},)"
    return line if len(line) < WIDTH // 2 else "(\n" + "".join(f"        {world},\n" for world in said) + "    )"


def _lemma_text(lemma: Claim, source: "Source") -> str:
    sentence = fill(lemma.sentence, WIDTH, initial_indent='    """', subsequent_indent="    ")
    body = source.broken(lemma.condition, indent=4, before="return ")
    parts = [f"def {lemma.name}() -> BoolExpr:", f'{sentence}"""', f"    return {body}"]
    return "\n".join(["\n", "@argument.lemma", *parts])


def _import(module: str, names: Iterable[str]) -> str:
    """Return an import statement as a formatter leaves it: classes first, and one name per line if there are many."""
    listed = sorted(names, key=lambda name: (name[0].islower(), name))
    line = f"from {module} import {', '.join(listed)}"
    return (
        line if len(line) <= WIDTH else "\n    ".join([f"from {module} import (", *(f"{n}," for n in listed)]) + "\n)"
    )


class Source(Notation):
    """Writes expressions as a person would write them, and records which names have to be imported."""

    def __init__(self, specification: Specification) -> None:
        self.specification = specification
        self.language: set[str] = set()
        self.imported: dict[str, set[str]] = {}

    def write(self, node: tree.Node) -> Text:
        """Return the text of an expression, and how strongly its outermost operator binds."""
        match node:
            case tree.Variable(name=name) | tree.Parameter(name=name):
                return self.name_of((type(node), name)), Binding.TIGHT
            case tree.If():
                parts = map(self.text, (node.condition, node.then, node.otherwise))
                return f"{self._word('if_else')}({', '.join(parts)})", Binding.TIGHT
            case tree.Quantified():
                word, over = self._word(node.quantifier.value), self.domain(node.bound.domain)
                return (
                    f"{word}({over}, lambda {self.bound_name(node.bound.name)}: {self.text(node.body)})",
                    Binding.TIGHT,
                )
            case tree.Operation(operator=tree.Operator.SOME, operands=(inner,)):
                return self.write(inner)
            case tree.Operation(operator=tree.Operator.SMALLER | tree.Operator.LARGER as operator, operands=operands):
                return f"{self._word(operator.value)}({', '.join(map(self.text, operands))})", Binding.TIGHT
            case tree.Operation(operator=tree.Operator.ELEMENT, operands=(place,)):
                return f"{self._word('element_at')}({self.domain(node.domain)}, {self.text(place)})", Binding.TIGHT
            case tree.Operation(operator=operator, operands=(first, *rest)) if operator in _AFTER:
                return _AFTER[operator].format(self.text(first, Binding.TIGHT), *map(self.text, rest)), Binding.TIGHT
            case tree.Applied():
                raise TypeError(node)
            case _:
                return super().write(node)

    def broken(self, node: tree.Node, indent: int, before: str) -> str:
        """Return an expression; if it is too long for one line, its quantifiers are on lines of their own."""
        whole = self.text(node)
        if not isinstance(node, tree.Quantified) or indent + len(before) + len(whole) <= WIDTH:
            return whole
        word, over = self._word(node.quantifier.value), self.domain(node.bound.domain)
        opening, inner = f"lambda {self.bound_name(node.bound.name)}: ", " " * (indent + 4)
        body = self.broken(node.body, indent + 4, opening)
        return f"{word}(\n{inner}{over},\n{inner}{opening}{body},\n{' ' * indent})"

    def domain(self, domain: Domain[Any]) -> str:
        """Return the text of a quantifier's domain."""
        match domain:
            case IndexSet() | Record():
                return self.name_of(domain)
            case OneOf(choices=choices):
                return f"{self._word('OneOf')}({self._enumeration(choices)})"
            case Int(low=low, high=high):
                ends = ", ".join(str(end) if isinstance(end, int) else self.text(end) for end in (low, high))
                return f"{self._word('Int')}({ends})"
            case _:
                return f"{self._word('Bool')}()"

    def name_of(self, thing: object) -> str:
        """Return the name of something that the specification's modules declare, and remember to import it."""
        found = self._names.get(thing if isinstance(thing, tuple | Domain) else (Specification, id(thing)))
        if found is None:
            what = thing[1] if isinstance(thing, tuple) else getattr(thing, "name", "a record")
            raise NamelessError(f"{what} has no name in the module of {self.specification.name}: name {what} there")
        module, name = found
        here = f"the_{name}" if name in _OURS or name in language.__all__ else name
        self.imported.setdefault(module, set()).add(name if here == name else f"{name} as {here}")
        return here

    def _infix(self, symbol: str, binding: Binding, operands: tuple[tree.Node, ...]) -> Text:
        (left, right), symbol = operands, _PYTHON.get(symbol, symbol)
        if symbol in _TURNED and _is_plain(left):  # an expression gives a plain value beside it its meaning
            left, right, symbol = right, left, _TURNED[symbol]
        return f"{self.text(left, Binding.TIGHT)} {symbol} {self.text(right, Binding.TIGHT)}", Binding.COMPARE

    def _negation(self, node: tree.Node) -> Text:
        match node:
            case tree.Operation(operator=tree.Operator.EQUAL, operands=operands):
                return self._infix("!=", Binding.COMPARE, operands)
            case tree.Operation(operator=tree.Operator.IS_NONE, operands=(option,)):
                return f"{self.text(option, Binding.TIGHT)}.is_some", Binding.TIGHT
            case _:
                return f"~{self.text(node, Binding.TIGHT)}", Binding.COMPARE

    def constant(self, value: Plain) -> str:
        """Return the text of a constant's value."""
        return value.name if isinstance(value, Open) else self.value(Int(), value)

    def value(self, domain: Domain[Any], value: Any) -> str:
        """Return the text of a plain value."""
        if isinstance(value, Enum):
            return f"{self._enumeration(type(value))}.{value.name}"
        return f"{self.name_of(domain)}[{value}]" if isinstance(domain, IndexSet) else repr(value)

    def _enumeration(self, choices: type[Enum]) -> str:
        if "." in choices.__qualname__:
            where = "is declared inside a function or class: declare it at the top level of its module"
            raise NamelessError(f"{choices.__module__}.{choices.__qualname__} {where}")
        self.imported.setdefault(choices.__module__, set()).add(choices.__name__)
        return choices.__name__

    def bound_name(self, name: str) -> str:
        """Return the name of an element; the specification's modules use this name for nothing else."""
        return f"any_{name}" if name in self._declared else name

    @cached_property
    def _declared(self) -> frozenset[str]:
        return declared_names(self.specification)

    def _word(self, word: str) -> str:
        self.language.add(word)
        return word

    @cached_property
    def _names(self) -> dict[object, tuple[str, str]]:
        """All that the modules declare, each with its module and name."""
        names: dict[object, tuple[str, str]] = {}
        for module in _modules(self.specification):
            for name, value in vars(module).items():
                key: object = value if isinstance(value, Domain) and not isinstance(value, Bool) else None
                if value is self.specification:
                    key = Specification, id(value)
                elif isinstance(value, Expr) and isinstance(value.node, tree.Variable | tree.Parameter):
                    key = type(value.node), value.node.name
                if key is not None and not name.startswith("_"):
                    names.setdefault(key, (module.__name__, name))
        return names


def _modules(specification: Specification) -> Iterator[ModuleType]:
    """Yield the modules in which a specification is declared."""
    files = dict.fromkeys(at.rpartition(":")[0] for at in specification.lines.values())
    for file in files:
        yield from (module for module in tuple(sys.modules.values()) if getattr(module, "__file__", None) == file)


def _is_plain(node: tree.Node) -> bool:
    """Return whether an expression is written as a plain Python value."""
    match node:
        case tree.Operation(operator=tree.Operator.SOME, operands=(inner,)):
            return _is_plain(inner)
        case tree.Constant(domain=domain):
            return not isinstance(domain, IndexSet)
        case _:
            return False
