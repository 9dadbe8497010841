"""A host, its account and who may connect, added with one call."""
