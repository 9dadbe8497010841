"""Writes of assets."""
