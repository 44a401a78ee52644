"""The protocol: members as state machines without any IO."""
