"""Writes of second factors."""
