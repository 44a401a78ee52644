"""Real processes as members: started, asked, killed, never left behind."""
