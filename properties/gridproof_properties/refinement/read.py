"""The events that each specification reads of a run.

They stand apart from the judges, so that a command knows what a run has to have before it loads any specification.
"""

from gridproof_model.events import (
    anti_entropy,
    conditions,
    harness,
    invocation,
    jobs,
    membership,
    merging,
    migration,
    operation,
    partitioning,
    replication,
)
from gridproof_properties.judging.trust import OfTrust

OfLists = membership.MemberListInstalled | membership.MemberRemoved | membership.LiteMemberPromoted
OfMigration = migration.MigrationFinished | migration.MigrationOpened | migration.MigrationReadied
OfKnowledge = OfLists | partitioning.RowInstalled

OfRows = partitioning.RowInstalled | partitioning.PromotionOrdered | partitioning.Promoted | partitioning.PromotionEnded
OfCopying = migration.MigrationOpened | migration.MigrationReadied | migration.MigrationCopied
OfMigrating = OfCopying | migration.CommitOrdered | migration.MigrationEnded | migration.MigrationFinished
OfPartition = OfRows | migration.MigrationOrdered | OfMigrating
OfLeaving = partitioning.ShutdownRequested | partitioning.ShutdownAnswered
OfMember = OfTrust | membership.LiteMemberPromoted | OfLeaving | partitioning.FetchBegun
OfAllPartitions = OfMember | partitioning.TableReceived | partitioning.RowsFetched
OfNoPartition = partitioning.TablePublished | migration.MigrationForgotten | membership.ClusterStateChanged
OfOwnership = OfPartition | OfAllPartitions | OfNoPartition

OfUpdates = operation.Executed | replication.BackupApplied | replication.BackupRefused
OfSyncRequests = anti_entropy.SyncRequested | anti_entropy.SyncTurnedDown
"""The events that name several namespaces."""
OfSyncs = anti_entropy.SyncAnswered | anti_entropy.SyncInstalled | anti_entropy.SyncEnded
OfChecks = anti_entropy.SummarySent | anti_entropy.SummaryCompared | OfSyncRequests | OfSyncs
OfBackups = replication.BackupRefused | OfChecks
"""The events whose index is the slot of a backup, even one beyond the backups of the namespace."""
OfCopies = operation.Executed | replication.ReplicationEvent | OfBackups | OfMigration
OfReplication = OfCopies | OfKnowledge | conditions.MessageRepeated

OfAnswers = invocation.ResponseKept | invocation.AcknowledgementCounted | invocation.CallEnded
OfTrying = invocation.AttemptSent | invocation.AttemptFailed | invocation.LeaverCounted | OfAnswers
OfTheCaller = invocation.CallBegun | invocation.CallBegunAnew | OfTrying
OfRequests = operation.Executed | operation.Refused | operation.Parked | operation.WaitedInVain
OfTargets = OfRequests | replication.BackupApplied
OfAttempts = OfTheCaller | OfTargets
OfDeparture = partitioning.ShutdownEnded | merging.EntriesCollected
OfNoCall = conditions.Configured | operation.MadeSync | membership.JoinTurnedDown
OfCalls = OfAttempts | OfKnowledge | OfMigration | OfDeparture | OfNoCall

OfSavedState = jobs.SourceSaved | jobs.BarrierArrived | jobs.CounterSaved | jobs.ChunkWritten | jobs.StateRestored
OfParticipants = jobs.ItemSent | jobs.ItemCounted | OfSavedState
OfSnapshots = jobs.SnapshotBegun | jobs.SnapshotValidated | jobs.SnapshotRecorded | jobs.SnapshotFailed
OfCoordinators = OfSnapshots | jobs.MapCleared | jobs.JobEnded
OfJob = OfParticipants | OfCoordinators | jobs.JobStarted | jobs.JobStopped
OfAllJobs = membership.MemberRemoved | membership.ClusterStateChanged
OfNoJob = membership.MemberListInstalled | harness.JobAsked
OfJobs = OfJob | OfAllJobs | OfNoJob
