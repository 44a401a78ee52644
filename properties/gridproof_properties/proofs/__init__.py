"""Facts proved by Z3."""
