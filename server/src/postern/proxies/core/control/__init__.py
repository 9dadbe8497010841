"""The proxy's side of the internal API: decisions, registration, heartbeats, orders, events and recordings."""
