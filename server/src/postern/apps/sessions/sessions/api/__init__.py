"""The API of sessions."""
