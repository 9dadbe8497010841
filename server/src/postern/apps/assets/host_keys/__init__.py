"""Pinned SSH host keys of targets and gateways."""
