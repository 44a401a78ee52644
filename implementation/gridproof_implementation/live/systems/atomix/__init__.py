"""The agent of Atomix, in Java."""
