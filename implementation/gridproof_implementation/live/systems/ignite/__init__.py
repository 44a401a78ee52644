"""The agent of Ignite, in Java."""
