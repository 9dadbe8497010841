"""Events between apps: at once, in the same transaction, or kept until they are delivered."""
