"""Everything that a scenario has can be taken away."""

from gridproof_implementation.simulator.scenario import Errand, Scenario, Script, StreamJob, Strike
from gridproof_model.groups import GroupType
from gridproof_model.trace import OperationKind
from gridproof_properties.campaign.minimise import minimise

KIND = OperationKind
RICH = Scenario(
    7,
    members=5,
    sync_backups=2,
    async_backups=1,
    workload="mixed",
    scripts=(
        Script(
            (
                Errand("register", KIND.READ_BACKUP, "register.2-3", client=4, pause_ms=90),
                Errand("register", KIND.DESTROY, "register.2-1 register.2-3"),
                Errand("lock", KIND.LOCK, "lock-0", "0"),
            ),
            (
                Strike("late", 900, 4_000, (1,), 700_000, "Backup BackupAck Summary", 30),
                Strike("next-incarnation", 0, 100, (2,)),
            ),
        ),
    ),
    lite=(2, 3),
    zones=3,
    grouping=GroupType.SPI.value,
    properties=(("hazelcast.invocation.max.retry.count", "3"),),
    arranged=False,
    job=StreamJob(0, 1),
    merge_policy="DiscardMergePolicy",
    quorum=2,
)


def has_late_backups(scenario: Scenario) -> bool:
    """Whether backups are late somewhere, and something is read."""
    asked = any(errand.use == "register" for script in scenario.scripts for errand in script.errands)
    return asked and any("Backup" in strike.step.split() for strike in scenario.strikes())


def test_what_does_not_matter_is_gone() -> None:
    small = minimise(RICH, has_late_backups)

    plain = Scenario(7, members=2, sync_backups=0, partition_count=1, workload="register")
    assert small.with_scripts(()) == plain


def test_a_fault_becomes_as_mild_as_it_can_be() -> None:
    small = minimise(RICH, has_late_backups)

    (strike,) = small.strikes()
    assert (strike.step, strike.share, strike.at_ms, strike.for_ms) == ("Backup", 100, 0, 0)
    assert strike.amount < 1_000


def test_what_is_asked_becomes_plain() -> None:
    def is_read(scenario: Scenario) -> bool:
        return any(errand.kind in (KIND.READ, KIND.READ_BACKUP) for s in scenario.scripts for errand in s.errands)

    (errand,) = minimise(RICH, is_read).scripts[0].errands

    assert errand == Errand("register", KIND.READ, "register-3")


def test_the_end_of_a_structure_is_told_for_one_key_at_least() -> None:
    def is_destroyed(scenario: Scenario) -> bool:
        return any(errand.kind is KIND.DESTROY for script in scenario.scripts for errand in script.errands)

    (errand,) = minimise(RICH, is_destroyed).scripts[0].errands

    assert errand.key == "register-1"
