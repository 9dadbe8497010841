"""Audit bundles for third parties: the stand-alone verifier, and the texts that go into each bundle."""
