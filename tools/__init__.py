"""What developers of gridproof run: tools that only tests, documents and benchmarks use."""
