"""Sessions: one person on one target as one system user; the tokens that lead to them, and the orders that end them."""
