"""Who leaves is asked until it is gone; what reaches nobody was certainly not done."""

import sys
from threading import Thread
from time import sleep

import pytest

from gridproof_implementation.adapter import Options
from gridproof_implementation.live.agent_grid import open_agents
from gridproof_implementation.live.process import NOT_SENT, Launch
from gridproof_model.trace import Outcome
from tests.properties.live_toy import AGENT, SERVE

pytestmark = [pytest.mark.live, pytest.mark.xdist_group("live")]
SLOW_TO_LEAVE = """
def leave():
    while not os.path.exists(os.path.join(ROOT, "key-go")): time.sleep(0.01)
    os.unlink(os.path.join(ROOT, "pid-" + me))
    return {"done": True}
"""


def test_a_member_that_leaves_is_asked_until_it_is_gone_and_then_nothing_is_sent_to_it() -> None:
    launch = Launch((sys.executable, "-c", AGENT + SLOW_TO_LEAVE + SERVE))
    with open_agents(launch, Options(partition_count=1)) as grid:
        stays, leaves = grid.start_member(), grid.start_member()
        leaving = Thread(target=grid.leave, args=[leaves])
        leaving.start()
        while grid.members() != (stays,):
            sleep(0.01)

        meanwhile = grid.write("a", "1", leaves)
        assert leaving.is_alive()
        grid.write("go", "1", stays)
        leaving.join()
        write, read = grid.write("a", "2", leaves), grid.read("a", through=leaves)

        assert meanwhile.outcome is Outcome.OK
        assert (write.outcome, read.outcome) == (Outcome.REFUSED, Outcome.REFUSED)
        assert write.detail.startswith(NOT_SENT)
        assert grid.read("a", through=stays).value == "1"
