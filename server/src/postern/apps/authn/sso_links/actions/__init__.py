"""Issues SSO links, and signs users in with them."""
