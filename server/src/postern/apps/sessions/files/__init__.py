"""The file manager's requests: from a browser through the web plane to a proxy."""
