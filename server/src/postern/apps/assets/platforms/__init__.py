"""Platforms: the kind of system that an asset runs."""
