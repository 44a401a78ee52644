"""Protocols of others: their lemmas are found from the text alone, written, read back and proved without a search."""

import importlib
import sys
from pathlib import Path

import pytest

from gridproof_model.language import ANY_NUMBER, ClaimKind
from gridproof_properties.claims.named import find_named
from gridproof_properties.proofs.finding.find import End, Finder
from gridproof_properties.proofs.finding.lemmas import module_text, predicate_from
from gridproof_properties.proofs.prove import prove
from tools.protocols.measured import kept
from tools.protocols.originals import ORIGINALS, PROTOCOLS

QUICK = {
    "firewall",
    "lock_server",
    "lockserv",
    "quorum_leader_election",
    "ring_election",
    "simple_regular",
    "toy_consensus_forall",
}
"""One of each kind; the others are tried by night."""
FOUND = {
    one.ours
    for one in ORIGINALS
    if (said := kept()[one.name].found) is not None and said.proved == said.claims and said.stopped_at is None
}
"""What the page says is found, by searches that came to an end."""


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path.stem, marks=() if path.stem in QUICK else pytest.mark.nightly)
        for path in sorted(PROTOCOLS.glob("*.py"))
        if path.stem in FOUND
    ],
)
def test_lemmas_are_found_written_and_proved_again(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    specification = find_named(str(path)).specification
    always = [claim.name for claim in specification.claims if claim.kind is ClaimKind.ALWAYS]
    finder = Finder(specification, always)
    finder.run()
    written = tmp_path / f"lemmas_of_{path.stem}.py"
    written.write_text(module_text(finder.argument, "Lemmas."), "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))

    read = importlib.import_module(written.stem).argument
    del sys.modules[written.stem]

    assert [finding.end for finding in finder.findings] == [End.PROVED] * len(always)
    for constants in read.proved_in:
        proof = prove(read, constants)
        assert all(map(proof.is_proved, read.names & {*always, *(lemma.name for lemma in read.lemmas)}))


@pytest.mark.nightly
def test_a_lease_is_proved_for_any_size_where_four_sums_of_three_clocks_are_given() -> None:
    lease = find_named(str(PROTOCOLS / "lease.py")).specification
    ends = ("until", "end"), ("granted_until", "end"), ("granted_until", "now"), ("asked_at", "now")
    given = [predicate_from(f"{mine}[client] <= {theirs} + offset[client]", lease) for mine, theirs in ends]

    finder = Finder(lease, ["one_has_the_lease"], predicates=given)
    finder.run()

    assert [finding.end for finding in finder.findings] == [End.PROVED]
    assert [world["size"] for world in finder.proved_in] == [ANY_NUMBER]
    assert finder.gaps == ()
