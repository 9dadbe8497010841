"""SSO links: another system of the company asks for a link that signs a named user in, once."""
