"""What runs do that the specification of invocation leaves out."""

from gridproof_properties.refinement.behaviour import Difference

ENVIRONMENT = Difference(
    "tables and lists change",
    "The specification has one change of row and list at a time, known to all members but the caller; here everybody "
    "has its own, which are read off the events and put into the state before each step. How they come about is what "
    "`tables` is about.",
)
BROKEN_CONNECTION = Difference(
    "a connection to a live member broke",
    "The specification closes connections of the dead only; the attempt is given up as if the target was dead.",
)
LATE_EXECUTION = Difference(
    "an attempt is executed that its caller has given up",
    "The specification forgets a request with its attempt; the copy that executed it is not counted.",
)
LAST_WORDS = Difference(
    "a target dies while it sends its backups",
    "The specification executes and sends in one step; here the event of the execution died with the target, and the "
    "backup that has its message applies it.",
)
SECOND_EXECUTION = Difference(
    "a call is executed twice, and its first backups are still under way",
    "The specification has one backup message under way to a member; the first one is let go of.",
)
SENT_BACK = Difference(
    "a request is sent back for another reason",
    "The specification knows two reasons to try again at the target; the others are answered as a wrong target is.",
)
FRESH_READS = Difference(
    "a read is refused while its partition migrates",
    "The specification serves stale reads, as members do where nothing else is configured; the answer is put there.",
)
NEW_INCARNATION = Difference(
    "the target has started anew on its address",
    "The specification asks whether the target is in the list; members ask whether anybody has its address, and what "
    "is sent to one that has just died reaches who sits there now.",
)
BLOCKS = Difference("a call may wait at its target", "Operations do not park in the specification; it is not followed.")
RETRIES = Difference(
    "retries run out",
    "A call that was tried as often as configured ends; the specification has no such number.",
)
FAILS = Difference(
    "an operation fails, or the cluster's state forbids it",
    "Operations of the specification succeed; following ends with the answer.",
)
CALLER_GONE = Difference(
    "the caller is gone", "The caller of the specification does not crash, leave or merge; following ends."
)

DIFFERENCES = (
    ENVIRONMENT,
    BROKEN_CONNECTION,
    LATE_EXECUTION,
    LAST_WORDS,
    SECOND_EXECUTION,
    SENT_BACK,
    FRESH_READS,
    NEW_INCARNATION,
    BLOCKS,
    FAILS,
    RETRIES,
    CALLER_GONE,
)
