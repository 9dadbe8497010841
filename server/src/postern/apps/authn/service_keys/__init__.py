"""Access keys of service accounts. Administrators make them."""
