"""Organizations. Their members belong to the app `users`."""
