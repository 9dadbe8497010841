"""The API of access plans."""
