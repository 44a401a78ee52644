"""The reference grid, in process: tables only for now."""
