"""Real processes as members: they are started, asked and killed, and none is left behind."""
