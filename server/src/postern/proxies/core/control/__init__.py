"""The proxy's side of the internal API: decisions, registration, heartbeat, orders, events and recordings."""
