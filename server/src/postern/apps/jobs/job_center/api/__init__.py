"""Endpoints of the job center (contract: ops)."""
