"""Why a rule has no action, method, property, planted bug or finding.

A reason has a letter, which stands below the rule with the reason in short. A chapter has one letter for each kind; a
rule may have another.
"""

REASONS = {
    "a": "The rule defines a word or a setting: nothing happens by it alone.",
    "b": "The rule is computed in one step; examples, drawn arguments and proofs check it.",
    "c": "Specifications have no clock, configuration or network: tests of the member check rules about these.",
    "d": "The rule follows from other rules; the member does nothing besides to keep it.",
    "e": "No property checks this rule alone. Tests of the member do, or the properties of the rules that it serves.",
    "f": "No bug is planted against the rule yet.",
    "g": "The rule says what is not promised, and that cannot be broken.",
    "h": "Nothing about the rule was found to be false.",
}
IN_SHORT = {
    "a": "it is a definition or a setting",
    "b": "it is computed in one step",
    "c": "specifications have no clock, configuration or network",
    "d": "it follows from other rules",
    "e": "tests of the member check it, or properties of other rules do",
    "f": "none yet",
    "g": "what is not promised cannot be broken",
    "h": "nothing was found to be false",
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
