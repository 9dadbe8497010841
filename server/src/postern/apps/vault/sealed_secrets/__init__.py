"""Sealed secrets of any app: the key file, sealing, and the store."""
