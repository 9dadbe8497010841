"""Applications that administrators manage: the list, the form, and their writes."""
