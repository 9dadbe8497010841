"""The API of permissions."""
