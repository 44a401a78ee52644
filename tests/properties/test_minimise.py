"""Everything that a scenario has can be taken away."""

from gridproof_implementation.simulator.scenario import ClientOperation, FaultEvent, Scenario, Script, StreamJob
from gridproof_model.groups import GroupType
from gridproof_model.trace import OperationKind
from gridproof_properties.campaign.minimise import leave_out, minimise

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
                ClientOperation("register", KIND.READ_BACKUP, "register.2-3", client=4, pause_ms=90),
                ClientOperation("register", KIND.DESTROY, "register.2-1 register.2-3"),
                ClientOperation("lock", KIND.LOCK, "lock-0", "0"),
            ),
            (
                FaultEvent("late", 900, 4_000, (1,), 700_000, "Backup BackupAck Summary", 30),
                FaultEvent("next-incarnation", 0, 100, (2,)),
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
    asked = any(
        client_operation.use == "register"
        for script in scenario.scripts
        for client_operation in script.client_operations
    )
    return asked and any("Backup" in fault_event.step.split() for fault_event in scenario.fault_events())


def test_what_does_not_matter_is_gone() -> None:
    small = minimise(RICH, has_late_backups)

    plain = Scenario(7, members=2, sync_backups=0, partition_count=1, workload="register")
    assert small.with_scripts(()) == plain


def test_a_fault_becomes_as_mild_as_it_can_be() -> None:
    small = minimise(RICH, has_late_backups)

    (fault_event,) = small.fault_events()
    assert (fault_event.step, fault_event.share, fault_event.at_ms, fault_event.for_ms) == ("Backup", 100, 0, 0)
    assert fault_event.amount < 1_000


def test_what_is_asked_becomes_plain() -> None:
    def is_read(scenario: Scenario) -> bool:
        return any(
            client_operation.kind in (KIND.READ, KIND.READ_BACKUP)
            for s in scenario.scripts
            for client_operation in s.client_operations
        )

    (client_operation,) = minimise(RICH, is_read).scripts[0].client_operations

    assert client_operation == ClientOperation("register", KIND.READ, "register-3")


def test_the_end_of_a_structure_is_reported_for_one_key_at_least() -> None:
    def is_destroyed(scenario: Scenario) -> bool:
        return any(
            client_operation.kind is KIND.DESTROY
            for script in scenario.scripts
            for client_operation in script.client_operations
        )

    (client_operation,) = minimise(RICH, is_destroyed).scripts[0].client_operations

    assert client_operation.key == "register-1"


def test_leaving_out_keeps_the_grid_as_it_was() -> None:
    small = leave_out(RICH, has_late_backups, 50)

    (script,) = small.scripts
    assert (len(script.client_operations), len(script.fault_events)) == (1, 1)
    assert small.with_scripts(RICH.scripts) == RICH


def test_leaving_out_ends_when_the_tries_are_used_up() -> None:
    tried: list[Scenario] = []

    def fails(scenario: Scenario) -> bool:
        tried.append(scenario)
        return True

    leave_out(RICH, fails, 2)

    assert len(tried) == 2
