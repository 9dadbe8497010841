"""The API of applications."""
