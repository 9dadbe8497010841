"""The API of command filters."""
