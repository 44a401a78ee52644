"""What runs do that following `snapshot` leaves out."""

from gridproof_properties.refinement.behaviour import Difference

DEALT = Difference(
    "items go where their keys belong",
    "The specification deals the items of a source out in turn; its offset is raised to the next item that goes to the "
    "same counter.",
)
TABLES = Difference(
    "partitions have other owners when a job begins or goes on",
    "The specification moves partitions when a member is lost, and gives a partition one backup; who has what is read "
    "off the master's rows.",
)
MEMBERS = Difference(
    "members join or leave beside a job",
    "The specification has its members from the beginning and only loses them; who is there is read off the run, and a "
    "member that leaves takes nothing along.",
)
ALONE = Difference(
    "nobody is there for backups",
    "A cluster of one is never safe in the specification; here it is, and a job goes on.",
)
STOPPED = Difference(
    "a job is stopped without a loss",
    "In the specification only a loss, or a record in doubt, stops a job; here it restarts when members have joined, "
    "too, or when a participant cannot do what it is asked.",
)
OVER = Difference(
    "a participant goes on after its execution is over",
    "In the specification everything of an execution is gone when the job stops; here participants learn it later, and "
    "what they do until then is passed over.",
)
ENDED_EARLY = Difference(
    "a source that has told everything sends no barrier",
    "In the specification every source saves its state and sends a barrier; here one that ended counts as arrived, and "
    "its saved state comes when it does.",
)
AWAITED = Difference(
    "a counter waits for a member that has no source",
    "In the specification every barrier comes from a source; here a counter waits for every member, and counts behind "
    "the barriers of the others meanwhile.",
)
FAILED_OTHERWISE = Difference(
    "a snapshot fails for another reason than a missed backup",
    "In the specification a write fails only when its backup is missed, and everybody reports; here a write may be "
    "refused, and a participant may be gone.",
)
NEVER_BEGUN = Difference(
    "an id was taken, and nobody heard of its snapshot",
    "The specification takes an id and tells everybody in one step; here the coordinator may be gone in between.",
)
RECORD_MISSED = Difference(
    "the record's backup missed a write",
    "As delivered nobody records whether a record's backup has it; after a loss the record is what the job goes on "
    "from.",
)
EXPOSED = Difference(
    "a partition is lost with its backup",
    "The specification has state of the job in every partition; here one may hold nothing of it. Following ends.",
)
ENDED = Difference(
    "the job is suspended or has failed",
    "A job of the specification ends only as corrupted; following ends.",
)
TWO_CLUSTERS = Difference(
    "a live member is taken for dead beside a job",
    "The specification has one cluster, and its master changes only when it is lost; following ends.",
)
FROZEN = Difference(
    "a member is lost while the cluster is frozen",
    "The specification promotes backups at once; in a frozen cluster who starts anew has its slots again, and nothing "
    "in them. Following ends.",
)
LARGE = Difference(
    "a job runs over more partitions than a state has room for",
    "A state of the specification grows with the square of partitions; beyond 50 the job is not followed.",
)

DIFFERENCES = (
    DEALT,
    TABLES,
    MEMBERS,
    ALONE,
    STOPPED,
    OVER,
    ENDED_EARLY,
    AWAITED,
    FAILED_OTHERWISE,
    NEVER_BEGUN,
    RECORD_MISSED,
    EXPOSED,
    ENDED,
    TWO_CLUSTERS,
    FROZEN,
    LARGE,
)
