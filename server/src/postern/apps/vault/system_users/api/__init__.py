"""The API of system users."""
