"""Organizations. Who belongs to them is the business of `users`."""
