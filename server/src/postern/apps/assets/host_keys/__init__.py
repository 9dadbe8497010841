"""Pinned SSH host keys of targets."""
