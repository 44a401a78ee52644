"""What is said of specifications: by name, in stories, in the ledger, one beside another."""
