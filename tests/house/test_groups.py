"""Tests that share something costly stay in one worker."""

import pytest


@pytest.mark.xdist_group("alone")
def test_xdist_knows_the_group_of_a_test(request: pytest.FixtureRequest) -> None:
    # pytest 9.2 with xdist 3.8 lost every group without a word: each worker started its own Spark.
    if not getattr(request.config.option, "loadgroup", False):
        pytest.skip("not run with `--dist loadgroup`")
    assert request.node.nodeid.endswith("@alone")
