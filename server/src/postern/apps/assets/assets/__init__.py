"""Assets: the list, the form, and their writes."""
