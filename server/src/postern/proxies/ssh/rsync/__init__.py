"""Reads an rsync transfer as it passes and names the files that were really sent.

The reader parses both directions by rsync's own rules. It stops for good at the first byte that does not match them.
"""
