"""The agents of live systems and all that they need, with one folder for each system."""
