"""Signing in through a proxy."""
