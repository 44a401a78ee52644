"""One quiet Spark session for every test that needs one."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the tests marked `spark` in one worker, so that they share the session."""
    for item in items:
        if item.get_closest_marker("spark") is not None:
            item.add_marker(pytest.mark.xdist_group("spark"))
            item.add_marker(pytest.mark.filterwarnings("ignore::DeprecationWarning:pyspark"))


@pytest.fixture(scope="session")
def spark() -> Iterator["SparkSession"]:
    """A local session on two threads."""
    from gridproof_reports.pipeline.session import open_session

    with open_session("local[2]", shuffle_partitions=2, is_small=True) as session:
        yield session
