"""Reads an rsync transfer as it passes and names the files that were really sent.

The reader follows both directions by rsync's own rules and stops for good at the first byte that does not fit.
"""
