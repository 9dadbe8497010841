"""Audit bundles: what others need to check sessions, recordings and the audit log without any secret."""
