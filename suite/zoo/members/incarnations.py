"""Mutants of incarnations: what is meant for the dead."""

from random import Random

from gridproof_implementation.protocol.member import GridMember
from gridproof_implementation.simulator.drawn_settings import QUICK
from gridproof_implementation.simulator.scenario import ClientOperation, FaultEvent, Scenario, Script
from gridproof_model.grid_properties import FAIL_ON_INDETERMINATE_STATE
from gridproof_model.trace import OperationKind
from suite.zoo.interposer import Interposer
from suite.zoo.member_mutant import MemberMutant
from suite.zoo.mutant import replacing
from suite.zoo.scenario_search import Find, scripted, try_scenario

SLOW, CALLER = 1, 2
"""Indices of the addresses of the witness."""
ONE_CALL_EACH = tuple(
    ClientOperation("register", OperationKind.WRITE, "register-0", f"v{n}", CALLER, pause_ms)
    for n, pause_ms in enumerate((10, 1_000))
)
"""The first call of each of two incarnations."""
STRICT = (*QUICK, (FAIL_ON_INDETERMINATE_STATE.name, "true"))
CLIENT_OPERATIONS = 12


def search_restarts(seed: int) -> Find:
    """Let a lite member that calls start anew while another member handles nothing."""
    rng = Random(f"restarts {seed}")
    caller = rng.choice((2, 3))
    client_operations = tuple(
        ClientOperation(
            "register", OperationKind.WRITE, f"register-{rng.randrange(8)}", f"v{n}", caller, rng.randrange(500)
        )
        for n in range(CLIENT_OPERATIONS)
    )
    begins_ms, length_ms = rng.randrange(1_000), rng.randint(1_000, 4_000)
    fault_events = (
        FaultEvent("pause", begins_ms, length_ms, (rng.randrange(caller),)),
        FaultEvent("restart", begins_ms + rng.randrange(length_ms), 0, (caller,)),
    )
    scenario = Scenario(
        seed,
        members=caller + 1,
        partition_count=rng.choice((1, 3, 7)),
        scripts=(Script(client_operations, fault_events),),
        lite=(caller,),
        properties=rng.choice((QUICK, STRICT)),
    )
    return try_scenario(scenario)


MEMBER_MUTANTS: tuple[MemberMutant, ...] = (
    MemberMutant(
        number="X12",
        name="answers-by-number-alone",
        defect_class="C13",
        rule="An answer counts for whoever waits for its number, whichever incarnation asked.",
        source="calls.7, calls.8, backups.16",
        breaks=("acknowledged-by-its-backups",),
        plant=replacing(GridMember, "has_asked", lambda *_: True),
        witness=scripted(
            ONE_CALL_EACH,
            FaultEvent("pause", 0, 1_300, (SLOW,)),
            FaultEvent("restart", 100, 0, (CALLER,)),
            interposers=(Interposer("Backup", first=1, sender=0, receiver=SLOW),),
            lite=(CALLER,),
            partition_count=1,
            properties=STRICT,
        ),
        search=search_restarts,
    ),
)
