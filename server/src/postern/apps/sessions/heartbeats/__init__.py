"""Heartbeats: what it means for terminals and sessions that a proxy is heard of, or is not."""
