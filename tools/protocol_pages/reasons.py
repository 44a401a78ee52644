"""Why a rule has no action, method, property, planted bug or finding.

A reason has a letter, which stands below the rule. A chapter has one for each kind; a rule may have another.
"""

REASONS = {
    "a": "It says what a word means, or what a setting is: nothing happens by it alone.",
    "b": "It is a computation in one step. Examples, drawn arguments and proofs hold it; no specification has it.",
    "c": "Specifications have no clock, no configuration and no network: tests of the member hold what is about these.",
    "d": "It follows from other rules; the member does nothing for it besides.",
    "e": "No property looks at it by itself. Tests of the member do, or the properties of the rules it serves.",
    "f": "No bug has been planted against it yet.",
    "g": "What is not promised cannot be broken.",
    "h": "Nothing about it was found to be false.",
}
KINDS = ("specification", "member", "properties", "planted", "finding")
OF_CHAPTER = {
    "keys": "bdefh",
    "table": "cdefh",
    "placement": "bdefh",
    "migration": "cdefh",
    "repair": "cdefh",
    "leaving": "cdefh",
    "members": "cdefh",
    "calls": "cdefh",
    "backups": "cdefh",
    "sync": "cdefh",
    "strict": "cdefh",
    "splits": "cdefh",
    "jobs": "cdefh",
    "limits": "cdggh",
    "settings": "aaafh",
}
"""For each kind in turn, the letter of the reason."""
OF_RULE = {
    ("keys.1", "specification"): "a",
    ("keys.1", "member"): "a",
    ("keys.10", "specification"): "c",
    ("table.1", "specification"): "a",
    ("placement.24", "specification"): "d",
    ("backups.2", "specification"): "a",
}


def reason_for(number: str, kind: str) -> str:
    """Return the letter of the reason why a rule has nothing of a kind."""
    own = OF_RULE.get((number, kind))
    return own or OF_CHAPTER[number.partition(".")[0]][KINDS.index(kind)]
