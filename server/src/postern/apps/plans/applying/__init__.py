"""Planning and applying a file, for the API and for the command line."""
