"""Heartbeats: the effects of received and of missing heartbeats on terminals and sessions."""
