"""Viewings: who looked at which recording, and at which commands."""
