"""The API of application accounts."""
