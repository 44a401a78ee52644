"""Every kind of entry processor that a run asks for."""
