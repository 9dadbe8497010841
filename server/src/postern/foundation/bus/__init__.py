"""Events between apps: in the publisher's transaction, after its commit, or stored until they are delivered."""
