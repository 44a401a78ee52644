"""The agent of VecGrid."""
