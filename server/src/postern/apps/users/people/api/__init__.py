"""The API of people."""
