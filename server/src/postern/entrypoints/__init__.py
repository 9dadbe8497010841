"""The composition roots: the only modules that combine apps, proxies and settings."""
