"""Pages that are not part of the API: files of the console, old addresses, redirects."""
