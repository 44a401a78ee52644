"""Every lie, and the promises it breaks.

A lie overrides as little of the honest grid as it takes, in what the adapter shows or in what the grid does while its
adapter says otherwise. Behind them, grids that do not lie and that an audit must bear.
"""

from collections.abc import Mapping, Sequence

from gridproof_implementation.adapter import AdapterError, ObservedRow
from gridproof_model.membership import Member
from tests.properties import lies_about_calls as calls
from tests.properties import lies_about_copies as copies
from tests.properties import lies_about_tables as tables
from tests.properties.honest_grid import HonestGrid

LIES: Mapping[type[HonestGrid], tuple[str, ...]] = {
    copies.GarblesBackupsOnCrash: ("backups-converge", "acknowledged-write-on-every-copy"),
    tables.SwapsTwoRows: ("acknowledged-write-on-every-copy", "no-orphan", "roles-match-slots"),
    tables.SwapsPrimaryAndBackup: ("roles-match-slots", "owner-answers"),
    tables.SwapsTablesAndRoles: ("owner-answers",),
    tables.NamesOneMemberTwice: ("one-replica-per-member", "full-rows", "group-separation"),
    tables.HidesMembersTables: ("every-member-shows-its-table",),
    tables.ShowsOneTableForAll: ("owner-answers",),
    tables.MembersDisagree: ("views-agree", "equal-version-equal-row"),
    tables.KeepsVersions: ("equal-version-equal-row",),
    tables.TakesVersionsBack: ("version-never-decreases",),
    tables.NamesTheDead: ("full-rows", "redundancy-restored", "writes-accepted-after-fault"),
    tables.LeavesRowsShort: ("full-rows", "redundancy-restored"),
    tables.ClaimsMoreBackups: ("full-rows", "acknowledgement-has-all-copies"),
    tables.OneGroup: ("group-separation",),
    tables.LiteMemberOwns: ("no-lite-owner",),
    tables.MovesEverything: (
        "movement-of-primaries",
        "movement-of-copies",
        "movement-only-to-newcomer",
        "copies-only-to-newcomer",
    ),
    tables.MovesEverythingAfterALoss: ("movement-after-loss",),
    tables.CrowdsTwoMembers: ("balance-of-copies", "balance-of-primaries"),
    tables.MovesWithoutCause: ("movement-without-cause",),
    tables.OneMemberOwnsAll: ("balance-of-primaries", "balance-after-loss"),
    calls.RefusesNineWritesOfTen: ("writes-accepted-at-rest",),
    calls.RefusesWritesAfterACrash: ("writes-accepted-at-rest", "writes-accepted-after-fault"),
    calls.IsSlowToRecover: (
        "writes-accepted-after-fault",
        "reads-accepted-after-fault",
        "redundancy-restored",
        "comes-to-rest",
    ),
    calls.NeverAnswersReads: ("reads-accepted-at-rest", "reads-accepted-after-fault"),
    calls.AcknowledgesNothing: ("acknowledged-write-kept", "reads-see-acknowledged-writes", "calm-keeps-entries"),
    calls.KeepsTheBeginningOfValues: ("acknowledged-write-kept",),
    calls.FoldsCase: ("acknowledged-write-kept", "read-was-written"),
    calls.StripsKeys: ("acknowledged-write-kept", "read-was-written"),
    calls.ComposesKeys: ("acknowledged-write-kept", "read-was-written"),
    calls.KeepsTheBeginningOfKeys: ("acknowledged-write-kept", "read-was-written"),
    calls.StripsValues: ("acknowledged-write-kept", "read-was-written"),
    calls.KeepsAsciiOfValues: ("acknowledged-write-kept", "read-was-written"),
    calls.ManyWritesNothing: ("every-entry-of-a-call", "acknowledged-write-kept"),
    calls.ManyForgetsTheLast: ("every-entry-of-a-call", "acknowledged-write-kept"),
    calls.AcknowledgesEarly: ("acknowledgement-means-copies", "backups-converge", "acknowledged-write-on-every-copy"),
    calls.ClaimsMoreCopies: ("acknowledgement-means-copies",),
    calls.ClaimsOneCopy: ("acknowledgement-has-all-copies",),
    calls.LeavesWritesOpen: ("no-needless-indeterminate", "writes-accepted-at-rest"),
    calls.RefusesAndWrites: ("no-needless-indeterminate", "reads-see-acknowledged-writes"),
    calls.ReadsTheFirstValue: ("reads-see-acknowledged-writes", "read-your-writes", "linearizability"),
    calls.InventsValues: ("read-was-written",),
    calls.ReadsBackwards: ("monotonic-reads",),
    calls.ReadsFromBackups: ("owner-answers",),
    copies.DropsOneCopy: ("backups-converge", "acknowledged-write-on-every-copy"),
    copies.DropsAllCopies: ("acknowledged-write-kept", "acknowledged-key-present", "calm-keeps-entries"),
    copies.KeepsOldCopies: ("no-orphan",),
    copies.ResurrectsOnCrash: ("acknowledged-write-kept", "promotion-without-loss"),
    copies.ForgetsOnCrash: ("acknowledged-write-kept", "promotion-without-loss"),
    copies.EntriesAppear: ("calm-keeps-entries",),
    copies.WritesASecondEntry: ("calm-keeps-entries",),
    copies.EntriesVanish: ("calm-keeps-entries", "acknowledged-write-kept"),
    copies.SwapsRoles: ("roles-match-slots",),
    copies.ShowsOneContent: ("acknowledged-write-on-every-copy", "calm-keeps-entries"),
    copies.HoldsNothing: ("acknowledged-write-on-every-copy", "calm-keeps-entries"),
    copies.RoutesNextDoor: ("key-to-partition",),
    copies.HashesOtherwise: ("key-to-partition",),
    copies.HashesCharacters: ("key-to-partition",),
    copies.NamesAnotherPartition: ("key-to-partition", "acknowledged-write-on-every-copy"),
    copies.CrashKillsNobody: ("full-rows", "redundancy-restored"),
}
"""Each lie with promised properties that it breaks, among others."""


class NeverSettles(HonestGrid):
    """After a crash the grid is never at rest."""

    def why_unsettled(self) -> str | None:
        return "waiting for a member that never comes" if self.crashed else super().why_unsettled()


class StopsAnswering(HonestGrid):
    """After a crash the members no longer answer."""

    def view_table(self, observer: Member) -> Sequence[ObservedRow]:
        if self.crashed:
            raise AdapterError("nobody answers")
        return super().view_table(observer)


class TablesOnly(HonestGrid):
    """There are tables, and no data."""

    holds_data = False


class HasNoLiteMembers(HonestGrid):
    """It offers no lite members."""

    def start_member(self, *, group: str | None = None, lite: bool = False) -> Member:
        if lite:
            raise AdapterError("no lite members here")
        return super().start_member(group=group)
