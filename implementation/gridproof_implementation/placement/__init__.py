"""The placement policies, and the ordered migrations that lead to their targets."""
