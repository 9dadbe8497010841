"""SSO links: another system of the company requests a link that signs a named user in, once."""
