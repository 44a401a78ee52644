"""The agent of etcd."""
