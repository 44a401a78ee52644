"""From an empty file to a proof, by commands alone."""

import json
import re
from pathlib import Path

import pytest

from tests.front_door.command_line import CommandLine
from tests.house.source_tree import ROOT

PAGE = (ROOT / "docs" / "proving-your-own.md").read_text("utf-8")
MODULE = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)[0]
LEMMA = "\n\n@argument.lemma"
NAME = "ewd840.py:specification"


@pytest.fixture
def ring(tmp_path: Path) -> Path:
    """The module of the page, in an otherwise empty folder where the commands run."""
    path = tmp_path / "ewd840.py"
    path.write_text(MODULE, "utf-8")
    return path


def test_every_state_is_explored(gridproof: CommandLine, ring: Path) -> None:
    found = gridproof("explore", NAME, "--json")

    assert (found.status, found.json["states"], found.json["failure"]) == (0, 302, None)
    assert [(one["kind"], one["verdict"]) for one in found.json["verdicts"]] == [
        ("always", "holds"),
        ("sometimes", "holds"),
        ("eventually", "holds"),
    ]


def test_constants_are_chosen_as_of_ours(gridproof: CommandLine, ring: Path) -> None:
    assert gridproof("explore", "ewd840.py", "--size", 4, "--json").json["states"] == 1_566


def test_termination_detection_is_proved(gridproof: CommandLine, ring: Path) -> None:
    proved = gridproof("prove", NAME, "--json")

    rows = {row["claim"]: row for row in proved.json["ledger"]}
    assert proved.status == 0
    assert rows["detected_means_idle"]["status"] == "proved"
    assert rows["detected_means_idle"]["worlds"][0] == {"world": "size 1", "standing": "proved"}
    assert rows["a_node_behind_the_token_works"]["status"] == "seen"
    assert rows["idleness_is_detected"]["status"] == "exhaustive"
    assert [row["status"] for row in proved.json["lemmas"]] == ["proved"]
    # The first world of the argument, a ring of one node, needs no lemma.
    assert [*proved.json["leans_on"]["detected_means_idle"]] == ["a_mistake_is_remembered"]


def test_the_ledger_is_written_as_a_page(gridproof: CommandLine, ring: Path, tmp_path: Path) -> None:
    gridproof("prove", NAME, "--out", tmp_path / "ledger.md")
    again = gridproof("prove", NAME, "--out", tmp_path / "ledger.md")

    page = (tmp_path / "ledger.md").read_text("utf-8")
    assert (
        "| `detected_means_idle`: If it is detected that everyone is idle, everyone is. | always | **proved** |" in page
    )
    assert "- `a_mistake_is_remembered`: The nodes the token has left" in page
    assert (again.status, again.err.count("\n")) == (2, 1)


def test_without_the_lemma_the_step_that_breaks_the_claim_is_shown(gridproof: CommandLine, ring: Path) -> None:
    ring.write_text(MODULE.split(LEMMA)[0], "utf-8")

    shown = gridproof("prove", NAME).out

    assert "exhaustive" in shown
    assert re.findall(r"```\n(detected_means_idle is not .*?)```", PAGE, re.DOTALL)[0] in shown


def test_a_false_lemma_is_distinguished_from_a_weak_one(gridproof: CommandLine, ring: Path) -> None:
    false = (
        MODULE.split(LEMMA)[0]
        + LEMMA
        + "\ndef always_idle() -> BoolExpr:\n    'Idle.'\n    return everyone_is_idle()\n"
    )
    ring.write_text(false, "utf-8")

    proved = gridproof("prove", NAME, "--json")

    assert [(row["claim"], row["status"]) for row in proved.json["lemmas"]] == [("always_idle", "broken")]
    assert proved.status == 0


def test_a_story_of_ones_own_is_read_back(gridproof: CommandLine, ring: Path, tmp_path: Path) -> None:
    gridproof("explore", NAME, "--out", tmp_path / "found")

    shown = gridproof("replay", tmp_path / "found" / "a_node_behind_the_token_works.json")

    assert (shown.status, "message_wakes(node 0, node 2)" in shown.out) == (0, True)
    page = (tmp_path / "found" / "report.html").read_text()
    assert f"<code>gridproof explore {NAME} --out {tmp_path / 'found'}</code>" in page


def test_a_claim_called_failure_leaves_room_for_the_story_of_the_failure(
    gridproof: CommandLine, ring: Path, tmp_path: Path
) -> None:
    stopping = "return is_detected()\n\n\n@specification.always"
    assert stopping in MODULE
    wrong = MODULE.replace(stopping, stopping.replace("is_detected()", "~is_detected()", 1))
    wrong = (
        wrong.split("argument = ")[0]
        .replace("def detected_means_idle", "def failure")
        .replace("return is_detected().implies(everyone_is_idle())", "return ~is_detected()")
    )
    ring.write_text(wrong, "utf-8")

    found = gridproof("explore", NAME, "--out", tmp_path / "found")

    assert found.status == 1
    assert {"failure.json", "failure_.json"} <= {path.name for path in (tmp_path / "found").iterdir()}
    assert gridproof("replay", tmp_path / "found" / "failure_.json").status == 0


def test_a_story_is_read_back_from_elsewhere(
    gridproof: CommandLine, ring: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gridproof("explore", NAME, "--out", tmp_path / "found")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")

    assert gridproof("replay", tmp_path / "found" / "a_node_behind_the_token_works.json").status == 0


def test_it_is_shown_and_exported(gridproof: CommandLine, ring: Path, tmp_path: Path) -> None:
    assert "token_moves_on(node)  [fair]" in gridproof("show", NAME).out
    assert gridproof("export", NAME, "--out", tmp_path / "tla").status == 0
    assert "CONSTANT size = 3" in (tmp_path / "tla" / "ewd840.cfg").read_text()


def test_a_module_that_can_be_imported_is_named_by_its_dots(gridproof: CommandLine, ring: Path, tmp_path: Path) -> None:
    (tmp_path / "rings").mkdir()
    (tmp_path / "rings" / "__init__.py").touch()
    ring.rename(tmp_path / "rings" / "detection.py")

    assert gridproof("explore", "rings.detection:specification", "--json").json["states"] == 302


def test_an_argument_may_be_named(gridproof: CommandLine, ring: Path) -> None:
    ring.write_text(MODULE + "\n\nother = Argument(specification, proved_in=({},), explored_in=())\n", "utf-8")

    unsure, chosen = gridproof("prove", NAME), gridproof("prove", "ewd840.py:argument", "--json")

    assert (unsure.status, "has 2 proof arguments about ewd840; name one" in unsure.err) == (2, True)
    assert chosen.status == 0


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("active[sender], sender", "active[sender] and sender", "write & | ~ and if_else"),
        ("~active[node] |", "~active[nodes[5]] |", "node has no element 5: it has 3"),
        ("when=[active[node]]", "when=active[node]", "`when` must be a list, also if it has"),
        ("everyone_is_idle(), is_detected()", "everyone(), is_detected()", "NameError: name 'everyone' is not defined"),
        ("active[receiver].becomes(True)", "active[receiver.becomes(True)", "closing parenthesis ')' does not match"),
        ("token == node", "token.becomes(node)", "a guard must be a condition"),
        ("initial=Colour.BLACK", "initial=Colour(7)", "ValueError: 7 is not a valid Colour"),
    ],
)
def test_a_slip_is_reported_in_one_line_with_its_place(
    gridproof: CommandLine, ring: Path, old: str, new: str, complaint: str
) -> None:
    text = MODULE.replace(old, new)
    ring.write_text(text, "utf-8")

    wrong = gridproof("explore", NAME)

    shown = re.findall(r"ewd840\.py:(\d+): ", wrong.err)
    assert (wrong.status, wrong.err.count("\n"), len(shown)) == (2, 1, 1)
    assert complaint in wrong.err
    assert abs(int(shown[0]) - text[: text.index(new)].count("\n")) <= 4


@pytest.mark.parametrize(
    "line",
    ["explore", "prove", "prove --find", "measure --rate *=1/s", "export --out tla", "export --language prism --out p"],
)
@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('"How many nodes the ring has.", least=1', '"How many.", least=4', "size must be at least 4, not "),
        ("nodes[0], element_at(nodes, size - 1)", "nodes[0], nodes[3]", "node has no element 3"),
        ('index("node", size,', 'index("node", size // (size - 3),', "a bound or size divides by "),
    ],
)
def test_a_default_world_that_cannot_exist_is_reported_in_one_line_with_its_place(
    gridproof: CommandLine, ring: Path, line: str, old: str, new: str, complaint: str
) -> None:
    assert old in MODULE
    ring.write_text(MODULE.split("argument = ")[0].replace(old, new), "utf-8")
    command, *options = line.split()

    wrong = gridproof(command, NAME, *options)

    assert (wrong.status, wrong.err.count("\n")) == (2, 1)
    assert complaint in wrong.err
    assert "ewd840.py:" in wrong.err


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("ewd840.py:specifications", "names no object"),
        ("ewd840.py:Colour", "names no specification"),
        ("ewd.py:specification", "there is no file ewd.py"),
        ("ewd840x:specification", "there is no module 'ewd840x'"),
        ("ewd840", "no specification is called 'ewd840'"),
    ],
)
def test_a_name_that_leads_nowhere_is_reported_in_one_line(
    gridproof: CommandLine, ring: Path, name: str, complaint: str
) -> None:
    wrong = gridproof("explore", name)

    assert (wrong.status, wrong.err.count("\n")) == (2, 1)
    assert complaint in wrong.err


def test_a_story_whose_module_is_gone_is_reported_in_one_line(
    gridproof: CommandLine, ring: Path, tmp_path: Path
) -> None:
    gridproof("explore", NAME, "--out", tmp_path / "found")
    story = tmp_path / "found" / "a_node_behind_the_token_works.json"
    story.write_text(json.dumps({**json.loads(story.read_text()), "specification": "gone.py:specification"}))

    wrong = gridproof("replay", story)

    assert (wrong.status, wrong.err.count("\n")) == (2, 1)
    assert "there is no file gone.py" in wrong.err


def test_a_proof_is_drawn_and_outlined(gridproof: CommandLine, tmp_path: Path) -> None:
    proved = gridproof("prove", "two_phase_commit", "--graph", tmp_path / "proof.svg")
    again = gridproof("prove", "two_phase_commit", "--graph", tmp_path / "proof.svg")

    assert proved.status == 0
    # Which of several lemmas a core has may hang on what the process proved before.
    assert re.search(r"^    \w+ \(needed for the actions? manager_\w+", proved.out, re.MULTILINE)
    assert (tmp_path / "proof.svg").read_text("utf-8").startswith("<svg ")
    assert again.status == 2
    assert "is not overwritten; name another file with --graph" in again.err
