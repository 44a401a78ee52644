"""What runs do that following `ownership` leaves out."""

from gridproof_properties.refinement.behaviour import Difference

OTHERS_ACT = Difference(
    "tables and lists change beside a migration",
    "One migration is followed at a time; what rows, versions and lists its members have is read off the events and "
    "put into the state before each step. How tables spread, masters follow one another and backups are promoted is "
    "followed by itself.",
)
LEAVE_UNHEARD = Difference(
    "the master has not heard that a member wants to leave",
    "The specification has the master know it at once; a request that is under way, or was made to a master that is "
    "gone, changes nothing until it is repeated.",
)
LAST_WORDS = Difference(
    "a participant hears from another that died meanwhile",
    "In the specification what primary and destination say to each other is lost with whoever said it; here it was "
    "under way, and the other goes on until it hears that the migration has failed.",
)
DEATH_UNHEARD = Difference(
    "the master has not heard that a leaver died",
    "In the specification whoever dies leaves no more; here the master goes on to empty its slots until it hears.",
)
COMES_BACK = Difference(
    "a shift up drops an occupant that comes back later",
    "In the specification no migration lowers the number of copies unless there are to be fewer; the documented "
    "planner does where the occupant's next slot is still another's (reference partitioning 3b.3, step 6), though "
    "3b.6 says no.",
)
FEWER_STAY = Difference(
    "a shift up drops a leaver of a row that has too many copies",
    "In the specification another member takes a leaver's slot while there is one; the documented planner shifts up "
    "where fewer groups stay than the row has copies (reference partitioning 3b.3), and the other one comes later.",
)
REPEATED = Difference(
    "a participant repeats a step",
    "A message that comes again makes a participant repeat its answer; the specification has messages come once.",
)
COMMIT_REFUSED = Difference(
    "a destination refuses to commit",
    "In the specification a destination that may not commit says nothing, and its master asks again; members say no, "
    "and the migration has failed.",
)
MASTER_GONE = Difference(
    "the master of a migration is gone",
    "Its successor decides how the migration ended, from the tables it collects; following ends.",
)

DIFFERENCES = (
    OTHERS_ACT,
    LEAVE_UNHEARD,
    DEATH_UNHEARD,
    LAST_WORDS,
    COMES_BACK,
    FEWER_STAY,
    REPEATED,
    COMMIT_REFUSED,
    MASTER_GONE,
)
