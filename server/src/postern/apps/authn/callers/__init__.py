"""The caller of a request, and the conditions that the caller must meet first."""
