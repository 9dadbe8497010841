"""The API of one's own profile."""
