"""Login ACLs: from which addresses and at which times a person may come in, by any way."""
