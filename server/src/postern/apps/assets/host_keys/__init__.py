"""The host keys that targets have shown."""
