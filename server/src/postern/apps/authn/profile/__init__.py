"""The caller's own profile."""
