"""Encrypted secrets of any app: the key file, encryption, and the store."""
