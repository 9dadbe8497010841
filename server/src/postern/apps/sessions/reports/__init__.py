"""Reports: what proxies tell about sessions, in batches of events."""
