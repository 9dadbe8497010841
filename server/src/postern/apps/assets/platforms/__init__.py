"""Platforms: what kind of system an asset runs."""
