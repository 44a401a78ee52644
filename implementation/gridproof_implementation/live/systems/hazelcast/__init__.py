"""The agent of Hazelcast, in Java, and its client in JavaScript."""
