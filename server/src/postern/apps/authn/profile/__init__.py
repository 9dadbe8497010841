"""One's own profile."""
