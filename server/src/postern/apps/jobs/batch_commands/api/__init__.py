"""Endpoints of batch commands."""
