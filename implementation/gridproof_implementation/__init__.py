"""How a grid runs: reference implementation, simulator, adapters."""
