"""Login ACLs: the addresses and times at which a user may sign in, on every way in."""
