"""All papers whose tables are recomputed, oldest first."""

from gridproof_model.user_error import UserError, nearest
from gridproof_properties.papers import (
    balls_1994,
    bursts_2010,
    copysets_2013,
    data_loss_1988,
    demers_1987,
    detectors_2002,
    jump_hash_2014,
    pbs_2012,
)
from gridproof_properties.recomputing.paper import Effort, Paper, Recomputed

PAPERS: tuple[Paper, ...] = (
    demers_1987.PAPER,
    data_loss_1988.PAPER,
    balls_1994.PAPER,
    detectors_2002.PAPER,
    bursts_2010.PAPER,
    pbs_2012.PAPER,
    copysets_2013.PAPER,
    jump_hash_2014.PAPER,
)
"""All papers; each name occurs once."""


class UnknownPaperError(UserError):
    """Raised if no paper has this name; the message lists the nearest names, or says where all names are listed."""


def get_paper(name: str) -> Paper:
    """Return the paper with this name; raise UnknownPaperError if there is none."""
    for paper in PAPERS:
        if paper.name == name:
            return paper
    cure = nearest(name, [paper.name for paper in PAPERS], "`gridproof papers` lists them")
    raise UnknownPaperError(f"no paper is called {name!r}: {cure}")


def recompute(name: str, effort: Effort) -> Recomputed:
    """Compute every cell of the paper with this name; another process can be asked to run this function."""
    return Recomputed(name, effort, tuple(get_paper(name).recompute(effort)))
