"""What the pages of the protocol show of the tree.

`python -m tools.protocol_pages` renews, from the citations in the tree: below each rule of `docs/protocol/` what this
repository has of it, the last column of `docs/defects.md`, `docs/choices.md`, and `gridproof/protocol_rules.json`, by
which the command line prints rules. House tests hold all of them equal.
"""
