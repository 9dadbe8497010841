"""Writes of providers."""
