"""A person's stars."""
