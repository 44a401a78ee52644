"""What is known about specifications: found by name, as stories, in the ledger, and compared with each other."""
