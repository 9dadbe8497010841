"""Reports of proxies about sessions, in batches of events."""
