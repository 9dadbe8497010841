"""Endpoints of other systems that get messages and audit events as signed HTTP requests."""
