"""A user's own Hazelcast configuration, YAML or XML."""

from gridproof_implementation.config.document import ConfigError
from gridproof_implementation.config.load import load_config

__all__ = ["ConfigError", "load_config"]
