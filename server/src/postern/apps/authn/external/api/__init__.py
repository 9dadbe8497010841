"""Pages that redirect to a provider and back, and the calls that use the result."""
