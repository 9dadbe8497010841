"""What a change of access would do, computed before it is saved."""
