"""Properties, the judges that read the records of a run, and the verdicts that they give.

A judge sees records and nothing else. Read the files in this order: `verdict`, `judge`, `guarantee` (what a property
claims, where, and what limits it), `conditions` (the recorded causes of a run), then the parts that judges share.
"""
