"""The placement policies, and the ordered migrations to their targets."""
