"""The language of specifications: each rule is written once, and read by many engines.

Authors import names from here; `docs/specification-language.md` shows how a module is read and written.
"""

from inspect import isfunction

from gridproof_model.language.declarations import Action, Claim, ClaimKind, LeadsTo, Step, leads_to
from gridproof_model.language.errors import SpecificationError, StepError, in_words
from gridproof_model.language.expressions import (
    Bool,
    BoolExpr,
    EnumExpr,
    Expr,
    IndexExpr,
    IndexSet,
    Int,
    IntExpr,
    OneOf,
    Option,
    OptionExpr,
    all_of,
    any_of,
)
from gridproof_model.language.quantifiers import (
    count,
    element_at,
    exists,
    first,
    for_all,
    greatest,
    if_else,
    larger,
    least,
    smaller,
    sum_of,
)
from gridproof_model.language.specification import Specification
from gridproof_model.language.structures import (
    Array,
    ArrayExpr,
    Record,
    RecordExpr,
    Sequence,
    SequenceExpr,
    Set,
    SetExpr,
    array_of,
)
from gridproof_model.language.tree import ANY, Domain, Update
from gridproof_model.language.values import Plain, State
from gridproof_model.language.world import ANY_NUMBER, EITHER, World

__all__ = [
    "ANY",
    "ANY_NUMBER",
    "EITHER",
    "Action",
    "Array",
    "ArrayExpr",
    "Bool",
    "BoolExpr",
    "Claim",
    "ClaimKind",
    "Domain",
    "EnumExpr",
    "Expr",
    "IndexExpr",
    "IndexSet",
    "Int",
    "IntExpr",
    "LeadsTo",
    "OneOf",
    "Option",
    "OptionExpr",
    "Plain",
    "Record",
    "RecordExpr",
    "Sequence",
    "SequenceExpr",
    "Set",
    "SetExpr",
    "Specification",
    "SpecificationError",
    "State",
    "Step",
    "StepError",
    "Update",
    "World",
    "all_of",
    "any_of",
    "array_of",
    "count",
    "element_at",
    "exists",
    "first",
    "for_all",
    "greatest",
    "if_else",
    "larger",
    "leads_to",
    "least",
    "smaller",
    "sum_of",
]

for _class in (
    Specification,
    Step,
    Int,
    OneOf,
    IndexSet,
    Option,
    Array,
    Set,
    Sequence,
    Record,
    *Domain.facades.values(),
):
    for _name, _method in list(vars(_class).items()):
        if isfunction(_method) and (_name in ("__init__", "__call__") or not _name.startswith("_")):
            setattr(_class, _name, in_words(_method))
for _name in __all__:
    if isfunction(globals()[_name]):
        globals()[_name] = in_words(globals()[_name])
