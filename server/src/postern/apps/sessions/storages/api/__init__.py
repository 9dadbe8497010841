"""The API of storages."""
