"""A Spark session that is quiet and leaves nothing behind."""

import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gridproof_reports.pipeline.java import PipelineError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.xdist_group("spark")
@pytest.mark.spark
def test_a_local_session_stays_on_loopback(spark: "SparkSession") -> None:
    assert spark.conf.get("spark.driver.host") == "127.0.0.1"
    assert spark.conf.get("spark.driver.bindAddress") == "127.0.0.1"
    assert spark.sparkContext.uiWebUrl is None


@pytest.mark.xdist_group("spark")
@pytest.mark.spark
def test_a_session_writes_into_its_own_scratch_directory_only(spark: "SparkSession") -> None:
    warehouse = Path(str(spark.conf.get("spark.sql.warehouse.dir")).removeprefix("file:"))
    scratch = Path(str(spark.conf.get("spark.local.dir")))

    assert warehouse.parent == scratch
    assert [name for name in ("spark-warehouse", "metastore_db", "derby.log") if Path(name).exists()] == []


@pytest.mark.xdist_group("spark")
@pytest.mark.spark
def test_ctrl_c_stays_with_whoever_listens_to_it(spark: "SparkSession") -> None:
    assert "pyspark" not in str(getattr(signal.getsignal(signal.SIGINT), "__module__", ""))


JAVA_THAT_IS_GONE = """
from pyspark import SparkContext
from gridproof_reports.pipeline.session import open_session
with open_session("local[1]", is_small=True):
    SparkContext._gateway.proc.kill()
    SparkContext._gateway.proc.wait()
"""


@pytest.mark.xdist_group("spark")
@pytest.mark.spark
@pytest.mark.nightly
def test_nothing_is_printed_of_a_java_process_that_is_gone_when_it_is_stopped() -> None:
    ended = subprocess.run([sys.executable, "-c", JAVA_THAT_IS_GONE], capture_output=True, text=True)

    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


def test_the_package_that_is_shipped_says_its_version_and_has_every_wing(tmp_path: Path) -> None:
    from importlib.metadata import distributions
    from zipfile import ZipFile

    from gridproof_implementation.simulator.run import VERSION
    from gridproof_reports.pipeline.session import WING_PACKAGES, _zip_wings

    shipped = _zip_wings(tmp_path)

    assert [one.version for one in distributions(name="gridproof", path=[str(shipped)])] == [VERSION]
    names = ZipFile(shipped).namelist()
    assert all(f"{package}/__init__.py" in names for package in WING_PACKAGES)


def test_a_missing_pyspark_is_one_line_with_its_cure(monkeypatch: pytest.MonkeyPatch) -> None:
    import builtins
    import importlib
    from typing import Any

    real = builtins.__import__

    def without_pyspark(name: str, *rest: Any, **named: Any) -> Any:
        if name.split(".")[0] == "pyspark":
            raise ImportError(name)
        return real(name, *rest, **named)

    monkeypatch.delitem(sys.modules, "gridproof_reports.pipeline.session", raising=False)
    monkeypatch.setattr(builtins, "__import__", without_pyspark)

    with pytest.raises(PipelineError, match=r"^Spark jobs need PySpark; type: pip install 'gridproof\[spark\]'$"):
        importlib.import_module("gridproof_reports.pipeline.session")
