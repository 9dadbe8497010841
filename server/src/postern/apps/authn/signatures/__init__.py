"""Signatures of SSH keys: verifying them, and taking each once."""
