"""Names and addresses: what may be dialled, and how it is found."""
