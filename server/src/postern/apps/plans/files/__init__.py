"""The file of an access plan: its shape, its schema, how it is read and how it is written."""
