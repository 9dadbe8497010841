"""Sessions: a user connected to a target as a system user; the tokens that open them, and the orders that end them."""
