"""What a property is, what it is shown, and what is said of it.

A judge sees records and nothing else. In the order of the story: `verdict`, `judge`, `guarantee` (what is
claimed, where, and what limits it), `conditions` (the recorded causes of a run), then what judges share.
"""
