"""How requests show who makes them."""
