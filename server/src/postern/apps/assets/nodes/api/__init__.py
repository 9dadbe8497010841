"""The API of nodes."""
