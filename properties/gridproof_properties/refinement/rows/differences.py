"""What runs do that following rows by `ownership` leaves out."""

from gridproof_properties.refinement.behaviour import Difference

READ_OFF = Difference(
    "what everybody has is read off the events",
    "The specification has one partition, and each step follows the one before; here a step is taken from the rows, "
    "versions, lists and masters that all members have just then.",
)
ELSEWHERE = Difference(
    "a row changes by placement, a migration, or a return",
    "Which member gets which slot is the placement's business, and migrations are followed one by one; a member that "
    "comes back to a frozen cluster is not in the specification.",
)
SETTLES = Difference(
    "a new master settles a migration",
    "A migration of an older master gets its outcome while rows are collected; its partition's row is not compared.",
)
SPLIT = Difference(
    "a live member is struck off or claimed over",
    "The specification cuts a member off at once and for all; here each has its own list. Following ends.",
)
ANOTHER_ORDER = Difference(
    "members are not listed in the order of their starts",
    "The specification counts members by age; who joined, or merged, later than a younger one has another place in the "
    "list, and a claim among them is not compared.",
)
LEARNT = Difference(
    "a candidate learns of a member from those that follow it",
    "The specification has one member list; here a candidate may have an older one, and takes over who joined since.",
)
CROWD = Difference(
    "more members than the followed world has",
    "Following ends: the world has room for so many, the dead counted.",
)

DIFFERENCES = (READ_OFF, ELSEWHERE, SETTLES, SPLIT, ANOTHER_ORDER, LEARNT, CROWD)
