"""Pictures of three proofs that the program found, for `docs/found-proofs.md`."""

from __future__ import annotations

from pathlib import Path

from gridproof_model.language import ClaimKind
from gridproof_model.specifications.two_phase_commit import specification as two_phase_commit
from gridproof_properties.claims.named import find_named
from gridproof_properties.claims.proof_graph import ProofGraph
from gridproof_properties.proofs.finding.find import Finder
from gridproof_properties.proofs.prove import prove
from gridproof_reports.drawing.proof_graph_drawing import draw_proof_graph
from tools.protocols.originals import PROTOCOLS

IMAGES = PROTOCOLS.parents[1] / "images" / "proofs"
DRAWN = {
    "dining": PROTOCOLS.parent / "dining.py",
    "lockserv": PROTOCOLS / "lockserv.py",
    "two_phase_commit": None,
}
"""By the name of the picture, the file of the specification; None for the one that is ours."""


def graph_of(name: str) -> ProofGraph:
    """Return the graph of a proof whose lemmas were found."""
    path = DRAWN[name]
    specification = two_phase_commit if path is None else find_named(str(path)).specification
    finder = Finder(specification, [one.name for one in specification.claims if one.kind is ClaimKind.ALWAYS])
    finder.run()
    return ProofGraph.of(finder.argument, prove(finder.argument, finder.proved_in[-1]))


def draw(folder: Path = IMAGES) -> None:
    """Draw the three."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in DRAWN:
        graph = graph_of(name)
        (folder / f"{name}.svg").write_text(draw_proof_graph(graph), encoding="utf-8")
        print("\n".join(graph.outline()), flush=True)


if __name__ == "__main__":
    draw()
