"""What is not the API: the files of the console, older addresses, redirects."""
