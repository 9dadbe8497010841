"""Viewings: who viewed which recording and which commands."""
