"""How bad it is when a property is broken.

One place decides it for every property, by what a user of the grid loses first. `--fail-on` takes a severity and
everything worse. A test holds that each property of the catalogue stands here once.
"""

from collections.abc import Mapping
from enum import StrEnum
from functools import cache


class Severity(StrEnum):
    """What a broken property costs, worst first."""

    DATA_LOSS = "data-loss"
    """An acknowledged change, or an entry, is gone."""
    WRONG_ANSWER = "wrong-answer"
    """A client is answered what is not so: something old, made up, out of order, or executed twice."""
    AVAILABILITY = "availability"
    """What was asked for is refused, fails, or never ends."""
    REDUNDANCY = "redundancy"
    """Copies are missing, behind, or too close together: the next crash can lose data."""
    PROTOCOL = "protocol"
    """Members do what the protocol forbids; no client needs to have noticed yet."""
    BALANCE = "balance"
    """Load is spread unevenly, or work is done without need."""

    def is_at_least(self, other: "Severity") -> bool:
        """Whether this is as bad as another, or worse."""
        order = list(Severity)
        return order.index(self) <= order.index(other)


SEVERITIES: Mapping[Severity, tuple[str, ...]] = {
    Severity.DATA_LOSS: (
        "acknowledged-write-kept",
        "promotion-without-loss",
        "acknowledged-key-present",
        "every-entry-of-a-call",
        "calm-keeps-entries",
        "acknowledged-append-kept",
        "acknowledged-addition-kept",
        "acknowledged-offer-kept",
        "merge-brings-entries",
        "merge-brings-items",
    ),
    Severity.WRONG_ANSWER: (
        "reads-see-acknowledged-writes",
        "linearizability",
        # A client that looks for a key in another partition than the grid does finds nothing there.
        "key-to-partition",
        "partition-in-range",
        "append-executed-once",
        "exactly-once-when-strict",
        "append-order-kept",
        "appended-by-somebody",
        "addition-executed-once",
        "offer-polled-once",
        "queue-order-kept",
        "polled-was-offered",
        "lock-excludes",
        "held-as-often-as-taken",
        "monotonic-reads",
        "read-your-writes",
        "read-was-written",
        "no-dirty-read",
        "job-totals-right",
        "loss-recorded-exactly",
        "answered-by-its-target",
        "safe-as-members-say",
    ),
    Severity.AVAILABILITY: (
        "writes-accepted-at-rest",
        "reads-accepted-at-rest",
        "writes-accepted-after-fault",
        "reads-accepted-after-fault",
        "no-needless-indeterminate",
        "refused-is-not-unknown",
        "every-key-routed",
        "no-member-fails",
        "comes-to-rest",
        "confirmed-job-completes",
        "calls-end-once",
        "migrations-end-once",
        "leaves-end",
        "merges-end",
        # A permit that never comes back ends all work that needs one.
        "resources-return",
        "safe-at-rest",
        "free-lock-is-given",
        "parked-caller-is-notified",
        "removed-target-ends-attempt",
        "leap-blames-nobody",
        "snapshots-go-on",
        "claim-waits-for-everybody",
        "claim-keeps-who-accepts",
        "claim-refused-for-cause",
        "lists-spread-at-once",
        "leaver-is-let-go",
        "safety-answered-in-time",
    ),
    Severity.REDUNDANCY: (
        "one-replica-per-member",
        "group-separation",
        "full-rows",
        "groups-apart-while-moving",
        "no-living-copy-dropped",
        "acknowledgement-means-copies",
        "acknowledgement-has-all-copies",
        "backups-converge",
        "acknowledged-write-on-every-copy",
        "redundancy-restored",
        "copies-equal-without-anti-entropy",
        "leaver-waits-its-time",
        "strict-means-copies",
        "acknowledged-by-its-backups",
        "acknowledged-writes-are-counted",
    ),
    Severity.PROTOCOL: (
        "no-lite-owner",
        "version-never-decreases",
        "equal-version-equal-row",
        "views-agree",
        "no-orphan",
        "roles-match-slots",
        "owner-answers",
        "one-primary-answers",
        "living-member-stays-listed",
        "ended-member-is-removed",
        "shown-version-never-goes-back",
        "backup-not-ahead-of-primary",
        "every-member-shows-its-table",
        "nothing-changes-while-it-moves",
        "lowest-survivor-promoted",
        "tables-from-the-master",
        "member-lists-agree",
        "joins-a-cluster",
        "rows-never-diverge",
        "backup-never-goes-back",
        "one-outcome",
        "still-when-frozen",
        "failure-raises-the-version",
        "steps-have-origins",
        "first-table-is-arranged",
        "removed-caller-waits-no-more",
        "joiner-hears-of-the-master",
        "refines-replication",
        "refines-invocation",
        "refines-ownership",
        "refines-snapshot",
    ),
    Severity.BALANCE: (
        "balance-of-primaries",
        "balance-after-loss",
        "balance-of-copies",
        "movement-of-primaries",
        "movement-of-copies",
        "movement-only-to-newcomer",
        "copies-only-to-newcomer",
        "movement-after-loss",
        "movement-without-cause",
        "no-needless-sync",
    ),
}
"""The properties of each severity."""


@cache
def _by_name() -> Mapping[str, Severity]:
    return {name: severity for severity, names in SEVERITIES.items() for name in names}


def severity_of(name: str) -> Severity:
    """Return the severity of a property; KeyError where nobody has decided it."""
    return _by_name()[name]
