"""What a property is, what it is shown, what a judge sees of a run, and what it says of it.

A judge sees records and nothing else. Read the files in this order: `verdict`, `judge`, `guarantee` (what is
claimed, where, and what limits it), `conditions` (the recorded causes of a run), then the parts that judges share.
"""
