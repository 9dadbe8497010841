"""What people sign in with: passwords, public keys, and links to set a password."""
