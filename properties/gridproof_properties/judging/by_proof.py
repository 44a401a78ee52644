"""What a proof adds to a verdict: the claims that hold in every behaviour that explains a run.

The behaviour that explains a run need not be what happened: where there is no record, something else may have happened.
But any explanation of the records is a behaviour of the specification, and the proof holds for all its behaviours. A
conclusion is about the run itself only if every line of the log states all variables of the claim. The values in this
file are plain texts and numbers, not states: they outlive the run, and pages show them.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum

from gridproof_model.value import Immutable
from gridproof_properties.judging.words import count


class Share(StrEnum):
    """Whether a claim is concluded for a whole run."""

    CONCLUDED = "by proof"
    BUT_FOR_SIZE = "but for size"
    NOT = "not concluded"


@dataclass(frozen=True, slots=True)
class WhyNot(Immutable):
    """Why a claim is not concluded in some behaviours."""

    why: str
    behaviours: int
    first: str
    """The record after which the claim's condition first failed, and in which behaviour; empty if none made it fail."""


@dataclass(frozen=True, slots=True)
class OfClaim(Immutable):
    """In how many behaviours of a run one claim is concluded."""

    claim: str
    sentence: str
    behaviours: int
    """The behaviours in which the claim is concluded."""
    tested: int
    """How many of these behaviours end with the claim's condition true; all of them if it has no condition."""
    but_for_size: int = 0
    """How many behaviours the claim would be concluded for if it were proved for a world of their size."""
    size: str = ""
    """The size for which the claim is proved, and the size of the first behaviour that would need another proof."""
    not_concluded: tuple[WhyNot, ...] = ()
    is_of_the_run: bool = False
    """Whether the conclusion is about the run itself: every line of the log states all variables of the claim."""
    says_something: int = 0
    """How many behaviours end with the claim's condition true, whether or not the claim is concluded for them."""

    @property
    def of_all(self) -> Share:
        """What is concluded about all behaviours together."""
        if self.not_concluded:
            return Share.NOT
        return Share.BUT_FOR_SIZE if self.but_for_size else Share.CONCLUDED


@dataclass(frozen=True, slots=True)
class Row(Immutable):
    """A claim, whether it is concluded, and for how many behaviours."""

    word: str
    claim: OfClaim
    behaviours: int
    note: str


@dataclass(frozen=True, slots=True)
class ByProof(Immutable):
    """What is concluded by proof about a run whose records a specification explains."""

    specification: str
    behaviours: int
    """The number of behaviours that were explained to their end."""
    given_up: int
    """The number of behaviours whose explanation was given up at some record: nothing is concluded about them."""
    claims: tuple[OfClaim, ...]

    def shares(self) -> Iterator[tuple[str, Share]]:
        """Yield each claim, and whether it is concluded for the whole run; yield nothing if some behaviour was given
        up."""
        yield from ((one.claim, Share.NOT if self.given_up else one.of_all) for one in self.claims)

    @property
    def headline(self) -> str:
        """Return what was compared, and for how many claims something is concluded from this."""
        concluded = sum(one.behaviours > 0 and one.of_all is Share.CONCLUDED for one in self.claims)
        partly = sum(one.behaviours > 0 for one in self.claims) - concluded
        near = sum(one.behaviours == 0 < one.but_for_size for one in self.claims)
        of_the_run = sum(one.is_of_the_run for one in self.claims)
        explained = f"Every recorded step of {count(self.behaviours, 'behaviour')} is a step of {self.specification}"
        left_out = f" ({self.given_up:,} more given up, of which nothing is concluded)" if self.given_up else ""
        follows = (
            f"by proof {concluded:,} of {count(len(self.claims), 'claim')} hold of whatever explains these records"
        )
        some = f", {partly:,} more of some behaviours" if partly else ""
        size = f", {near:,} more but for size" if near else ""
        hidden = "" if of_the_run or not concluded + partly else ", for its records do not show all that they speak of"
        run = f"{of_the_run or 'none'} of the run itself{hidden}"
        return f"{explained}{left_out}: {follows}{some}{size}; {run}."

    def rows(self) -> Iterator[Row]:
        """Yield the claims that are concluded, then those that only lack a proof for another size, then the others with
        the reason."""
        for one in self.claims:
            if one.behaviours:
                at_the_end = f"its condition is so at the end of {one.tested:,} of {count(one.behaviours, 'behaviour')}"
                note = "" if one.tested == one.behaviours else at_the_end
                yield Row("of the run itself" if one.is_of_the_run else Share.CONCLUDED, one, one.behaviours, note)
        yield from (Row(Share.BUT_FOR_SIZE, one, one.but_for_size, one.size) for one in self.claims if one.but_for_size)
        for one in self.claims:
            for why in one.not_concluded:
                yield Row(Share.NOT, one, why.behaviours, f"{why.why}{', ' * bool(why.first)}{why.first}")

    def groups(self) -> Iterator[tuple[str, list[OfClaim]]]:
        """Yield each sentence that is true of several claims, together with these claims."""
        found: dict[str, list[OfClaim]] = {}
        for row in self.rows():
            found.setdefault(self._heading(row), []).append(row.claim)
        yield from found.items()

    def lines(self) -> Iterator[str]:
        """Yield the rows as sentences, one per claim."""
        yield from (f"{self._heading(row)}: {row.claim.sentence} [{row.claim.claim}]" for row in self.rows())

    def as_json(self) -> dict[str, object]:
        """Return this as plain JSON values, with lists in place of tuples, so that it is equal when read back."""
        claims = [{**asdict(one), "not_concluded": [*map(asdict, one.not_concluded)]} for one in self.claims]
        return {"sentence": self.headline, **asdict(self), "claims": claims}

    def _heading(self, row: Row) -> str:
        """Return whether a claim is concluded, for which behaviours, and why not for others."""
        of = (
            ""
            if row.behaviours == self.behaviours
            else f" of {row.behaviours:,} of {count(self.behaviours, 'behaviour')}"
        )
        head = f"{row.word[0].upper()}{row.word[1:]}"
        return f"{head}{of}{', ' * bool(row.note)}{row.note}"
