"""Application permissions: the list, the form, and their writes."""
