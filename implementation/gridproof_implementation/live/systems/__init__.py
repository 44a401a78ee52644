"""The agents of live systems with all that they need; each system has one folder."""
