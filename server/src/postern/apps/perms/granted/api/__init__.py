"""The API of reachable assets."""
