"""The API of the caller's own profile."""
