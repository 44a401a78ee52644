"""Which Java Spark will run on."""

import pwd
from pathlib import Path

import pytest

from gridproof_reports.pipeline import java
from gridproof_reports.pipeline.java import PipelineError


def a_java(home: Path, version: str) -> Path:
    program = home / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\" 2025-01-01' >&2\n")
    program.chmod(0o755)
    return home


def test_java_home_comes_first(tmp_path: Path) -> None:
    home = a_java(tmp_path / "mine", "21.0.2")
    a_java(tmp_path / "usual", "17.0.1")

    found = java.find_java({"JAVA_HOME": str(home)}, [f"{tmp_path}/usual"])

    assert found == java.Java(home, 21)


def test_path_comes_before_the_usual_places(tmp_path: Path) -> None:
    home = a_java(tmp_path / "on_path", "17.0.1")
    usual = a_java(tmp_path / "usual", "21.0.2")

    found = java.find_java({"PATH": str(home / "bin")}, [str(usual)])

    assert found == java.Java(home, 17)


def test_a_java_that_is_too_old_is_passed_over(tmp_path: Path) -> None:
    old = a_java(tmp_path / "jdk-8", "1.8.0_402")
    a_java(tmp_path / "jdk-21", "21")

    found = java.find_java({"JAVA_HOME": str(old)}, [f"{tmp_path}/jdk-*"])

    assert found.version == 21


def test_the_missing_java_names_what_was_found_and_the_cure(tmp_path: Path) -> None:
    old = a_java(tmp_path / "old", "1.8.0_402")

    with pytest.raises(PipelineError, match=rf"^Spark needs Java 17 or 21 \(found only Java 8 in {old}\); .+$"):
        java.find_java({"JAVA_HOME": str(old)}, [])


def test_a_java_that_does_not_answer_is_named_and_not_called_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    home = a_java(tmp_path / "slow", "17.0.15")
    (home / "bin" / "java").write_text("#!/bin/sh\nexec sleep 5\n")
    monkeypatch.setattr(java, "_ANSWER_SECONDS", 0.05)

    with pytest.raises(PipelineError, match=rf"found only one in {home} that did not say its version within 0.05 s"):
        java.find_java({"JAVA_HOME": str(home)}, [])


def test_a_directory_without_a_java_is_no_java(tmp_path: Path) -> None:
    assert java.ask_version(tmp_path) is None


def test_the_command_prints_the_line_to_type(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(java, "find_java", missing)

    assert java.main([]) == 2
    assert capsys.readouterr() == ("", "java: none; type this\n")


def test_the_command_installs_where_it_may(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    calls: list[tuple[str, ...]] = []

    def apt_get(*arguments: str) -> str:
        calls.append(arguments)
        monkeypatch.setattr(java, "find_java", lambda: java.Java(Path("/new"), 17))
        return ""

    monkeypatch.setattr(java, "find_java", missing)
    monkeypatch.setattr(java, "may_install", lambda: True)
    monkeypatch.setattr(java, "_apt_get", apt_get)

    assert java.main(["--install"]) == 0
    assert [call[-1] for call in calls] == ["openjdk-17-jre-headless"]
    assert capsys.readouterr().out.endswith("java: Java 17 in /new\n")


def test_package_lists_are_renewed_before_giving_up(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []

    def apt_get(*arguments: str) -> str:
        calls.append(arguments[-1])
        return "E: Unable to locate"

    monkeypatch.setattr(java, "_apt_get", apt_get)
    with pytest.raises(PipelineError, match=r"could not install .* \(E: Unable to locate\); "):
        java.install_java()

    assert calls == [*java.PACKAGES, "update", *java.PACKAGES]


def missing() -> java.Java:
    raise PipelineError("none; type this")


def test_a_user_without_a_home_has_no_java_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.setattr(pwd, "getpwuid", {}.__getitem__)

    with pytest.raises(PipelineError, match="Spark needs Java"):
        java.find_java({}, ["~/.sdkman/candidates/java/*"])
