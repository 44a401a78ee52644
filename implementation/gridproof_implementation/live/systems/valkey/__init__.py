"""The agent of Valkey Cluster."""
