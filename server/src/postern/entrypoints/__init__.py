"""The composition roots: the only places where apps, proxies and settings are put together."""
