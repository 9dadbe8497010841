"""The API of assets."""
