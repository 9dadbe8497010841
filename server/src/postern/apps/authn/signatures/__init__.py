"""Signatures of SSH keys: verification, and single use."""
