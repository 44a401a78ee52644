"""What a partitioned, replicated data grid is."""
