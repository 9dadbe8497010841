"""The API of application permissions."""
