"""What is read out of a trace: its stages, messages and steps, in words."""
