"""What a verdict says by proof: the claims that hold of every behaviour that explains a run.

A run that is explained may still be something else than what explains it: what no record shows may be otherwise. But
whatever explains the records is a behaviour of the specification, and of those a proof says what holds of all. Of the
run itself it says that only where a claim speaks of nothing but what every line states. Plain values of texts and
numbers, without states: they outlive the run, and pages show them.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum

from gridproof_model.value import Immutable
from gridproof_properties.judging.words import count


class Share(StrEnum):
    """What is concluded of a whole run."""

    CONCLUDED = "by proof"
    BUT_FOR_SIZE = "but for size"
    NOT = "not concluded"


@dataclass(frozen=True, slots=True)
class WhyNot(Immutable):
    """Why a claim is not concluded of some behaviours."""

    why: str
    behaviours: int
    first: str
    """Which record took its condition away first, and of which behaviour; empty where it is no record's doing."""


@dataclass(frozen=True, slots=True)
class OfClaim(Immutable):
    """What is concluded of one claim, of how many behaviours of a run."""

    claim: str
    sentence: str
    behaviours: int
    """Of which it is concluded."""
    tested: int
    """Of them, those at whose end its condition is so; all, where it has none."""
    but_for_size: int = 0
    """Of which it is proved but for a size."""
    size: str = ""
    """What it is proved for, and what the first of them has."""
    not_concluded: tuple[WhyNot, ...] = ()
    is_of_the_run: bool = False
    """Whether it is concluded of the run itself: every variable of the claim stands in every line, whole."""
    says_something: int = 0
    """Behaviours at whose end its condition is so, whether it is concluded of them or not."""

    @property
    def of_all(self) -> Share:
        """What is concluded of all behaviours together."""
        if self.not_concluded:
            return Share.NOT
        return Share.BUT_FOR_SIZE if self.but_for_size else Share.CONCLUDED


@dataclass(frozen=True, slots=True)
class Row(Immutable):
    """A claim, and how much of it is concluded of how many behaviours."""

    word: str
    claim: OfClaim
    behaviours: int
    note: str


@dataclass(frozen=True, slots=True)
class ByProof(Immutable):
    """What is concluded of a run that is explained by a specification."""

    specification: str
    behaviours: int
    """Those that were explained to their end."""
    given_up: int
    """Those of which nothing can be said from some record on: nothing is concluded of them."""
    claims: tuple[OfClaim, ...]

    def shares(self) -> Iterator[tuple[str, Share]]:
        """Yield each claim with what is concluded of the whole run: nothing where some behaviours were given up."""
        yield from ((one.claim, Share.NOT if self.given_up else one.of_all) for one in self.claims)

    @property
    def headline(self) -> str:
        """What was compared, and of how many claims something follows."""
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
        """Yield what is concluded, then what would be but for size, then what is not and why."""
        for one in self.claims:
            if one.behaviours:
                at_the_end = f"its condition is so at the end of {one.tested:,} of {one.behaviours:,} behaviours"
                note = "" if one.tested == one.behaviours else at_the_end
                yield Row("of the run itself" if one.is_of_the_run else Share.CONCLUDED, one, one.behaviours, note)
        yield from (Row(Share.BUT_FOR_SIZE, one, one.but_for_size, one.size) for one in self.claims if one.but_for_size)
        for one in self.claims:
            for why in one.not_concluded:
                yield Row(Share.NOT, one, why.behaviours, f"{why.why}{', ' * bool(why.first)}{why.first}")

    def groups(self) -> Iterator[tuple[str, list[OfClaim]]]:
        """Yield what is said alike of several claims, and of which."""
        found: dict[str, list[OfClaim]] = {}
        for row in self.rows():
            found.setdefault(self._heading(row), []).append(row.claim)
        yield from found.items()

    def lines(self) -> Iterator[str]:
        """Yield the same as sentences, one a claim."""
        yield from (f"{self._heading(row)}: {row.claim.sentence} [{row.claim.claim}]" for row in self.rows())

    def as_json(self) -> dict[str, object]:
        """Return it as plain JSON values: lists where there are tuples here, so that it is the same when read back."""
        claims = [{**asdict(one), "not_concluded": [*map(asdict, one.not_concluded)]} for one in self.claims]
        return {"sentence": self.headline, **asdict(self), "claims": claims}

    def _heading(self, row: Row) -> str:
        """Return how much is concluded, of what and why."""
        of = "" if row.behaviours == self.behaviours else f" of {row.behaviours:,} of {self.behaviours:,} behaviours"
        head = f"{row.word[0].upper()}{row.word[1:]}"
        return f"{head}{of}{', ' * bool(row.note)}{row.note}"
